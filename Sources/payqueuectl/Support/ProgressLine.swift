import Glibc
import Synchronization

/// A line on a terminal that shows how far long work is. Nothing is written without a terminal: in
/// pipes, files and for programs.
final class ProgressLine: Sendable {
    /// How far the work is.
    private struct State {
        var what: String
        /// How far each file was read, in bytes, by its path.
        var read: [String: Int] = [:]
        var doneBytes = 0
        var totalBytes: Int
        var drawn: ContinuousClock.Instant?
    }

    private static let interval = Duration.milliseconds(100)

    private let isShown: Bool
    private let state: Mutex<State>

    /// A line for some work.
    ///
    /// - Parameters:
    ///   - what: What is done, such as `verifying`.
    ///   - totalBytes: How much there is to read; 0 if that is not known.
    init(_ what: String, totalBytes: Int = 0) {
        isShown = Console.showsProgress
        state = Mutex(State(what: what, totalBytes: totalBytes))
    }

    /// Goes on with other work on as many bytes.
    func begin(_ what: String) {
        state.withLock { state in
            state = State(what: what, totalBytes: state.totalBytes)
        }
    }

    /// Notes that a file was read up to an offset.
    func read(_ path: String, upTo offset: Int) {
        guard isShown else { return }
        state.withLock { state in
            let before = state.read[path] ?? 0
            guard offset > before else { return }
            state.read[path] = offset
            state.doneBytes += offset - before
            let now = ContinuousClock.now
            if let drawn = state.drawn, now - drawn < Self.interval { return }
            state.drawn = now
            Console.progress(
                Self.text(state.what, done: state.doneBytes, total: state.totalBytes))
        }
    }

    /// Takes the line away. To be called before anything else is written.
    func end() {
        if isShown { Console.progress("") }
    }

    /// The line: `verifying: 45 %, 12 of 27 MiB`.
    static func text(_ what: String, done: Int, total: Int) -> String {
        let done = min(done, total)
        let percent = total > 0 ? done * 100 / total : 100
        return "\(what): \(percent) %, \(done >> 20) of \(total >> 20) MiB"
    }

    /// Does work of unknown length and shows how long it takes.
    static func timing<Result: Sendable>(
        _ what: String, _ work: () async throws -> Result
    ) async throws -> Result {
        guard Console.showsProgress else { return try await work() }
        let start = ContinuousClock.now
        Console.progress("\(what): 0 s")
        let clock = Task {
            while true {
                try await Task.sleep(for: .milliseconds(200))
                let seconds = (ContinuousClock.now - start).components.seconds
                Console.progress("\(what): \(seconds) s")
            }
        }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        clock.cancel()
        // Only then nothing is drawn any more.
        _ = await clock.result
        Console.progress("")
        return try outcome.get()
    }
}

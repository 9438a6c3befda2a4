import Glibc
import Synchronization

/// A progress line on a terminal. Nothing is written to pipes and files, or for programs.
final class ProgressLine: Sendable {
    private struct State {
        var what: String
        /// The number of bytes read from each file, by its path.
        var read: [String: Int] = [:]
        var doneBytes = 0
        var totalBytes: Int
        var drawn: ContinuousClock.Instant?
    }

    private static let interval = Duration.milliseconds(100)

    private let isShown: Bool
    private let state: Mutex<State>

    /// Creates a progress line.
    ///
    /// - Parameters:
    ///   - what: The activity, such as `verifying`.
    ///   - totalBytes: The number of bytes to read; 0 if it is unknown.
    init(_ what: String, totalBytes: Int = 0) {
        isShown = Console.showsProgress
        state = Mutex(State(what: what, totalBytes: totalBytes))
    }

    /// Starts another activity with the same number of bytes.
    func begin(_ what: String) {
        state.withLock { state in
            state = State(what: what, totalBytes: state.totalBytes)
        }
    }

    /// Records that a file was read up to an offset.
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

    /// Removes the line. Must be called before other output.
    func end() {
        if isShown { Console.progress("") }
    }

    /// The text of the line: `verifying: 45 %, 12 of 27 MiB`.
    static func text(_ what: String, done: Int, total: Int) -> String {
        let done = min(done, total)
        let percent = total > 0 ? done * 100 / total : 100
        return "\(what): \(percent) %, \(done >> 20) of \(total >> 20) MiB"
    }

    /// Runs work of unknown length and shows the elapsed time.
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
        // The result guarantees that nothing more is drawn.
        _ = await clock.result
        Console.progress("")
        return try outcome.get()
    }
}

import Foundation

/// Clients that buy and finish as fast as they can, each on a thread of its own, so that a test has
/// a stream of records to look at.
final class Buyers {
    private let state = State()
    private var threads: [Thread] = []

    /// Shared between the threads, hence the lock.
    private final class State: @unchecked Sendable {
        // Proof: everything below is read and written under the lock only.
        private let lock = NSLock()
        private var running = 0
        private var last = 0
        private var trouble: (any Error)?

        func begin() { lock.withLock { running += 1 } }
        func end(_ error: (any Error)?) {
            lock.withLock {
                running -= 1
                trouble = trouble ?? error
            }
        }
        func reached(_ position: Int) { lock.withLock { last = max(last, position) } }
        var isDone: Bool { lock.withLock { running == 0 } }
        var position: Int { lock.withLock { last } }
        var failure: (any Error)? { lock.withLock { trouble } }
    }

    /// Whether all of them have bought everything.
    var isDone: Bool { state.isDone }
    /// The greatest position that an answer named.
    var lastPosition: Int { state.position }

    /// Starts them.
    init(_ daemon: Daemon, purchases: Int, connections: Int) throws {
        for number in 0..<connections {
            let line = try daemon.connect()
            try line.call("subscribe", #"{"after":"now","products":["coins.100"]}"#)
            let each = purchases / connections
            let job = Job(line: line, state: state, prefix: "b\(number)", count: each)
            state.begin()
            let thread = Thread { job.run() }
            threads.append(thread)
            thread.start()
        }
    }

    /// Throws what went wrong in one of them.
    func finish() throws {
        if let failure = state.failure { throw failure }
    }

    /// One client's work.
    private final class Job: @unchecked Sendable {
        // Proof: after it is made, only its own thread touches it.
        let line: Line
        let state: State
        let prefix: String
        let count: Int

        init(line: Line, state: State, prefix: String, count: Int) {
            self.line = line
            self.state = state
            self.prefix = prefix
            self.count = count
        }

        func run() {
            do {
                for number in 0..<count {
                    let key = "\(prefix)-\(number)"
                    let added = try line.call("add", #"{"product":"coins.100","key":"\#(key)"}"#)
                    let id = added["transaction"]?.string
                    _ = try line.notifications(within: 60) { $0.shows(id, "purchased") }
                    let finished = try line.call("finish", #"{"transaction":"\#(id ?? "")"}"#)
                    state.reached(finished["seq"]?.int ?? 0)
                }
                state.end(nil)
            } catch {
                state.end(error)
            }
        }
    }
}

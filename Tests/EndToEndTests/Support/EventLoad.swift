import Foundation

/// A client that makes events as fast as it can, on a thread of its own: payments that nobody sends
/// to the store because nobody who counts is subscribed, withdrawn again at once.
final class EventLoad {
    private let state: State

    /// Shared between the threads, hence the lock.
    private final class State: @unchecked Sendable {
        // Proof: everything below is read and written under the lock only.
        private let lock = NSLock()
        private var last = 0
        private var ending: Result<Void, any Error>?

        func reached(_ position: Int) { lock.withLock { last = position } }
        func end(_ result: Result<Void, any Error>) { lock.withLock { ending = result } }
        var position: Int { lock.withLock { last } }
        var result: Result<Void, any Error>? { lock.withLock { ending } }
    }

    /// Whether all events are made.
    var isDone: Bool { state.result != nil }
    /// The position of the last one, once they are.
    var lastPosition: Int { state.position }

    /// Starts to make so many events, two by two.
    init(_ daemon: Daemon, events: Int) throws {
        let job = Job(line: try RawLine(to: daemon.socket), state: State(), pairs: events / 2)
        state = job.state
        Thread.detachNewThread { job.run() }
    }

    /// Throws what went wrong.
    func finish() throws {
        try state.result?.get()
    }

    private final class Job: @unchecked Sendable {
        // Proof: after it is made, only its own thread touches it.
        static let flight = 32
        let line: RawLine
        let state: State
        let pairs: Int

        init(line: RawLine, state: State, pairs: Int) {
            self.line = line
            self.state = state
            self.pairs = pairs
        }

        func run() {
            state.end(
                Result {
                    var done = 0
                    while done < pairs {
                        let count = min(Self.flight, pairs - done)
                        try makePairs(count)
                        done += count
                    }
                })
        }

        private func makePairs(_ count: Int) throws {
            let add = #"{"product":"coins.100"}"#
            try line.send("add", Array(repeating: add, count: count))
            let ids = try (0..<count).map { _ in
                let reply = try line.next()
                guard let id = reply.word(after: #""transaction":""#) else {
                    throw Trouble("an add was answered by \(try reply.parsed())")
                }
                return id
            }
            try line.send("finish", ids.map { #"{"transaction":"\#($0)"}"# })
            for _ in ids {
                let reply = try line.next()
                guard let position = reply.number(after: #""seq":"#) else {
                    throw Trouble("a finish was answered by \(try reply.parsed())")
                }
                state.reached(position)
            }
        }
    }
}

/// What a subscriber was shown, without keeping it: whether the chain holds, and enough to compare
/// two subscribers.
struct StreamSum: Equatable {
    /// The last position shown.
    var last: Int
    var count = 0
    var sum = 0
    /// How often the chain was broken.
    var breaks = 0

    /// Begins behind a position.
    init(after position: Int) {
        last = position
    }

    /// Takes an event that is a record.
    mutating func take(_ event: RawText) {
        let position = event.number(after: #""seq":"#) ?? -1
        if event.number(after: #""prev":"#) != last || position <= last { breaks += 1 }
        last = position
        count += 1
        sum += position
    }
}

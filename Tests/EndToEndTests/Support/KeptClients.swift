import Foundation

/// A subscriber on a thread of its own that checks that the chain of positions never breaks.
final class Watcher: @unchecked Sendable {
    // Proof: what two threads share is touched under the lock only.
    private let lock = NSLock()
    private var sum: StreamSum
    private var closings = 0
    private var failures = 0
    private var trouble: (any Error)?
    private var isOver = false
    // Proof: after it is made, only its own thread touches it.
    private var line: RawLine

    /// What it was shown.
    var seen: StreamSum { lock.withLock { sum } }
    /// How often its connection was closed by the other side.
    var closingCount: Int { lock.withLock { closings } }
    /// How often one ended before it was subscribed.
    var cutShortCount: Int { lock.withLock { failures } }
    /// What it cannot cope with.
    var error: (any Error)? { lock.withLock { trouble } }

    /// Subscribes and begins to read.
    init(_ socket: String, after position: Int) throws {
        sum = StreamSum(after: position)
        line = try Subscribing.line(socket, #"{"after":\#(position),"passive":true}"#) {}
        Thread.detachNewThread { [self] in watch(socket) }
    }

    /// Stops before the next line.
    func end() {
        lock.withLock { isOver = true }
    }

    private func watch(_ socket: String) {
        while !lock.withLock({ isOver }) {
            do {
                let text = try line.next(within: 1)
                if text.isNotification("event") { lock.withLock { sum.take(text) } }
            } catch Line.End.silent {
                continue
            } catch Line.End.closed {
                do {
                    let position = lock.withLock {
                        closings += 1
                        return sum.last
                    }
                    line = try Subscribing.line(
                        socket, #"{"after":\#(position),"passive":true}"#
                    ) { lock.withLock { failures += 1 } }
                } catch {
                    return lock.withLock { trouble = error }
                }
            } catch {
                return lock.withLock { trouble = error }
            }
        }
    }
}

/// Connections that are kept from their first answer on, because they are subscribed.
private enum Subscribing {
    /// Makes one, as often as the daemon dies before it could answer.
    static func line(_ socket: String, _ wish: String, cutShort: () -> Void) throws -> RawLine {
        while true {
            do {
                let line = try RawLine(to: socket)
                try line.send("subscribe", [wish])
                let reply = try line.next()
                guard reply.contains(#""subscription":"#) else {
                    throw Trouble("not subscribed: \(String(decoding: reply.bytes, as: UTF8.self))")
                }
                return line
            } catch Line.End.closed {
                cutShort()
            }
        }
    }
}

/// A client on a thread of its own that adds and withdraws payments, one after the other.
final class Buyer: @unchecked Sendable {
    // Proof: what two threads share is touched under the lock only.
    private let lock = NSLock()
    private var pairs = 0
    private var closings = 0
    private var failures = 0
    private var trouble: (any Error)?
    private var isOver = false
    private var hasEnded = false
    // Proof: after it is made, only its own thread touches it.
    private var line: RawLine

    /// How many payments it has added and withdrawn.
    var pairCount: Int { lock.withLock { pairs } }
    /// How often its connection was closed by the other side.
    var closingCount: Int { lock.withLock { closings } }
    /// How often one ended before it was kept.
    var cutShortCount: Int { lock.withLock { failures } }
    /// What it cannot cope with.
    var error: (any Error)? { lock.withLock { trouble } }
    /// Whether it has stopped.
    var isDone: Bool { lock.withLock { hasEnded } }

    /// Connects and begins.
    init(_ socket: String, name: String) throws {
        line = try Self.connect(socket) {}
        Thread.detachNewThread { [self] in
            buy(socket, name)
            lock.withLock { hasEnded = true }
        }
    }

    /// Stops behind the next pair.
    func end() {
        lock.withLock { isOver = true }
    }

    private func buy(_ socket: String, _ name: String) {
        var number = 0
        while !lock.withLock({ isOver }) {
            do {
                try pair(line, key: "\(name)-\(number)")
                number += 1
                lock.withLock { pairs += 1 }
            } catch Line.End.closed {
                lock.withLock { closings += 1 }
                do {
                    line = try Self.connect(socket) { lock.withLock { failures += 1 } }
                } catch {
                    return lock.withLock { trouble = error }
                }
            } catch {
                return lock.withLock { trouble = error }
            }
        }
    }

    /// Subscribed to something that never happens, so that it is kept.
    private static func connect(_ socket: String, cutShort: () -> Void) throws -> RawLine {
        try Subscribing.line(
            socket, #"{"after":"now","passive":true,"products":["nothing"]}"#, cutShort: cutShort)
    }

    /// The same key again finds what a lost answer was about.
    private func pair(_ line: RawLine, key: String) throws {
        let add = try ask(line, "add", #"{"product":"coins.100","key":"\#(key)"}"#)
        guard let id = add.word(after: #""transaction":""#) else {
            throw Trouble("add: \(String(decoding: add.bytes, as: UTF8.self))")
        }
        let finish = try ask(line, "finish", #"{"transaction":"\#(id)"}"#)
        guard finish.contains(#""disposition":"#) else {
            throw Trouble("finish: \(String(decoding: finish.bytes, as: UTF8.self))")
        }
    }

    private func ask(_ line: RawLine, _ method: String, _ params: String) throws -> RawText {
        let id = try line.send(method, [params])
        var reply = try line.next()
        while reply.isNotification("caughtUp") { reply = try line.next() }
        guard reply.number(after: #""id":"#) == id else {
            throw Trouble("answer \(id) is \(String(decoding: reply.bytes, as: UTF8.self))")
        }
        return reply
    }
}

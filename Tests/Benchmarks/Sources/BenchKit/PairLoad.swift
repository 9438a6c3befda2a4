import Glibc

/// A closed transaction that a benchmark asks for again.
struct KnownPair: Sendable {
    /// The number in its key.
    var number: UInt64
    /// The identifier that the daemon gave it.
    var id: String
}

/// Pairs of `add` and `finish` without an observer: each leaves one closed transaction.
///
/// One honest connection has one pair at a time, and the time of its `add` is measured. Others load the
/// daemon beside it.
final class PairLoad {
    /// The times of the honest `add` calls in nanoseconds.
    private(set) var latencies = Histogram()
    /// The pairs that were completed.
    private(set) var completed = 0
    /// One of this many pairs is kept as a sample.
    private let sampleEvery: UInt64
    private(set) var samples: [KnownPair] = []
    private let template: RequestTemplate
    private let connections: [PairConnection]
    private var number: UInt64

    /// Connects.
    ///
    /// - Parameters:
    ///   - socket: The socket of the daemon.
    ///   - keyBytes: The length of each idempotency key.
    ///   - connections: The connections beside the honest one.
    ///   - window: The pairs in progress on each of them.
    ///   - first: The number of the first pair; a key is used once.
    ///   - sampleEvery: One of this many pairs is kept as a sample.
    /// - Throws: The daemon does not accept a connection.
    init(
        socket: String, keyBytes: Int, connections: Int, window: Int, first: UInt64,
        sampleEvery: UInt64 = 1_000
    ) throws(BenchFailure) {
        template = Self.add(keyBytes: keyBytes)
        self.sampleEvery = sampleEvery
        number = first
        var all = [PairConnection(channel: try LineChannel(socket: socket), window: 1)]
        for _ in 0..<connections {
            all.append(PairConnection(channel: try LineChannel(socket: socket), window: window))
        }
        self.connections = all
    }

    /// An `add` with a key of so many bytes.
    static func add(keyBytes: Int) -> RequestTemplate {
        let padding = String(repeating: "k", count: keyBytes - RequestTemplate.digits)
        return RequestTemplate(
            #"{"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100","key":""#
                + padding + #"#"}}"# + "\n")
    }

    /// The number of the next pair.
    var next: UInt64 { number }

    /// Runs pairs until the condition is no longer met, and completes those in progress.
    ///
    /// - Parameter isGoing: Asked before each turn, with the number of completed pairs.
    /// - Throws: A reply is not the expected one, or the daemon is silent for ten seconds.
    func run(while isGoing: (Int) throws(BenchFailure) -> Bool) throws(BenchFailure) {
        latencies.removeAll()
        completed = 0
        while try isGoing(completed) {
            for connection in connections {
                while connection.hasRoom { add(on: connection) }
            }
            try turn()
        }
        while connections.contains(where: { !$0.isIdle }) { try turn() }
    }

    private func add(on connection: PairConnection) {
        connection.add(template, number)
        number += 1
    }

    private func turn() throws(BenchFailure) {
        let isReadable = try LineChannel.wait(for: connections.map(\.channel))
        for index in connections.indices where isReadable[index] {
            let isHonest = index == 0
            try connections[index].receive { answer in
                switch answer {
                case .added(let number, let id, let nanoseconds):
                    if isHonest { latencies.record(nanoseconds) }
                    if number % sampleEvery == 0 {
                        samples.append(KnownPair(number: number, id: id))
                    }
                case .removed: completed += 1
                }
            }
        }
    }
}

/// One connection of a ``PairLoad``. Replies come in the order of the requests.
private final class PairConnection {
    private enum Request {
        case add(number: UInt64, sentAt: UInt64)
        case finish
    }

    enum Answer {
        case added(number: UInt64, id: String, nanoseconds: UInt64)
        case removed
    }

    let channel: LineChannel
    private let window: Int
    private var pairs = 0
    private var pending: [Request] = []
    private var oldest = 0

    init(channel: LineChannel, window: Int) {
        self.channel = channel
        self.window = window
    }

    var hasRoom: Bool { pairs < window }
    var isIdle: Bool { pairs == 0 }

    func add(_ template: RequestTemplate, _ number: UInt64) {
        channel.append(template, number)
        pending.append(.add(number: number, sentAt: monotonicNanoseconds()))
        pairs += 1
    }

    func receive(_ body: (Answer) -> Void) throws(BenchFailure) {
        let now = monotonicNanoseconds()
        try channel.receive { line throws(BenchFailure) in body(try take(line, now)) }
        if oldest > 64 {
            pending.removeFirst(oldest)
            oldest = 0
        }
    }

    private func take(_ line: UnsafeRawBufferPointer, _ now: UInt64) throws(BenchFailure) -> Answer
    {
        guard oldest < pending.count else {
            throw BenchFailure("the daemon answered more often than it was asked")
        }
        defer { oldest += 1 }
        switch pending[oldest] {
        case .add(let number, let sentAt):
            guard line.contains(#""duplicate":false"#),
                let id = line.text(after: #""transaction":""#)
            else { throw BenchFailure("no add: \(line.text)") }
            let finish =
                #"{"jsonrpc":"2.0","id":1,"method":"finish","params":{"transaction":""#
                + id + #""}}"# + "\n"
            channel.outgoing.append(contentsOf: finish.utf8)
            pending.append(.finish)
            return .added(number: number, id: id, nanoseconds: now - sentAt)
        case .finish:
            guard line.contains(#""disposition":"removed""#) else {
                throw BenchFailure("no finish: \(line.text)")
            }
            pairs -= 1
            return .removed
        }
    }
}

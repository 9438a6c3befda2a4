import Glibc

/// A load of whole units of work with a fixed number of them under way: purchases, or jobs of a peer.
protocol CycleLoad: AnyObject {
    /// The time of each completed unit in nanoseconds.
    var latencies: Histogram { get set }
    /// The units under way.
    var underWay: Int { get }

    /// Starts a unit. It is sent with the next turn.
    func begin()

    /// Sends what is due, waits for the server and takes in what has come.
    func turn() throws(BenchFailure)
}

extension CycleLoad {
    /// Keeps units under way until the time has passed, and completes those under way.
    ///
    /// - Parameters:
    ///   - window: The units under way at any time.
    ///   - seconds: The measured time, after a quarter of that as warm-up.
    ///   - process: The server whose processor time is measured.
    /// - Returns: Rate, latencies and processor time of the measured time.
    /// - Throws: A request was refused, or the server was silent for ten seconds.
    func measure(
        window: Int, seconds: Double, on process: ServerProcess
    ) throws(BenchFailure) -> Measurement {
        try run(window: window, seconds: seconds / 4)
        latencies.removeAll()
        let before = try CostSample(of: process)
        let start = monotonicNanoseconds()
        try run(window: window, seconds: seconds)
        let elapsed = BenchKit.seconds(since: start)
        let after = try CostSample(of: process)
        let measured = latencies
        try drain()
        return Measurement(latencies: measured, seconds: elapsed, from: before, to: after)
    }

    /// Completes a number of units.
    func complete(_ count: Int, window: Int) throws(BenchFailure) {
        var begun = 0
        while begun < count {
            while underWay < window && begun < count {
                begin()
                begun += 1
            }
            try turn()
        }
        try drain()
    }

    func run(window: Int, seconds: Double) throws(BenchFailure) {
        let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
        while monotonicNanoseconds() < end {
            while underWay < window { begin() }
            try turn()
        }
    }

    func drain() throws(BenchFailure) {
        while underWay > 0 { try turn() }
    }
}

/// Whole purchases through the daemon: `add`, the event that it was purchased, `finish`, the event that
/// it was removed. One connection buys, the other one subscribes and finishes.
final class PurchaseLoad: CycleLoad {
    var latencies = Histogram()
    private let buyer: LineChannel
    private let worker: LineChannel
    private var number: UInt64
    /// The moment of each `add` by its number, until the event that it was purchased.
    private var added: [UInt64: UInt64] = [:]
    /// The moment of its `add` for each purchase that is being finished.
    private var finishing: [TransactionKey: UInt64] = [:]
    /// Replies to `add` and `finish` that have not come yet.
    private var dueReplies = 0
    private let addTemplate = RequestTemplate(
        ##"{"jsonrpc":"2.0","id":#,"method":"add","params":{"product":"coins.100","##
            + ##""appAccountToken":"#","key":"benchmark-purchase-number-#"}}"## + "\n")
    private static let finishHead = Array(
        #"{"jsonrpc":"2.0","id":1,"method":"finish","params":{"transaction":""#.utf8)
    private static let finishTail = Array("\"}}\n".utf8)

    /// Connects and subscribes to one product.
    ///
    /// - Parameters:
    ///   - socket: The socket of the daemon.
    ///   - first: The number of the first purchase; a key is used once.
    /// - Throws: The daemon refused the subscription.
    init(
        socket: String, first: UInt64 = RequestTemplate.firstNumber
    ) throws(BenchFailure) {
        number = first
        buyer = try LineChannel(socket: socket)
        worker = try LineChannel(socket: socket)
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"products":["coins.100"]}}"#
        try sendAll(Array((request + "\n").utf8), to: worker.descriptor)
        var isLive = false
        while !isLive {
            try worker.receive { line throws(BenchFailure) in
                if line.contains(#""method":"caughtUp""#) {
                    isLive = true
                } else if !line.contains(#""result":{"subscription":"#) {
                    throw BenchFailure("the daemon did not subscribe: \(line.text)")
                }
            }
        }
    }

    var underWay: Int { added.count + finishing.count }

    /// The number of the next purchase.
    var next: UInt64 { number }

    func begin() {
        buyer.append(addTemplate, number)
        added[number] = monotonicNanoseconds()
        dueReplies += 1
        number += 1
    }

    func turn() throws(BenchFailure) {
        let isReadable = try LineChannel.wait(for: [buyer, worker])
        if isReadable[0] {
            try buyer.receive { line throws(BenchFailure) in
                guard line.contains(#""duplicate":false"#) else {
                    throw BenchFailure("no add: \(line.text)")
                }
                dueReplies -= 1
            }
        }
        if isReadable[1] {
            try worker.receive { line throws(BenchFailure) in
                if line.isEvent { try take(line) } else { try takeReply(line) }
            }
        }
    }

    func drain() throws(BenchFailure) {
        while underWay > 0 || dueReplies > 0 { try turn() }
    }

    private func takeReply(_ line: UnsafeRawBufferPointer) throws(BenchFailure) {
        guard line.contains(#""disposition":"completing""#) else {
            throw BenchFailure("no finish: \(line.text)")
        }
        dueReplies -= 1
    }

    private func take(_ event: UnsafeRawBufferPointer) throws(BenchFailure) {
        guard let kind = event.rest(after: #""kind":""#),
            let id = event.rest(after: #""transactions":[{"id":""#), id.count > 36
        else { throw BenchFailure("an event without a transaction: \(event.text)") }
        let key = TransactionKey(id)
        if kind.starts(with: "transactionsRemoved") {
            guard let start = finishing.removeValue(forKey: key) else {
                throw BenchFailure("a removal without a finish: \(event.text)")
            }
            latencies.record(monotonicNanoseconds() - start)
            return
        }
        guard let state = id.rest(after: #""transactionState":""#),
            kind.starts(with: "transactionsUpdated")
        else { throw BenchFailure("an unexpected event: \(event.text)") }
        if state.starts(with: "purchasing") { return }
        guard state.starts(with: "purchased"),
            let token = id.rest(after: #""appAccountToken":""#)?.leadingNumber,
            let start = added.removeValue(forKey: token)
        else { throw BenchFailure("a purchase that failed, or without an add: \(event.text)") }
        finishing[key] = start
        worker.outgoing.append(contentsOf: Self.finishHead)
        worker.outgoing.append(contentsOf: UnsafeRawBufferPointer(rebasing: id[..<36]))
        worker.outgoing.append(contentsOf: Self.finishTail)
        dueReplies += 1
    }
}

/// Eight of the first and eight of the last bytes of a transaction's identifier: those of two random
/// identifiers differ.
private struct TransactionKey: Hashable {
    private let first: UInt64
    private let last: UInt64

    init(_ id: UnsafeRawBufferPointer) {
        first = id.loadUnaligned(as: UInt64.self)
        last = id.loadUnaligned(fromByteOffset: 28, as: UInt64.self)
    }
}

import Glibc

/// Whole purchases through the daemon: `add`, the order at the embedded store, the event that it
/// was purchased, `finish`, the event that it is gone. One connection buys, another one observes.
///
/// There is nothing to compare this with; the figure stands for itself.
public enum FullCycle {
    /// Runs purchases for a while.
    ///
    /// - Parameters:
    ///   - server: The daemon, started for this on a directory of its own.
    ///   - window: How many purchases are under way at any time.
    ///   - seconds: The measured time, after a quarter of that as warm-up.
    ///   - directory: The file system for its files.
    /// - Returns: Purchases for each second, the time of one from `add` to its removal, and the
    ///   processor time of the daemon for each.
    /// - Throws: If the daemon refuses anything, or is silent for ten seconds.
    public static func measure(
        _ server: Server, window: Int, seconds: Double, in directory: String
    ) throws(BenchFailure) -> Measurement {
        let scratch = try TemporaryDirectory(in: directory)
        let process = try server.start(in: scratch.path)
        defer { process.end() }
        var cycle = try PurchaseLoop(socket: process.socket, window: window)
        _ = try cycle.run(for: seconds / 4)
        cycle.latencies.removeAll()
        let before = try process.processorSeconds()
        let elapsed = try cycle.run(for: seconds)
        let used = try process.processorSeconds() - before
        var result = Measurement(latencies: cycle.latencies, seconds: elapsed)
        result.serverCPU = used * 1e6 / Double(max(1, cycle.latencies.count))
        return result
    }
}

/// The buying and the observing connection, and what is under way on them.
private struct PurchaseLoop {
    private let buyer: LineChannel
    private let observer: LineChannel
    private let window: Int
    private var started: [String: UInt64] = [:]
    private var number = RequestTemplate.firstNumber
    var latencies = Histogram()
    private var outgoing: [UInt8] = []
    private let addTemplate = RequestTemplate(
        ##"{"jsonrpc":"2.0","id":#,"method":"add","params":{"product":"coins.100","##
            + ##""appAccountToken":"#","key":"benchmark-purchase-number-#"}}"## + "\n")

    init(socket: String, window: Int) throws(BenchFailure) {
        self.window = window
        buyer = try LineChannel(socket: socket)
        observer = try LineChannel(socket: socket)
        try Self.subscribe(observer)
    }

    /// Subscribes and waits until live records begin.
    private static func subscribe(_ observer: LineChannel) throws(BenchFailure) {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"subscribe"}"# + "\n"
        try sendAll(Array(request.utf8), to: observer.descriptor)
        var isLive = false
        while !isLive {
            try observer.receive { line throws(BenchFailure) in
                try refuseError(line)
                if line.contains(#""method":"caughtUp""#) { isLive = true }
            }
        }
    }

    mutating func run(for seconds: Double) throws(BenchFailure) -> Double {
        let start = monotonicNanoseconds()
        let end = start + UInt64(seconds * 1e9)
        var now = start
        while now < end {
            let due = window - started.count
            for _ in 0..<due { add() }
            try turn()
            now = monotonicNanoseconds()
        }
        return Double(now - start) / 1e9
    }

    /// Sends what is due and takes in what is there.
    private mutating func turn() throws(BenchFailure) {
        if !outgoing.isEmpty {
            try sendAll(outgoing, to: buyer.descriptor)
            outgoing.removeAll(keepingCapacity: true)
        }
        var descriptors = [buyer, observer].map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        let ready = poll(&descriptors, 2, 10_000)
        guard ready > 0 else { throw BenchFailure("the daemon was silent for ten seconds") }
        if descriptors[0].revents != 0 {
            try buyer.receive { line throws(BenchFailure) in try Self.refuseError(line) }
        }
        if descriptors[1].revents != 0 {
            var changes: [Change] = []
            try observer.receive { line throws(BenchFailure) in
                if let change = try Self.change(in: line) { changes.append(change) }
            }
            for change in changes { try take(change) }
        }
    }

    /// What an event says, as far as a purchase under way is concerned.
    private enum Change {
        /// The transaction was paid for; the token is the one of its `add`.
        case purchased(transaction: String, token: String)
        /// The transaction left the queue.
        case removed(transaction: String)
    }

    private static func change(in line: UnsafeRawBufferPointer) throws(BenchFailure) -> Change? {
        if line.contains(#""kind":"transactionsRemoved""#) {
            guard let transaction = line.text(after: #""transactions":[{"id":""#) else {
                throw BenchFailure("a removal without a transaction")
            }
            return .removed(transaction: transaction)
        }
        if line.contains(#""transactionState":"failed""#) {
            throw BenchFailure("a purchase failed: \(String(decoding: line, as: UTF8.self))")
        }
        guard line.contains(#""transactionState":"purchased""#) else { return nil }
        guard let transaction = line.text(after: #""transactions":[{"id":""#),
            let token = line.text(after: #""appAccountToken":""#)
        else { throw BenchFailure("a purchase without id or token") }
        return .purchased(transaction: transaction, token: token)
    }

    private mutating func take(_ change: Change) throws(BenchFailure) {
        switch change {
        case .purchased(let transaction, let token):
            // The token of an `add` gives way to the id, by which the removal will name it.
            guard let start = started.removeValue(forKey: token) else {
                throw BenchFailure("a purchase that nobody asked for: \(token)")
            }
            started[transaction] = start
            let finish =
                #"{"jsonrpc":"2.0","id":1,"method":"finish","params":{"transaction":""#
                + transaction + #""}}"# + "\n"
            outgoing.append(contentsOf: finish.utf8)
        case .removed(let transaction):
            guard let start = started.removeValue(forKey: transaction) else {
                throw BenchFailure("a removal that nobody asked for: \(transaction)")
            }
            latencies.record(monotonicNanoseconds() - start)
        }
    }

    private mutating func add() {
        var request = addTemplate.bytes
        request.withUnsafeMutableBytes { addTemplate.stamp(number, into: $0) }
        outgoing.append(contentsOf: request)
        started["\(number)"] = monotonicNanoseconds()
        number += 1
    }

    private static func refuseError(_ line: UnsafeRawBufferPointer) throws(BenchFailure) {
        guard !line.contains(#""error":"#) || line.contains(#""method":"event""#) else {
            throw BenchFailure("the daemon refused: \(String(decoding: line, as: UTF8.self))")
        }
    }
}

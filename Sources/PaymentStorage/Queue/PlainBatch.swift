internal import Dispatch
internal import PaymentCore
internal import Synchronization

/// Waiting transactions that follow each other in one piece of a file.
struct PlainBatch: Sendable {
    /// The lines that they come from.
    enum Source: Sendable {
        case snapshot
        case journal
    }

    var source: Source
    /// The piece, which has the texts.
    var bytes: [UInt8]
    var transactions: [PlainTransaction] = []

    /// Passes all of them on; false if one may have to be refused.
    func apply(to replay: any LogReplay) -> Bool {
        switch source {
        case .snapshot: replay.load(transactions, in: bytes.span.bytes)
        case .journal: replay.replay(added: transactions, in: bytes.span.bytes)
        }
    }

    /// Whether a transaction of these lines and this piece belongs here.
    func continues(_ source: Source, _ bytes: [UInt8]) -> Bool {
        // This value keeps its piece, so no other piece has the address.
        self.source == source
            && self.bytes.withUnsafeBytes { $0.baseAddress }
                == bytes.withUnsafeBytes { $0.baseAddress }
    }
}

/// Applies batches in order on a thread of its own, while the caller reads on.
///
/// The receiver belongs to that thread from ``handOver(_:)`` until ``drain()`` returns, and to the caller
/// at all other times.
final class BatchThread: Sendable {
    /// The receiver on its way between the two threads.
    private struct Receiver: @unchecked Sendable {
        // Proof: one thread uses it at a time, and the semaphores order them.
        let replay: any LogReplay
    }

    private struct State {
        var waiting: [PlainBatch] = []
        var hasEnded = false
        var hasFailed = false
    }

    /// More batches than this do not wait, so that the pieces of the file take little memory.
    private static let limit = 4
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: limit)
    private let filled = DispatchSemaphore(value: 0)

    /// Starts the thread; nil if there is none to be had.
    init?(_ replay: any LogReplay) {
        let receiver = Receiver(replay: replay)
        guard startThread({ [self] in run(receiver) }) else { return nil }
    }

    /// Lets a batch be applied, and waits if too many wait for that.
    func handOver(_ batch: PlainBatch) {
        room.wait()
        state.withLock { $0.waiting.append(batch) }
        filled.signal()
    }

    /// Waits until all batches are applied.
    ///
    /// - Returns: False if one of them may have to be refused; later ones were not applied.
    func drain() -> Bool {
        for _ in 0..<Self.limit { room.wait() }
        for _ in 0..<Self.limit { room.signal() }
        return state.withLock { !$0.hasFailed }
    }

    /// Ends the thread after the batches that wait.
    func end() {
        state.withLock { $0.hasEnded = true }
        filled.signal()
    }

    private func run(_ receiver: Receiver) {
        while true {
            filled.wait()
            let next = state.withLock { state in
                state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            guard let next else { return }
            let isUseful = state.withLock { !$0.hasFailed }
            if isUseful, !next.apply(to: receiver.replay) {
                state.withLock { $0.hasFailed = true }
            }
            room.signal()
        }
    }
}

/// Collects the waiting transactions of a file and passes them on in batches.
struct PlainBatches {
    private let replay: any LogReplay
    private let thread: BatchThread?
    private var batch: PlainBatch?
    /// Whether the thread may have batches that are not applied yet.
    private var isBusy = false

    /// Fewer transactions are applied at once: handing them over would take longer.
    private static let leastHandedOver = 64

    init(_ replay: any LogReplay) {
        self.replay = replay
        thread = BatchThread(replay)
    }

    /// Adds a transaction.
    ///
    /// - Throws: A transaction before it may have to be refused.
    mutating func add(
        _ plain: PlainTransaction, _ source: PlainBatch.Source, _ bytes: [UInt8]
    ) throws(PayloadFault) {
        if batch?.continues(source, bytes) != true {
            try pass()
            batch = PlainBatch(source: source, bytes: bytes)
        }
        batch?.transactions.append(plain)
    }

    /// Applies everything, so that the receiver can take something else.
    ///
    /// - Throws: A transaction may have to be refused.
    mutating func flush() throws(PayloadFault) {
        try pass()
        try drain()
    }

    /// Flushes and ends the thread.
    mutating func end() throws(PayloadFault) {
        defer {
            // Not before it has let go of the receiver.
            _ = thread?.drain()
            thread?.end()
        }
        try flush()
    }

    private mutating func pass() throws(PayloadFault) {
        guard let batch else { return }
        self.batch = nil
        if let thread, batch.transactions.count >= Self.leastHandedOver {
            thread.handOver(batch)
            isBusy = true
            return
        }
        try drain()
        guard batch.apply(to: replay) else { throw Self.doubt }
    }

    private mutating func drain() throws(PayloadFault) {
        guard isBusy, let thread else { return }
        isBusy = false
        guard thread.drain() else { throw Self.doubt }
    }

    private static var doubt: PayloadFault { PayloadFault("a transaction may contradict others") }
}

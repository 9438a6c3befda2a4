internal import Dispatch
internal import PaymentCore
internal import Synchronization

/// A batch from one piece of a file, and the kind of its lines.
struct SourcedBatch: Sendable {
    /// The lines that it comes from.
    enum Source: Sendable {
        case snapshot
        case journal
    }

    var source: Source
    var batch: PlainBatch

    /// An empty batch. No line belongs to it, because it has no bytes.
    static var none: SourcedBatch {
        SourcedBatch(source: .snapshot, batch: PlainBatch(bytes: []))
    }

    /// Passes the batch on; false if a transaction may have to be refused.
    func apply(to replay: any LogReplay) -> Bool {
        switch source {
        case .snapshot: replay.load(batch)
        case .journal: replay.replay(added: batch)
        }
    }

    /// Whether a transaction from this source and piece belongs to this batch.
    func continues(_ source: Source, _ bytes: [UInt8]) -> Bool {
        // The batch keeps its piece alive, so no other piece has the same address.
        self.source == source
            && batch.bytes.withUnsafeBytes { $0.baseAddress }
                == bytes.withUnsafeBytes { $0.baseAddress }
    }
}

/// Applies batches in order on a thread of its own, while the caller reads on.
///
/// The receiver belongs to that thread from ``handOver(_:)`` until ``drain()`` returns, and to the caller
/// at all other times.
final class BatchThread: Sendable {
    // The receiver on its way between the two threads.
    // Proof: one thread uses it at a time, and the semaphores order what the threads do.
    private struct Receiver: @unchecked Sendable {
        let replay: any LogReplay
    }

    private struct State {
        var waiting: [SourcedBatch] = []
        var hasEnded = false
        var hasFailed = false
    }

    /// The maximum number of waiting batches, so that the pieces of the file take little memory.
    private static let limit = 4
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: limit)
    private let filled = DispatchSemaphore(value: 0)

    /// Starts the thread; nil if the system refuses one.
    init?(_ replay: any LogReplay) {
        let receiver = Receiver(replay: replay)
        guard startThread({ [self] in run(receiver) }) else { return nil }
    }

    /// Passes a batch to the thread. Blocks while too many batches wait.
    func handOver(_ batch: SourcedBatch) {
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

    /// Ends the thread after the waiting batches.
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

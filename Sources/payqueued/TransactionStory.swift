import Dispatch
import Logging
import PaymentCore
import Synchronization

/// Writes a line to the system journal for each change of a transaction, so that `journalctl
/// PAYQUEUED_TRANSACTION=…` shows the history of a purchase. Lines contain neither products nor
/// tokens.
///
/// Lines are written on a separate queue of limited length. A slow or missing journal therefore
/// causes missing lines, and never a late request.
final class TransactionStory: Sendable {
    /// The maximum number of records in the queue.
    private static let patience = 4096

    private let log: Logger
    private let queue = DispatchQueue(label: "story")
    private let waiting = Atomic<Int>(0)
    private let missed = Atomic<Int>(0)

    init(log: Logger) {
        self.log = log
    }

    /// Queues durable records for output. Never blocks.
    func tell(_ records: [Record]) {
        guard log.logLevel <= .info else { return }
        let told = records.filter { if case .transaction = $0.event { true } else { false } }
        guard !told.isEmpty else { return }
        guard waiting.load(ordering: .relaxed) < Self.patience else {
            missed.wrappingAdd(told.count, ordering: .relaxed)
            return
        }
        waiting.wrappingAdd(told.count, ordering: .relaxed)
        queue.async { [self] in
            for record in told { write(record) }
            waiting.wrappingSubtract(told.count, ordering: .relaxed)
            let missed = missed.exchange(0, ordering: .relaxed)
            guard missed > 0 else { return }
            log.warning(
                "the system journal cannot keep up; log lines about transactions were dropped",
                metadata: ["lines": .stringConvertible(missed)])
        }
    }

    private func write(_ record: Record) {
        guard case .transaction(let change, let transaction) = record.event else { return }
        var metadata: Logger.Metadata = [
            "transaction": "\(transaction.id)", "seq": .stringConvertible(record.sequence),
            "change": "\(Self.word(for: change))",
        ]
        if let origin = record.origin {
            metadata["clientUid"] = .stringConvertible(origin.uid)
            metadata["connection"] = .stringConvertible(origin.connection)
            metadata["request"] = .stringConvertible(origin.request)
        }
        log.info("transaction", metadata: metadata)
    }

    private static func word(for change: TransactionChange) -> String {
        switch change {
        case .added: "added"
        case .gated: "gated"
        case .submitted: "submitted"
        case .refreshed: "refreshed"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .appeared: "appeared"
        case .failed: "failed"
        case .restored: "restored"
        case .redelivered: "redelivered"
        case .revoked: "revoked"
        case .completing: "completing"
        case .removed(.finished): "finished"
        case .removed(.withdrawn): "withdrawn"
        case .removed(.discardedByGate): "discardedByGate"
        case .removed(.rejectedAfterLogin): "rejectedAfterLogin"
        case .removed(.deleted): "deleted"
        }
    }
}

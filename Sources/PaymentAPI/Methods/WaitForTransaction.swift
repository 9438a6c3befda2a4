public import PaymentCore
import StrictJSON

/// `wait`: answer when a transaction is where the caller wants it, or a restore has ended.
public enum WaitForTransaction: Method {
    /// The states that can be waited for.
    public enum Goal: String, Sendable, Hashable, CaseIterable {
        /// Not yet decided.
        case purchasing
        /// Paid.
        case purchased
        /// Given back by a restore.
        case restored
        /// Ended without a purchase.
        case failed
        /// Left the queue.
        case removed

        /// Reached by a transaction in this state.
        public init(_ phase: TransactionState.Phase) {
            switch phase {
            case .purchasing: self = .purchasing
            case .purchased: self = .purchased
            case .restored: self = .restored
            case .failed: self = .failed
            }
        }
    }

    /// The transaction or restore that is waited for.
    public enum Subject: Sendable, Hashable {
        /// A transaction as the client names it.
        case transaction(TransactionReference)
        /// A restore; nil for text that never named one.
        case restore(RestoreID?, text: OpaqueText)
    }

    /// The states to wait for.
    public struct Params: ParameterRecord {
        /// The transaction as the client names it; nil to wait for a restore.
        public var transaction: TransactionReference?
        /// The restore as the client names it; nil to wait for a transaction.
        public var restore: OpaqueText?
        /// The goals that the client names; nil for any end that a transaction can come to.
        public var goals: Set<Goal>?
        /// How long to wait at most.
        public var timeout = Duration.seconds(longestSeconds)

        /// The transaction, or the restore.
        public var subject: Subject {
            if let restore { return .restore(RestoreID(restore.string), text: restore) }
            return .transaction(transaction ?? .foreign(""))
        }

        /// Any of these ends the wait for a transaction.
        public var until: Set<Goal> { goals ?? [.purchased, .restored, .failed, .removed] }

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "transaction", \.transaction, .transaction, "The transaction.",
                example: .string(Examples.transactionID.description)),
            .optional("restore", \.restore, .text(), "The restore, instead of a transaction."),
            .optional(
                "until", \.goals, .set(of: .word, count: 1...5),
                "The states to wait for; default: any state but purchasing, or the removal. "
                    + "For transactions only.", example: ["purchased"]),
            .defaulted(
                "timeout", \.timeout, .seconds(0...longestSeconds),
                "The longest time to wait, in seconds; default \(longestSeconds).", example: 5),
        ]

        /// Names nothing to wait for.
        public init() {}

        /// Refuses a call that names nothing, or more than can be waited for together.
        public func validate() throws(InvalidParameters) {
            guard restore != nil else {
                guard transaction == nil else { return }
                throw InvalidParameters(
                    .missingParam, at: "/transaction", expected: "transaction or restore")
            }
            guard transaction == nil else {
                throw InvalidParameters(
                    .unknownParam, at: "/restore", expected: "transaction or restore, not both")
            }
            guard goals == nil else {
                throw InvalidParameters(
                    .unknownParam, at: "/until", expected: "until is not used with restore")
            }
        }
    }

    /// The transaction, or the restore, when the wait ended.
    public struct Result: WireResult {
        /// The transaction or restore that was waited for, as it is now.
        public enum Record: Sendable, Hashable {
            /// The transaction as it is now, or was when it left the queue.
            case transaction(Transactions.Result.Entry)
            /// The restore.
            case restore(RestoreRecord)
        }

        /// The transaction or restore that was waited for.
        public var record: Record
        /// Whether it is where the caller wanted it; false if the time ran out first.
        public var isReached: Bool
        /// The position as of which the answer is true.
        public var sequence: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .optional(
                "transaction",
                { if case .transaction(let entry) = $0.record { entry } else { nil } },
                Transactions.Result.Entry.form, "The current state of it."),
            .optional(
                "restore", { if case .restore(let restore) = $0.record { restore } else { nil } },
                RestoreRecord.form, "The current state of it."),
            .required(
                "reached", \.isReached, .flag, "Whether it was reached before the time ran out."),
            .required(
                "seq", \.sequence, .sequence,
                "The position in the log that this result reflects."),
        ])

        /// Shows a record.
        public init(record: Record, isReached: Bool, sequence: SequenceNumber) {
            self.record = record
            self.isReached = isReached
            self.sequence = sequence
        }

        /// Shows a transaction.
        public init(
            entry: Transactions.Result.Entry, isReached: Bool, sequence: SequenceNumber
        ) {
            self.init(record: .transaction(entry), isReached: isReached, sequence: sequence)
        }
    }

    /// The longest wait, in seconds.
    static let longestSeconds: Int64 = 60

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "wait",
        summary: "Wait until a transaction is settled, or a restore has ended",
        description: """
            For scripts: replies as soon as the transaction is in one of the wanted states, or the \
            restore has ended; immediately if it already is. If the time runs out, the reply is \
            normal, with reached false. Later requests on the same connection are answered \
            meanwhile.
            """,
        errors: [.unknownTransaction, .tooManyInFlight, .cancelled],
        role: .observe, queueCheck: .nothing,
        waits: true,
        example: Result(
            entry: .init(transaction: Examples.purchased, waitingFor: nil), isReached: true,
            sequence: 6))
}

extension WaitForTransaction.Goal: WireWord {}

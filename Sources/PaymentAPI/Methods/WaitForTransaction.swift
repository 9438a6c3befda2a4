public import PaymentCore
import StrictJSON

/// `wait`: wait for a state of a transaction or for the end of a restore.
public enum WaitForTransaction: Method {
    /// The states to wait for.
    public enum Goal: String, Sendable, Hashable, CaseIterable {
        /// The purchase is in progress.
        case purchasing
        /// The purchase is paid.
        case purchased
        /// The transaction comes from a restore.
        case restored
        /// The purchase ended unpaid.
        case failed
        /// The transaction has left the queue.
        case removed

        /// The goal that a phase reaches.
        public init(_ phase: TransactionState.Phase) {
            switch phase {
            case .purchasing: self = .purchasing
            case .purchased: self = .purchased
            case .restored: self = .restored
            case .failed: self = .failed
            }
        }
    }

    /// The transaction or restore to wait for.
    public enum Subject: Sendable, Hashable {
        /// The reference to a transaction.
        case transaction(TransactionReference)
        /// The identifier of a restore; nil if the text is not one.
        case restore(RestoreID?, text: OpaqueText)
    }

    /// The subject and the goals.
    public struct Params: ParameterRecord {
        /// The reference to the transaction; nil to wait for a restore.
        public var transaction: TransactionReference?
        /// The identifier of the restore as sent; nil to wait for a transaction.
        public var restore: OpaqueText?
        /// The goals from the client; nil for any end of a purchase.
        public var goals: Set<Goal>?
        /// The longest time to wait.
        public var timeout = Duration.seconds(longestSeconds)

        /// The transaction or restore to wait for.
        public var subject: Subject {
            if let restore { return .restore(RestoreID(restore.string), text: restore) }
            return .transaction(transaction ?? .foreign(""))
        }

        /// The goals, of which any ends the wait for a transaction.
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

        /// Creates parameters without a subject.
        public init() {}

        /// Refuses a call without a subject, with two subjects, or with goals for a restore.
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
                    .unknownParam, at: "/until", expected: "restore without until")
            }
        }
    }

    /// The state at the end of the wait.
    public struct Result: WireResult {
        /// The transaction or restore, in its current state.
        public enum Record: Sendable, Hashable {
            /// The transaction; after it left the queue, its last snapshot.
            case transaction(Transactions.Result.Entry)
            /// The restore.
            case restore(RestoreRecord)
        }

        /// The transaction or restore.
        public var record: Record
        /// True if a goal was reached, false if the time ran out.
        public var isReached: Bool
        /// The position in the log that the result reflects.
        public var sequence: SequenceNumber

        /// The members of the result.
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

        /// Creates a result.
        public init(record: Record, isReached: Bool, sequence: SequenceNumber) {
            self.record = record
            self.isReached = isReached
            self.sequence = sequence
        }

        /// Creates a result for a transaction.
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
        errors: [
            .unknownTransaction, .tooManyInFlight, .shareExceeded, .cancelled, .notDurable,
            .indexRebuilding,
        ],
        role: .observe,
        waits: true,
        example: Result(
            entry: .init(transaction: Examples.purchased, waitingFor: nil), isReached: true,
            sequence: 6))
}

extension WaitForTransaction.Goal: WireWord {}

public import PaymentCore
import StrictJSON

/// `decide`: approve or decline a transaction that waits for approval.
public enum Decide: Method {
    /// The decision.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The transaction is paid.
        case approve
        /// The transaction fails.
        case decline
    }

    /// A transaction and the decision.
    public struct Params: ParameterRecord {
        /// The reference to the transaction.
        public var transaction = TransactionReference.foreign("")
        /// The decision.
        public var outcome = Outcome.decline

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "transaction", \.transaction, .transaction, "The transaction.",
                example: .string(Examples.transactionID.description)),
            .required("outcome", \.outcome, .word, "The decision.", example: "approve"),
        ]

        /// Creates parameters with an unknown transaction.
        public init() {}
    }

    /// The transaction after the decision.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// The state of the transaction.
        public var state: TransactionState.Phase
        /// The position in the log that the result reflects.
        public var sequence: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("transaction", \.transaction, .identifier, "The transaction."),
            .required("state", \.state, .word, "The state."),
            .required(
                "seq", \.sequence, .sequence,
                "The position in the log that this result reflects."),
        ])

        /// Creates a result.
        public init(
            transaction: TransactionID, state: TransactionState.Phase, sequence: SequenceNumber
        ) {
            self.transaction = transaction
            self.state = state
            self.sequence = sequence
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "decide",
        summary: "Approve or decline a transaction that waits for approval",
        description: """
            Acts for the person who must approve a transaction (waitingFor approval). The reply \
            comes when the store has reported the outcome to the queue. Only for the sandbox.
            """,
        errors: [
            .unknownTransaction, .notDecidable, .notSupportedByStore, .storeUnavailable,
            .connectionError, .notDurable, .indexRebuilding,
        ],
        role: .admin,
        example: Result(transaction: Examples.transactionID, state: .purchased, sequence: 6))
}

extension Decide.Outcome: WireWord {}

public import PaymentCore
import StrictJSON

/// `decide`: approve or decline what waits for an approval.
public enum Decide: Method {
    /// The decision about it.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It is paid.
        case approve
        /// It fails.
        case decline
    }

    /// A transaction and the decision.
    public struct Params: ParameterRecord {
        /// The transaction as the client names it.
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

        /// Names no transaction.
        public init() {}
    }

    /// The transaction afterwards.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// Where it stands.
        public var state: TransactionState.Phase
        /// The position as of which that is true.
        public var sequence: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("transaction", \.transaction, .identifier, "The transaction."),
            .required("state", \.state, .word, "The state."),
            .required(
                "seq", \.sequence, .sequence,
                "The position in the log that this result reflects."),
        ])

        /// Shows a transaction.
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
            .connectionError, .notDurable,
        ],
        role: .admin, queueCheck: .nothing,
        example: Result(transaction: Examples.transactionID, state: .purchased, sequence: 6))
}

extension Decide.Outcome: WireWord {}

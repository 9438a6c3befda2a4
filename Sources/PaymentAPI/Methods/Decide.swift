public import PaymentCore
public import StrictJSON

/// `decide`: approve or decline what waits for an approval.
public enum Decide: Method {
    /// The decision about it.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It is paid.
        case approve
        /// It fails.
        case decline
    }

    /// Which transaction, and what becomes of it.
    public struct Params: Sendable, Hashable {
        /// The transaction as the client names it.
        public var transaction: TransactionReference
        /// The decision about it.
        public var outcome: Outcome

        /// Makes the parameters.
        public init(transaction: TransactionReference, outcome: Outcome) {
            self.transaction = transaction
            self.outcome = outcome
        }
    }

    /// The transaction afterwards.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// Where it stands.
        public var state: TransactionState.Phase
        /// The position as of which that is true.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(
            transaction: TransactionID, state: TransactionState.Phase, sequence: SequenceNumber
        ) {
            self.transaction = transaction
            self.state = state
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("transaction")
            writer.identifier(transaction)
            writer.name("state")
            writer.string(state.wireWord)
            writer.name("seq")
            writer.integer(sequence)
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "decide",
        summary: "Approve or decline a transaction that waits for approval",
        description: """
            Acts for the person who must approve a transaction (waitingFor approval). The reply \
            comes when the store has reported the outcome to the queue. Only for the sandbox.
            """,
        parameters: [
            .required("transaction", .text(maximumBytes: nil), "The transaction."),
            .required(
                "outcome", .word(Outcome.allCases.map(\.rawValue)), "The decision."),
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.identifier, "The transaction."),
            Schema.required(
                "state", Schema.words(TransactionState.Phase.allCases.map(\.wireWord)),
                "The state."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The position in the log that this result reflects.
                """),
        ]),
        errors: [
            .unknownTransaction, .notDecidable, .notSupportedByStore, .storeUnavailable,
            .connectionError, .notDurable,
        ],
        role: .admin,
        example: .init(
            params: [
                "transaction": .string(Examples.transactionID.description), "outcome": "approve",
            ],
            result: Result(transaction: Examples.transactionID, state: .purchased, sequence: 6)))

    private enum Place: Int, ParameterPlace {
        case transaction, outcome
    }

    /// Takes which transaction.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let outcome: Outcome = arguments.word(Place.outcome, in: bytes) else {
            preconditionFailure("a required outcome was checked but cannot be read")
        }
        return Params(
            transaction: arguments.transaction(Place.transaction, in: bytes), outcome: outcome)
    }
}

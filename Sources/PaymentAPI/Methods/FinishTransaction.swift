public import PaymentCore
public import StrictJSON

/// `finish`: say that the goods are delivered.
public enum FinishTransaction: Method {
    /// A transaction.
    public struct Params: ParameterRecord {
        /// The transaction as the client names it.
        public var transaction = TransactionReference.foreign("")

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "transaction", \.transaction, .transaction, "The transaction.",
                example: .string(Examples.transactionID.description))
        ]

        /// Names no transaction.
        public init() {}
    }

    /// The result of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// The effect of the call.
        public var disposition: FinishDisposition
        /// The record that the call made, or the position as of which the answer is true.
        public var sequence: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("transaction", \.transaction, .identifier, "The transaction."),
            .required("disposition", \.disposition, .word, "The effect of the call."),
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record that the call made; the newest record if it made \
                none.
                """),
        ])

        /// Shows a transaction.
        public init(
            transaction: TransactionID, disposition: FinishDisposition, sequence: SequenceNumber
        ) {
            self.transaction = transaction
            self.disposition = disposition
            self.sequence = sequence
        }

        /// Appends the result, as ``form`` does, but faster.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transaction\":")
            writer.identifier(transaction)
            writer.raw(",\"disposition\":")
            writer.string(disposition.rawValue)
            writer.raw(",\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "finish",
        summary: "Finish a delivered transaction",
        description: """
            Call it after the purchase is delivered, not before: until then every new subscription \
            gets the transaction again. The call can be repeated safely. A purchase is first \
            completed at the store (completing), then leaves the queue with transactionsRemoved. A \
            transaction that was never sent to the store is withdrawn (removed). A transaction \
            that is in flight stays (ignoredInFlight).
            """,
        errors: [.unknownTransaction, .notDurable],
        role: .buy, queueCheck: .transaction,
        example: Result(transaction: Examples.transactionID, disposition: .completing, sequence: 7))

    /// Takes the transaction, as the list of parameters does, but faster.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        var params = Params()
        if let token = arguments.token(at: 0) {
            params.transaction = TransactionReference(token, arguments.tape, in: bytes)
        }
        return params
    }
}

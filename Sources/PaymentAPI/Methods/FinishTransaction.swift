public import PaymentCore
public import StrictJSON

/// `finish`: report the delivery of a transaction.
public enum FinishTransaction: Method {
    /// The transaction to finish.
    public struct Params: ParameterRecord {
        /// The reference to the transaction.
        public var transaction = TransactionReference.foreign("")

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "transaction", \.transaction, .transaction, "The transaction.",
                example: .string(Examples.transactionID.description))
        ]

        /// Creates parameters with an unknown transaction.
        public init() {}
    }

    /// The effect of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// The effect of the call.
        public var disposition: FinishDisposition
        /// The sequence number of the call's record; the newest record if the call made none.
        public var sequence: SequenceNumber

        /// The members of the result.
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

        /// Creates a result.
        public init(
            transaction: TransactionID, disposition: FinishDisposition, sequence: SequenceNumber
        ) {
            self.transaction = transaction
            self.disposition = disposition
            self.sequence = sequence
        }

        /// Appends the same bytes as ``form``, but faster.
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
        errors: [.unknownTransaction, .notDurable, .indexRebuilding],
        role: .buy,
        example: Result(transaction: Examples.transactionID, disposition: .completing, sequence: 7))

    /// Decodes the same parameters as their list, but faster.
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

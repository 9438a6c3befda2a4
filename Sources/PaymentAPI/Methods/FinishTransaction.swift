public import PaymentCore
public import StrictJSON

/// `finish`: say that the goods are delivered.
public enum FinishTransaction: Method {
    /// Which transaction.
    public struct Params: Sendable, Hashable {
        /// The transaction as the client names it.
        public var transaction: TransactionReference

        /// Makes the parameters.
        public init(transaction: TransactionReference) {
            self.transaction = transaction
        }
    }

    /// The result of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// The effect of the call.
        public var disposition: FinishDisposition
        /// The record that the call made, or the position as of which the answer is true.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(
            transaction: TransactionID, disposition: FinishDisposition, sequence: SequenceNumber
        ) {
            self.transaction = transaction
            self.disposition = disposition
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transaction\":")
            writer.identifier(transaction)
            writer.raw(",\"disposition\":")
            writer.string(disposition.wireWord)
            writer.raw(",\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "finish",
        summary: "Finish a delivered transaction",
        description: """
            Call it after the purchase is delivered, not before: until then every new subscription \
            gets the transaction again. The call can be repeated safely. A purchase is first \
            completed at the store (completing), then leaves the queue with transactionsRemoved. A \
            transaction that was never sent to the store is withdrawn (removed). A transaction \
            that is in flight stays (ignoredInFlight).
            """,
        parameters: [
            .required("transaction", .text(maximumBytes: nil), "The transaction.")
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.identifier, "The transaction."),
            Schema.required(
                "disposition", Schema.words(FinishDisposition.allCases.map(\.wireWord)),
                "The effect of the call."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record that the call made; the newest record if it made \
                none.
                """),
        ]),
        errors: [.unknownTransaction, .notDurable],
        role: .buy,
        example: .init(
            params: ["transaction": .string(Examples.transactionID.description)],
            result: Result(
                transaction: Examples.transactionID, disposition: .completing, sequence: 7)))

    private enum Place: Int, ParameterPlace {
        case transaction
    }

    /// Takes the transaction.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(transaction: arguments.transaction(Place.transaction, in: bytes))
    }
}

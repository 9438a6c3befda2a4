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

    /// What became of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction.
        public var transaction: TransactionID
        /// What the call came to.
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

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "finish",
        summary: "Take a delivered transaction out of the queue",
        description: """
            Call it after the goods are delivered, not before: until then every new subscription \
            gets the transaction again. Repeat it freely. A purchase is completed with the store \
            first (completing) and leaves the queue with transactionsRemoved. What was never sent \
            is withdrawn (removed). What is under way stays (ignoredInFlight).
            """,
        parameters: [
            .required("transaction", .text(maximumBytes: nil), "The transaction.")
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.identifier, "The transaction."),
            Schema.required(
                "disposition", Schema.words(FinishDisposition.allCases.map(\.wireWord)),
                "What the call came to."),
            Schema.required(
                "seq", Schema.sequence, "The record that the call made, or the newest."),
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

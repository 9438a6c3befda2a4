public import PaymentCore
public import StrictJSON

/// `add`: buy a product.
public enum AddPayment: Method {
    /// What to buy.
    public typealias Params = AddRequest

    /// What became of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction, the first one if the key was used before.
        public var transaction: TransactionID
        /// Where it stands.
        public var state: TransactionState.Phase
        /// What it waits for; only while purchasing.
        public var waitingFor: WaitingFor?
        /// The sequence number of the record of acceptance; of a duplicate, the position as of
        /// which the answer is true.
        public var sequence: SequenceNumber
        /// Whether the key named this transaction already.
        public var isDuplicate: Bool
        /// How the transaction left the queue, if a duplicate names one that did.
        public var removed: Finish?

        /// Makes a result.
        public init(
            transaction: TransactionID, state: TransactionState.Phase, waitingFor: WaitingFor?,
            sequence: SequenceNumber, isDuplicate: Bool, removed: Finish? = nil
        ) {
            self.transaction = transaction
            self.state = state
            self.waitingFor = waitingFor
            self.sequence = sequence
            self.isDuplicate = isDuplicate
            self.removed = removed
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transaction\":")
            writer.identifier(transaction)
            writer.raw(",\"state\":")
            writer.string(state.wireWord)
            if let waitingFor {
                writer.raw(",\"waitingFor\":")
                writer.string(waitingFor.wireWord)
            }
            writer.raw(",\"seq\":")
            writer.integer(sequence)
            writer.raw(isDuplicate ? ",\"duplicate\":true" : ",\"duplicate\":false")
            if let removed {
                writer.raw(",\"removed\":{\"reason\":")
                writer.string(removed.reason.wireWord)
                writer.raw(",\"at\":")
                writer.time(removed.time)
                writer.raw("}")
            }
            writer.raw("}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "add",
        summary: "Buy a product",
        description: """
            Accepts a payment: when the reply comes, the transaction is on stable storage. What \
            becomes of it comes as events. It is sent to the store once an account is in session \
            and somebody is subscribed; until then waitingFor says what is missing. Send a fresh \
            key with every intent to buy: repeating the call with the same key and the same \
            parameters answers with the first transaction and never charges twice. While nobody \
            is logged in and somebody is subscribed as a login agent, the answer waits for the \
            login.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The identifier of the product."),
            .optional(
                "appAccountToken", .text(maximumBytes: Limits().appAccountTokenBytes),
                "Ties the purchase to the application's own account; carried and echoed."),
            .optional(
                "key", .text(maximumBytes: Limits().keyBytes),
                "The idempotency key; kept for at least 90 days, compared by bytes."),
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.identifier, "The transaction."),
            Schema.required(
                "state", Schema.words(TransactionState.Phase.allCases.map(\.wireWord)),
                "Where it stands."),
            Schema.optional(
                "waitingFor", Schema.words(WaitingFor.allCases.map(\.wireWord)),
                "What it waits for."),
            Schema.required("seq", Schema.sequence, "The record of acceptance."),
            Schema.required("duplicate", Schema.flag, "Whether the key was used before."),
            Schema.optional(
                "removed",
                Schema.object([
                    Schema.required(
                        "reason", Schema.words(RemovalReason.allCases.map(\.wireWord)), "Why."),
                    Schema.required("at", Schema.time, "When."),
                ]), "How a transaction left the queue that a duplicate names."),
        ]),
        errors: [
            .unknownProduct, .keyReuse, .paymentsNotAllowed, .loginDiscarded, .queueFull,
            .rejectedAfterLogin, .alreadyLive, .connectionError, .storeUnavailable, .draining,
            .tooManyInFlight,
            .cancelled, .notDurable,
        ],
        role: .buy,
        waits: true,
        example: .init(
            params: ["product": "coins.100", "key": "order-7781"],
            result: Result(
                transaction: Examples.transactionID, state: .purchasing, waitingFor: .store,
                sequence: 4, isDuplicate: false)))

    private enum Place: Int, ParameterPlace {
        case product, appAccountToken, key
    }

    /// Takes what to buy.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> AddRequest {
        AddRequest(
            productIdentifier: arguments.requiredText(Place.product, in: bytes),
            appAccountToken: arguments.text(Place.appAccountToken, in: bytes),
            key: arguments.text(Place.key, in: bytes))
    }
}

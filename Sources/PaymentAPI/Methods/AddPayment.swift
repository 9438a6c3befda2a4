public import PaymentCore
public import StrictJSON

/// `add`: buy a product.
public enum AddPayment: Method {
    /// The product to buy.
    public typealias Params = AddRequest

    /// The result of the call.
    public struct Result: WireResult, Hashable {
        /// The transaction, the first one if the key was used before.
        public var transaction: TransactionID
        /// Where it stands.
        public var state: TransactionState.Phase
        /// The condition that it waits for; only while purchasing.
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

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "add",
        summary: "Buy a product",
        description: """
            Accepts a payment. When the reply arrives, the transaction is on stable storage; its \
            progress is sent as events. It is sent to the store once an account is in session and \
            an observer is subscribed; until then waitingFor names what is missing. Send a fresh \
            key with every intent to buy: repeating the call with the same key and parameters \
            returns the first transaction and never charges twice. If no account is in session and \
            a login agent is subscribed, the reply waits for the login.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The identifier of the product."),
            .optional(
                "appAccountToken", .text(maximumBytes: Limits().appAccountTokenBytes),
                """
                The application's own account identifier; it is stored with the purchase and \
                returned with it.
                """),
            .optional(
                "key", .text(maximumBytes: Limits().keyBytes),
                "The idempotency key; kept for at least 90 days and compared byte by byte."),
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.identifier, "The transaction."),
            Schema.required(
                "state", Schema.words(TransactionState.Phase.allCases.map(\.wireWord)),
                "The state."),
            Schema.optional(
                "waitingFor", Schema.words(WaitingFor.allCases.map(\.wireWord)),
                "What it waits for."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of acceptance.
                """),
            Schema.required(
                "duplicate", Schema.flag,
                """
                Whether the key was used before and this is the earlier transaction.
                """),
            Schema.optional(
                "removed",
                Schema.object([
                    Schema.required(
                        "reason", Schema.words(RemovalReason.allCases.map(\.wireWord)), "Why."),
                    Schema.required("at", Schema.time, "When."),
                ]), "For a duplicate: how and when its transaction left the queue."),
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

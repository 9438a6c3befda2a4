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

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("transaction", \.transaction, .identifier, "The transaction."),
            .required("state", \.state, .word, "The state."),
            .optional("waitingFor", \.waitingFor, .word, "What it waits for."),
            .required(
                "seq", \.sequence, .sequence, "The sequence number of the record of acceptance."),
            .required(
                "duplicate", \.isDuplicate, .flag,
                "Whether the key was used before and this is the earlier transaction."),
            .optional(
                "removed", \.removed,
                .object([
                    .required("reason", \.reason, .word, "Why."),
                    .required("at", \.time, .time, "When."),
                ]), "For a duplicate: how and when its transaction left the queue."),
        ])

        /// Shows a transaction.
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

        /// Appends the result, as ``form`` does, but faster.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transaction\":")
            writer.identifier(transaction)
            writer.raw(",\"state\":")
            writer.string(state.rawValue)
            if let waitingFor {
                writer.raw(",\"waitingFor\":")
                writer.string(waitingFor.rawValue)
            }
            writer.raw(",\"seq\":")
            writer.integer(sequence)
            writer.raw(isDuplicate ? ",\"duplicate\":true" : ",\"duplicate\":false")
            if let removed {
                writer.raw(",\"removed\":{\"reason\":")
                writer.string(removed.reason.rawValue)
                writer.raw(",\"at\":")
                writer.time(removed.time)
                writer.raw("}")
            }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "add",
        summary: "Buy a product",
        description: """
            Accepts a payment. When the reply arrives, the transaction is on stable storage; its \
            progress is sent as events. It is sent to the store once an account is in session and \
            an observer is subscribed; until then waitingFor names what is missing. Send a fresh \
            key with every intent to buy: repeating the call with the same key and parameters \
            returns the first transaction and never charges twice. If no account is in session and \
            a login agent is subscribed, the reply waits for the login.
            """,
        errors: [
            .unknownProduct, .keyReuse, .paymentsNotAllowed, .loginDiscarded, .queueFull,
            .rejectedAfterLogin, .alreadyLive, .connectionError, .storeUnavailable, .draining,
            .tooManyInFlight,
            .cancelled, .notDurable,
        ],
        role: .buy, queueCheck: .payment,
        waits: true,
        example: Result(
            transaction: Examples.transactionID, state: .purchasing, waitingFor: .store,
            sequence: 4, isDuplicate: false))

    /// Takes what to buy, as the list of parameters does, but faster.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> AddRequest {
        AddRequest(
            productIdentifier: arguments.text(at: 0, in: bytes) ?? "",
            appAccountToken: arguments.text(at: 1, in: bytes),
            key: arguments.text(at: 2, in: bytes))
    }
}

extension AddRequest: ParameterRecord {
    /// The parameters of `add`.
    public static let parameters: [Parameter<AddRequest>] = [
        .required(
            "product", \.productIdentifier, .text(), "The identifier of the product.",
            example: "coins.100"),
        .optional(
            "appAccountToken", \.appAccountToken,
            .text(maximumBytes: Limits().appAccountTokenBytes),
            """
            The application's own account identifier; it is stored with the purchase and returned \
            with it.
            """),
        .optional(
            "key", \.key, .text(maximumBytes: Limits().keyBytes),
            "The idempotency key; kept for at least 90 days and compared byte by byte.",
            example: "order-7781"),
    ]

    /// A request for no product.
    public init() { self.init(productIdentifier: "") }
}

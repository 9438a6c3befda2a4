public import PaymentCore
public import StrictJSON

/// `add`: buy a product.
public enum AddPayment: Method {
    /// The payment request.
    public typealias Params = AddRequest

    /// The accepted payment.
    public struct Result: WireResult, Hashable {
        /// The transaction; for a repeated key, the earlier one.
        public var transaction: TransactionID
        /// The state of the transaction.
        public var state: TransactionState.Phase
        /// The condition that the transaction waits for; only while purchasing.
        public var waitingFor: WaitingFor?
        /// The sequence number of the record of acceptance; for a duplicate, the position that the
        /// result reflects.
        public var sequence: SequenceNumber
        /// True if the key already belonged to this transaction.
        public var isDuplicate: Bool
        /// The end of the transaction; only for a duplicate that has left the queue.
        public var removed: Finish?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("transaction", \.transaction, .identifier, "The transaction."),
            .required("state", \.state, .word, "The state."),
            .optional("waitingFor", \.waitingFor, .word, "What it waits for."),
            .required(
                "seq", \.sequence, .sequence,
                "The sequence number of the record of acceptance; for a duplicate, the position in the log that this result reflects."
            ),
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

        /// Creates a result.
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

        /// Appends the same bytes as ``form``, but faster.
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
            .tooManyInFlight, .shareExceeded,
            .cancelled, .notDurable, .indexRebuilding,
        ],
        role: .buy,
        waits: true,
        example: Result(
            transaction: Examples.transactionID, state: .purchasing, waitingFor: .store,
            sequence: 4, isDuplicate: false))

    /// Decodes the same parameters as their list, but faster.
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
            .configured(.appAccountToken),
            """
            The application's own account identifier; it is stored with the purchase and returned \
            with it.
            """),
        .optional(
            "key", \.key, .configured(.key),
            "The idempotency key; kept for at least 90 days and compared byte by byte.",
            example: "order-7781"),
    ]

    /// Creates a request with an empty product identifier.
    public init() { self.init(productIdentifier: "") }
}

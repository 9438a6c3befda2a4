public import PaymentCore
import StrictJSON

/// `subscribe`: receive events from any position in the log.
public enum Subscribe: Method {
    /// The policy for records that were trimmed before they were sent.
    public enum OnGap: String, Sendable, Hashable, CaseIterable {
        /// Send a `gap` notification and redeliver unfinished transactions.
        case snapshot
        /// End the subscription.
        case error
    }

    /// The types of questions that the subscriber can put to a person.
    public enum Agent: String, Sendable, Hashable, CaseIterable {
        /// Requests for a login.
        case login
        /// Confirmations of a charge.
        case payment
    }

    /// The position, the filter and the options of a subscription.
    public struct Params: ParameterRecord {
        /// The position after which to begin. With nil, a named observer begins after its last
        /// `ack`; without a name all unfinished transactions are redelivered first.
        public var after: Cursor?
        /// The epoch of the cursor.
        public var epoch: OpaqueText?
        /// The filter of events.
        public var filter = EventFilter()
        /// True if the subscription is passive: it makes no transaction proceed.
        public var isPassive = false
        /// The types of questions that the subscriber can put to a person.
        public var agents: Set<Agent> = []
        /// The name of a durable observer; nil for none.
        public var name: OpaqueText?
        /// The interval of heartbeats without events; nil for none.
        public var heartbeat: Duration?
        /// The policy for trimmed records.
        public var onGap = OnGap.snapshot

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "after", \.after, .cursor,
                "Only records after this position; start is the oldest record, now the newest.",
                example: 3),
            .optional(
                "epoch", \.epoch, .text(maximumBytes: 64), "The epoch to which after belongs."),
            .optional(
                "kinds", \.filter.kinds, .set(of: .word, count: 1...64),
                "Only events of these kinds."),
            .optional(
                "products", \.filter.products, .set(of: .text(), count: 1...100),
                "Only transactions for these products."),
            .defaulted(
                "passive", \.isPassive, .flag,
                "Only watch; do not make transactions proceed."),
            .defaulted(
                "agent", \.agents, .set(of: .word, count: 1...2),
                """
                The questions that this client can put to a person; needs the role gate. One agent is asked \
                at a time.
                """),
            .optional(
                "name", \.name, .printable(maximumBytes: nameBytes),
                """
                The name of a durable observer; the subscription starts after its last ack unless \
                after is given. It belongs to the user who used it first.
                """),
            .optional(
                "heartbeat", \.heartbeat, .seconds(1...300),
                "The interval of heartbeats while there are no events, in seconds."),
            .defaulted(
                "onGap", \.onGap, .word,
                """
                What happens if records were trimmed or damaged before they were sent: snapshot \
                (the default) redelivers unfinished transactions, error ends the subscription.
                """),
        ]

        /// Creates parameters for a redelivery and all later events.
        public init() {}
    }

    /// The new subscription.
    public struct Result: WireResult, Hashable {
        /// The identifier of the subscription.
        public var subscription: SubscriptionID
        /// The epoch of the log.
        public var epoch: String
        /// The oldest kept sequence number.
        public var oldest: SequenceNumber
        /// The newest sequence number.
        public var head: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "subscription", \.subscription, .subscription,
                "The identifier of the subscription, repeated in every event."),
            .required(
                "epoch", \.epoch, .text, "The epoch of the log; store it with your cursor."),
            .required(
                "oldest", \.oldest, .sequence,
                "The sequence number of the oldest record that is kept."),
            .required("head", \.head, .sequence, "The sequence number of the newest record."),
        ])

        /// Creates a result.
        public init(
            subscription: SubscriptionID, epoch: String, oldest: SequenceNumber,
            head: SequenceNumber
        ) {
            self.subscription = subscription
            self.epoch = epoch
            self.oldest = oldest
            self.head = head
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "subscribe",
        summary: "Subscribe to events, from any position in the log",
        description: """
            After the reply, the daemon sends: with after, the visible records after that \
            position; then every unfinished transaction that was not among them, marked as \
            redelivery; then caughtUp; then live events. Without after, it starts with all \
            unfinished transactions. No event is lost or sent twice: prev of each event is the seq \
            of the event sent before it. Transactions proceed only while a subscription that is \
            not passive would show them. A name outlives the connection: without after, a named \
            subscription starts after its last ack; an unused name is kept for 90 days. A name \
            belongs to the user who used it first, until ack gives it up.
            """,
        errors: [
            .cursorTooOld, .cursorAhead, .otherEpoch, .nameInUse, .tooManySubscriptions,
            .shareExceeded, .notDurable,
        ],
        role: .observe, hasEffect: true,
        example: Result(
            subscription: SubscriptionID(1), epoch: Examples.epoch, oldest: 1, head: 6))

    /// The longest name of an observer, in bytes.
    static let nameBytes = 128
}

extension Subscribe.Agent: WireWord {}

extension Subscribe.OnGap: WireWord {}

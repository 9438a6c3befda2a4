public import PaymentCore
public import StrictJSON

/// `subscribe`: get events as they happen, from any place in the log.
public enum Subscribe: Method {
    /// The policy for records that were trimmed before the subscriber had read them.
    public enum OnGap: String, Sendable, Hashable, CaseIterable {
        /// Say so and redeliver what is unfinished.
        case snapshot
        /// End the subscription.
        case error
    }

    /// The questions that the subscriber can put to a person.
    public enum Agent: String, Sendable, Hashable, CaseIterable {
        /// To log in.
        case login
        /// To confirm a charge.
        case payment
    }

    /// The records to show, and the position to start from.
    public struct Params: Sendable, Hashable {
        /// Where to begin; nil for a redelivery of everything unfinished, then live.
        public var after: Cursor?
        /// The epoch that the cursor belongs to.
        public var epoch: OpaqueText?
        /// The records to show.
        public var filter: EventFilter
        /// Whether the subscriber only watches and does not make transactions proceed.
        public var isPassive: Bool
        /// The questions that the subscriber can put to a person.
        public var agents: Set<Agent>
        /// The name of a durable observer.
        public var name: OpaqueText?
        /// How long nothing may happen before a heartbeat; nil for none.
        public var heartbeat: Duration?
        /// The policy for a gap.
        public var onGap: OnGap

        /// Makes the parameters.
        public init(
            after: Cursor? = nil, epoch: OpaqueText? = nil, filter: EventFilter = EventFilter(),
            isPassive: Bool = false, agents: Set<Agent> = [], name: OpaqueText? = nil,
            heartbeat: Duration? = nil, onGap: OnGap = .snapshot
        ) {
            self.after = after
            self.epoch = epoch
            self.filter = filter
            self.isPassive = isPassive
            self.agents = agents
            self.name = name
            self.heartbeat = heartbeat
            self.onGap = onGap
        }
    }

    /// The subscription.
    public struct Result: WireResult, Hashable {
        /// Its name.
        public var subscription: SubscriptionID
        /// The epoch of the log.
        public var epoch: String
        /// The oldest sequence number that is kept.
        public var oldest: SequenceNumber
        /// The newest one.
        public var head: SequenceNumber

        /// Makes a result.
        public init(
            subscription: SubscriptionID, epoch: String, oldest: SequenceNumber,
            head: SequenceNumber
        ) {
            self.subscription = subscription
            self.epoch = epoch
            self.oldest = oldest
            self.head = head
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"subscription\":\"s")
            writer.integer(subscription.number)
            writer.raw("\",\"epoch\":")
            writer.string(epoch)
            writer.raw(",\"oldest\":")
            writer.integer(oldest)
            writer.raw(",\"head\":")
            writer.integer(head)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "subscribe",
        summary: "Subscribe to events, from any position in the log",
        description: """
            After the reply, the daemon sends: with after, the visible records after that \
            position; then every unfinished transaction that was not among them, marked as \
            redelivery; then caughtUp; then live events. Without after, it starts with all \
            unfinished transactions. No event is lost or sent twice: prev of each event is the seq \
            of the event sent before it. Transactions proceed only while a subscription that is \
            not passive would show them. A name outlives the connection: without after, a named \
            subscription starts after its last ack; an unused name is kept for 90 days.
            """,
        parameters: parameters,
        resultSchema: Schema.object([
            Schema.required(
                "subscription", Schema.identifier,
                """
                The identifier of the subscription, repeated in every event.
                """),
            Schema.required(
                "epoch", Schema.text,
                """
                The epoch of the log; store it with your cursor.
                """),
            Schema.required(
                "oldest", Schema.sequence,
                """
                The sequence number of the oldest record that is kept.
                """),
            Schema.required("head", Schema.sequence, "The sequence number of the newest record."),
        ]),
        errors: [
            .cursorTooOld, .cursorAhead, .otherEpoch, .nameInUse, .tooManySubscriptions,
            .notDurable,
        ],
        role: .observe,
        example: .init(
            params: ["after": 3],
            result: Result(
                subscription: SubscriptionID(1), epoch: Examples.epoch, oldest: 1, head: 6)))

    /// Longest name of an observer, in bytes.
    static let nameBytes = 128

    private static let parameters: [ParameterSpec] = [
        .optional(
            "after", .cursor,
            """
            Only records after this position; start is the oldest record, now the newest.
            """),
        .optional("epoch", .text(maximumBytes: 64), "The epoch to which after belongs."),
        .optional(
            "kinds", .list(of: .word(EventKind.words), count: 1...64),
            """
            Only events of these kinds.
            """),
        .optional(
            "products", .list(of: .text(maximumBytes: nil), count: 1...100),
            "Only transactions for these products."),
        .optional("passive", .flag, "Only watch; do not make transactions proceed."),
        .optional(
            "agent", .list(of: .word(Agent.allCases.map(\.rawValue)), count: 1...2),
            "The questions that this client can put to a person; needs role G."),
        .optional(
            "name", .text(maximumBytes: nameBytes),
            """
            The name of a durable observer; the subscription starts after its last ack unless \
            after is given.
            """),
        .optional(
            "heartbeat", .seconds(1...300),
            """
            The interval of heartbeats while there are no events, in seconds.
            """),
        .optional(
            "onGap", .word(OnGap.allCases.map(\.rawValue)),
            """
            What happens if records were trimmed before they were sent: snapshot (the default) \
            redelivers unfinished transactions, error ends the subscription.
            """),
    ]

    private enum Place: Int, ParameterPlace {
        case after, epoch, kinds, products, passive, agent, name, heartbeat, onGap
    }

    /// Takes what to show.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let kinds: [EventKind]? = arguments.words(Place.kinds, in: bytes)
        let products = arguments.texts(Place.products, in: bytes)
        let agents: [Agent]? = arguments.words(Place.agent, in: bytes)
        return Params(
            after: arguments.cursor(Place.after, in: bytes),
            epoch: arguments.text(Place.epoch, in: bytes),
            filter: EventFilter(kinds: kinds.map { Set($0) }, products: products.map { Set($0) }),
            isPassive: arguments.flag(Place.passive) ?? false,
            agents: Set(agents ?? []), name: arguments.text(Place.name, in: bytes),
            heartbeat: arguments.seconds(Place.heartbeat, in: bytes),
            onGap: arguments.word(Place.onGap, in: bytes) ?? .snapshot)
    }
}

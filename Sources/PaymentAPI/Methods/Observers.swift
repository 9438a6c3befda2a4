public import PaymentCore
public import StrictJSON

/// `observers`: list the live subscriptions and the durable names.
public enum Observers: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Every live subscription, and every durable name that has none.
    public struct Result: WireResult {
        /// A subscription, or a durable name whose observer is away.
        public struct Entry: Sendable, Hashable {
            /// The live subscription.
            public struct Live: Sendable, Hashable {
                /// Its name on its connection.
                public var subscription: SubscriptionID
                /// The user id of the peer.
                public var uid: UInt32
                /// The name that the client gave with `hello`.
                public var client: OpaqueText?
                /// Whether it only watches.
                public var isPassive: Bool
                /// The records that it shows.
                public var filter: EventFilter
                /// The questions that it can put to a person.
                public var agents: Set<Subscribe.Agent>

                /// Describes a subscription.
                public init(
                    subscription: SubscriptionID, uid: UInt32, client: OpaqueText?,
                    isPassive: Bool, filter: EventFilter, agents: Set<Subscribe.Agent> = []
                ) {
                    self.subscription = subscription
                    self.uid = uid
                    self.client = client
                    self.isPassive = isPassive
                    self.filter = filter
                    self.agents = agents
                }
            }

            /// The subscription; nil while the observer is away.
            public var live: Live?
            /// The durable name, if it has one.
            public var name: OpaqueText?
            /// Up to where the name has dealt with everything.
            public var acknowledged: SequenceNumber?
            /// How far the log has gone on behind what was sent, or, to nobody, acknowledged.
            public var lag: UInt64

            /// Makes an entry.
            public init(
                live: Live?, name: OpaqueText? = nil, acknowledged: SequenceNumber? = nil,
                lag: UInt64
            ) {
                self.live = live
                self.name = name
                self.acknowledged = acknowledged
                self.lag = lag
            }
        }

        /// The subscriptions in the order in which they were made, then the names that have none.
        public var entries: [Entry]

        /// Makes a list.
        public init(entries: [Entry]) {
            self.entries = entries
        }

        /// Appends the list.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("observers")
            writer.beginArray()
            for entry in entries {
                writer.element()
                writer.observer(entry)
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "observers",
        summary: "List subscriptions and durable observer names",
        description: """
            Lists live subscriptions with their filters and their lag, then durable names without \
            a live subscription.
            """,
        resultSchema: Schema.object([
            Schema.required(
                "observers", Schema.list(of: observer), "In the order of subscribing, then by name."
            )
        ]),
        role: .observe,
        example: .init(
            result: Result(entries: [
                .init(
                    live: .init(
                        subscription: SubscriptionID(1), uid: 1000, client: "shop",
                        isPassive: false, filter: EventFilter(products: ["coins.100"])),
                    lag: 0),
                .init(live: nil, name: "books", acknowledged: 4, lag: 2),
            ])))

    private static let observer = Schema.object([
        Schema.optional(
            "subscription", Schema.identifier,
            """
            The identifier of the subscription; absent without a live one.
            """),
        Schema.optional("uid", Schema.count, "The user id of the peer."),
        Schema.optional("client", Schema.text, "The name that the client gave with hello."),
        Schema.optional("name", Schema.text, "The durable name."),
        Schema.optional(
            "passive", Schema.flag,
            """
            Whether it is passive: it makes no transaction proceed.
            """),
        Schema.optional(
            "kinds", Schema.list(of: Schema.words(EventKind.words)), "Only events of these kinds."),
        Schema.optional(
            "products", Schema.list(of: Schema.text),
            """
            Only transactions for these products.
            """),
        Schema.optional(
            "agent", Schema.list(of: Schema.words(Subscribe.Agent.allCases.map(\.rawValue))),
            "The questions that it can put to a person."),
        Schema.optional(
            "acked", Schema.sequence, "The position that the observer has acknowledged."),
        Schema.required(
            "lag", Schema.count,
            """
            The number of records between its position and the newest record.
            """),
        Schema.required("connected", Schema.flag, "Whether it is connected."),
    ])
}

extension JSONWriter {
    fileprivate mutating func observer(_ entry: Observers.Result.Entry) {
        beginObject()
        if let live = entry.live {
            name("subscription")
            string(live.subscription.description)
            name("uid")
            integer(live.uid)
            if let client = live.client {
                name("client")
                string(client.string)
            }
        }
        if let durable = entry.name {
            name("name")
            string(durable.string)
        }
        if let live = entry.live { wishes(of: live) }
        if let acknowledged = entry.acknowledged {
            name("acked")
            integer(acknowledged)
        }
        name("lag")
        integer(entry.lag)
        name("connected")
        bool(entry.live != nil)
        endObject()
    }

    private mutating func wishes(of live: Observers.Result.Entry.Live) {
        name("passive")
        bool(live.isPassive)
        if let kinds = live.filter.kinds {
            name("kinds")
            strings(EventKind.allCases.filter(kinds.contains).map(\.rawValue))
        }
        if let products = live.filter.products {
            name("products")
            strings(products.sorted(by: OpaqueText.precedes).map(\.string))
        }
        if !live.agents.isEmpty {
            name("agent")
            strings(Subscribe.Agent.allCases.filter(live.agents.contains).map(\.rawValue))
        }
    }
}

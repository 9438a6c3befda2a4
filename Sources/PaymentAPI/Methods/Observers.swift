public import PaymentCore
import StrictJSON

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

            /// Lists an observer.
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

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "observers", \.entries, .list(of: observer),
                "In the order of subscribing, then by name."
            )
        ])

        /// Lists these observers.
        public init(entries: [Entry]) {
            self.entries = entries
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "observers",
        summary: "List subscriptions and durable observer names",
        description: """
            Lists live subscriptions with their filters and their lag, then durable names without \
            a live subscription.
            """,
        role: .observe, queueCheck: .nothing,
        example: Result(entries: [
            .init(
                live: .init(
                    subscription: SubscriptionID(1), uid: 1000, client: "shop", isPassive: false,
                    filter: EventFilter(products: ["coins.100"])),
                lag: 0),
            .init(live: nil, name: "books", acknowledged: 4, lag: 2),
        ]))

    private static let observer = ResultForm<Result.Entry>.object([
        .optional(
            "subscription", \.live?.subscription, .subscription,
            "The identifier of the subscription; absent without a live one."),
        .optional("uid", \.live?.uid, .count, "The user id of the peer."),
        .optional(
            "client", \.live?.client, .opaque, "The name that the client gave with hello."),
        .optional("name", \.name, .opaque, "The durable name."),
        .optional(
            "passive", \.live?.isPassive, .flag,
            "Whether it is passive: it makes no transaction proceed."),
        .optional(
            "kinds", \.live?.filter.kinds?.inOrder, .list(of: .word),
            "Only events of these kinds."),
        .optional(
            "products", { $0.live?.filter.products?.sorted(by: OpaqueText.precedes) },
            .list(of: .opaque), "Only transactions for these products."),
        .optional(
            "agent", { $0.live.flatMap { $0.agents.isEmpty ? nil : $0.agents.inOrder } },
            .list(of: .word), "The questions that it can put to a person."),
        .optional(
            "acked", \.acknowledged, .sequence,
            "The position that the observer has acknowledged."),
        .required(
            "lag", \.lag, .count,
            "The number of records between its position and the newest record."),
        .required("connected", { $0.live != nil }, .flag, "Whether it is connected."),
    ])
}

extension Set where Element: CaseIterable {
    /// The elements in the order of their type.
    fileprivate var inOrder: [Element] { Element.allCases.filter(contains) }
}

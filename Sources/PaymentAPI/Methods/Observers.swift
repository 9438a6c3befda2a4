public import PaymentCore
import StrictJSON

/// `observers`: list live subscriptions and durable observer names.
public enum Observers: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// All live subscriptions, and the durable names without one.
    public struct Result: WireResult {
        /// A live subscription, or a durable name without one.
        public struct Entry: Sendable, Hashable {
            /// A live subscription.
            public struct Live: Sendable, Hashable {
                /// The identifier of the subscription.
                public var subscription: SubscriptionID
                /// The user id of the peer.
                public var uid: UInt32
                /// The client name from `hello`.
                public var client: OpaqueText?
                /// True if the subscription is passive: it makes no transaction proceed.
                public var isPassive: Bool
                /// The filter of its events.
                public var filter: EventFilter
                /// The types of questions that it can put to a person.
                public var agents: Set<Subscribe.Agent>

                /// Creates a description.
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

            /// The subscription; nil without a live one.
            public var live: Live?
            /// The durable name; nil if it has none.
            public var name: OpaqueText?
            /// The user that the name belongs to; nil without a name, and for one that no client has used
            /// since an older version.
            public var owner: UInt32?
            /// The position that the observer has acknowledged; nil without a name.
            public var acknowledged: SequenceNumber?
            /// The number of records between its position and the newest record. The position is
            /// the last sent one, or without a live subscription the acknowledged one.
            public var lag: UInt64

            /// Creates an entry.
            public init(
                live: Live?, name: OpaqueText? = nil, owner: UInt32? = nil,
                acknowledged: SequenceNumber? = nil, lag: UInt64
            ) {
                self.live = live
                self.name = name
                self.owner = owner
                self.acknowledged = acknowledged
                self.lag = lag
            }
        }

        /// The live subscriptions in order of creation, then the other names.
        public var entries: [Entry]

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "observers", \.entries, .list(of: observer),
                "In the order of subscribing, then by name."
            )
        ])

        /// Creates a result.
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
        role: .observe,
        example: Result(entries: [
            .init(
                live: .init(
                    subscription: SubscriptionID(1), uid: 1000, client: "shop", isPassive: false,
                    filter: EventFilter(products: ["coins.100"])),
                lag: 0),
            .init(live: nil, name: "books", owner: 1000, acknowledged: 4, lag: 2),
        ]))

    private static let observer = ResultForm<Result.Entry>.object([
        .optional(
            "subscription", \.live?.subscription, .subscription,
            "The identifier of the subscription; absent without a live one."),
        .optional(
            "uid", { $0.live?.uid ?? $0.owner }, .count,
            "The user id of the peer; without a live subscription, that of the user the name belongs to."
        ),
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
    /// The elements in the order of declaration.
    fileprivate var inOrder: [Element] { Element.allCases.filter(contains) }
}

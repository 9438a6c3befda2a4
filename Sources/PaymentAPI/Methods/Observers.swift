public import PaymentCore
public import StrictJSON

/// `observers`: list the live subscriptions.
public enum Observers: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Every live subscription.
    public struct Result: WireResult {
        /// A subscription.
        public struct Entry: Sendable, Hashable {
            /// Its name.
            public var subscription: SubscriptionID
            /// The user id of the peer.
            public var uid: UInt32
            /// The name that the client gave with `hello`.
            public var client: OpaqueText?
            /// Whether it only watches.
            public var isPassive: Bool
            /// What it shows.
            public var filter: EventFilter
            /// How many records it has not been sent yet.
            public var lag: UInt64

            /// Makes an entry.
            public init(
                subscription: SubscriptionID, uid: UInt32, client: OpaqueText?, isPassive: Bool,
                filter: EventFilter, lag: UInt64
            ) {
                self.subscription = subscription
                self.uid = uid
                self.client = client
                self.isPassive = isPassive
                self.filter = filter
                self.lag = lag
            }
        }

        /// The subscriptions in the order in which they were made.
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

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "observers",
        summary: "List the live subscriptions",
        description: "Who watches, what each is shown, and how far behind it is.",
        resultSchema: Schema.object([
            Schema.required("observers", Schema.list(of: observer), "In the order of subscribing.")
        ]),
        role: .observe,
        example: .init(
            result: Result(entries: [
                .init(
                    subscription: SubscriptionID(1), uid: 1000, client: "shop", isPassive: false,
                    filter: EventFilter(products: ["coins.100"]), lag: 0)
            ])))

    private static let observer = Schema.object([
        Schema.required("subscription", Schema.identifier, "Its name."),
        Schema.required("uid", Schema.count, "The user id of the peer."),
        Schema.optional("client", Schema.text, "The name that the client gave with hello."),
        Schema.required("passive", Schema.flag, "Whether it only watches."),
        Schema.optional(
            "kinds", Schema.list(of: Schema.words(EventKind.words)), "Only these kinds."),
        Schema.optional("products", Schema.list(of: Schema.text), "Only these products."),
        Schema.required("lag", Schema.count, "Records not sent to it yet."),
        Schema.required("connected", Schema.flag, "Whether its peer is there."),
    ])
}

extension JSONWriter {
    fileprivate mutating func observer(_ entry: Observers.Result.Entry) {
        beginObject()
        name("subscription")
        string(entry.subscription.description)
        name("uid")
        integer(entry.uid)
        if let client = entry.client {
            name("client")
            string(client.string)
        }
        name("passive")
        bool(entry.isPassive)
        if let kinds = entry.filter.kinds {
            name("kinds")
            strings(EventKind.allCases.filter(kinds.contains).map(\.rawValue))
        }
        if let products = entry.filter.products {
            name("products")
            strings(products.sorted(by: OpaqueText.precedes).map(\.string))
        }
        name("lag")
        integer(entry.lag)
        // Durable names, which outlive their connection, are not kept yet.
        name("connected")
        bool(true)
        endObject()
    }
}

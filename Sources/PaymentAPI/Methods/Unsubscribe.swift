public import PaymentCore
import StrictJSON

/// `unsubscribe`: end a subscription.
public enum Unsubscribe: Method {
    /// A subscription.
    public struct Params: ParameterRecord {
        /// The subscription; nil if the text names none that could exist.
        public var subscription: SubscriptionID?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "subscription", \.subscription,
                ParameterForm<OpaqueText>.text(maximumBytes: 64).map { SubscriptionID($0.string) },
                "The identifier of the subscription.", example: "s1")
        ]

        /// Names no subscription.
        public init() {}
    }

    /// The outcome.
    public struct Result: WireResult, Hashable {
        /// Whether there was such a subscription on this connection.
        public var isUnsubscribed: Bool
        /// The last sequence number that was sent on it, if there was one.
        public var last: SequenceNumber?

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "unsubscribed", \.isUnsubscribed, .flag, "Whether there was such a subscription."),
            .optional(
                "last", \.last, .sequence, "The sequence number of the last event that was sent."),
        ])

        /// Creates the result; `last` is nil when there was no such subscription.
        public init(last: SequenceNumber?) {
            isUnsubscribed = last != nil
            self.last = last
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "unsubscribe",
        summary: "End a subscription",
        description: """
            No event of the subscription follows the reply. If this connection has no such \
            subscription, that is not an error: unsubscribed is false.
            """,
        role: .observe, queueCheck: .nothing,
        example: Result(last: 6))
}

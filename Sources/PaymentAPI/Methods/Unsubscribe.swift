public import PaymentCore
import StrictJSON

/// `unsubscribe`: end a subscription.
public enum Unsubscribe: Method {
    /// The subscription to end.
    public struct Params: ParameterRecord {
        /// The identifier of the subscription; nil if the text is not one.
        public var subscription: SubscriptionID?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "subscription", \.subscription,
                ParameterForm<OpaqueText>.text(maximumBytes: 64).map { SubscriptionID($0.string) },
                "The identifier of the subscription.", example: "s1")
        ]

        /// Creates parameters with no subscription.
        public init() {}
    }

    /// The outcome.
    public struct Result: WireResult, Hashable {
        /// True if this connection had the subscription.
        public var isUnsubscribed: Bool
        /// The sequence number of the last sent event; nil without a subscription.
        public var last: SequenceNumber?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "unsubscribed", \.isUnsubscribed, .flag, "Whether there was such a subscription."),
            .optional(
                "last", \.last, .sequence, "The sequence number of the last event that was sent."),
        ])

        /// Creates a result; nil for `last` means no such subscription.
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
        role: .observe, hasEffect: true,
        example: Result(last: 6))
}

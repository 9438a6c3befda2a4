public import PaymentCore
public import StrictJSON

/// `unsubscribe`: end a subscription.
public enum Unsubscribe: Method {
    /// Which one.
    public struct Params: Sendable, Hashable {
        /// The subscription; nil if the text names none that could exist.
        public var subscription: SubscriptionID?
    }

    /// The outcome.
    public struct Result: WireResult, Hashable {
        /// Whether there was such a subscription on this connection.
        public var isUnsubscribed: Bool
        /// The last sequence number that was sent on it, if there was one.
        public var last: SequenceNumber?

        /// Makes a result; `last` is nil when there was no such subscription.
        public init(last: SequenceNumber?) {
            isUnsubscribed = last != nil
            self.last = last
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("unsubscribed")
            writer.bool(isUnsubscribed)
            if let last {
                writer.name("last")
                writer.integer(last)
            }
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "unsubscribe",
        summary: "End a subscription",
        description: """
            No event of the subscription follows the reply. If this connection has no such \
            subscription, that is not an error: unsubscribed is false.
            """,
        parameters: [
            .required(
                "subscription", .text(maximumBytes: 64),
                """
                The identifier of the subscription.
                """)
        ],
        resultSchema: Schema.object([
            Schema.required("unsubscribed", Schema.flag, "Whether there was such a subscription."),
            Schema.optional(
                "last", Schema.sequence,
                """
                The sequence number of the last event that was sent.
                """),
        ]),
        role: .observe,
        example: .init(params: ["subscription": "s1"], result: Result(last: 6)))

    private enum Place: Int, ParameterPlace {
        case subscription
    }

    /// Takes the subscription.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let text = arguments.requiredText(Place.subscription, in: bytes)
        return Params(subscription: SubscriptionID(text.string))
    }
}

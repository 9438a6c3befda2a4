public import StrictJSON

/// What the contract says of a message that the daemon sends by itself.
public struct Notification: Sendable {
    /// The name on the wire.
    public let name: String
    /// When it comes.
    public let summary: String
    /// The JSON Schema of its parameters.
    public let schema: JSONValue

    /// All of them.
    public static let all: [Notification] = [
        event,
        Notification(
            name: "caughtUp", summary: "Replay and redelivery are over; what follows is live",
            schema: Schema.object([subscription, position])),
        Notification(
            name: "heartbeat", summary: "Nothing happened for as long as the subscriber asked",
            schema: Schema.object([subscription, position])),
        Notification(
            name: "gap", summary: "Records were trimmed unread; a redelivery follows",
            schema: Schema.object([
                subscription,
                Schema.required("from", Schema.sequence, "The first one missed."),
                Schema.required("to", Schema.sequence, "The last one missed."),
                Schema.required(
                    "reason", Schema.words(GapReason.allCases.map(\.rawValue)), "Why."),
            ])),
        Notification(
            name: "ended", summary: "The daemon ends a subscription",
            schema: Schema.object([
                subscription,
                Schema.required(
                    "reason", Schema.words(EndReason.allCases.map(\.rawValue)), "Why."),
                Schema.required("last", Schema.sequence, "The last one sent."),
            ])),
        Notification(
            name: "closing", summary: "The daemon closes the connection soon",
            schema: Schema.object([
                Schema.required(
                    "reason", Schema.words(ClosingReason.allCases.map(\.rawValue)), "Why."),
                Schema.required("graceMs", Schema.count, "For how long requests are still taken."),
                Schema.required("head", Schema.sequence, "Subscribe after this."),
            ])),
    ]

    private static let subscription = Schema.required(
        "subscription", Schema.identifier, "The subscription.")
    private static let position = Schema.required(
        "seq", Schema.sequence, "How far the log was scanned.")

    private static let event = Notification(
        name: "event", summary: "Something happened to the queue",
        schema: [
            "allOf": [
                Schema.object([
                    subscription,
                    Schema.required("prev", Schema.sequence, "The seq sent before on it."),
                ]),
                Schema.reference("Event"),
            ]
        ])
}

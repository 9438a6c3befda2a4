public import StrictJSON

/// The contract entry of a notification from the daemon.
public struct Notification: Sendable {
    /// The name on the wire.
    public let name: String
    /// The cause of the notification.
    public let summary: String
    /// The JSON Schema of the parameters.
    public let schema: JSONValue

    /// All notifications.
    public static let all: [Notification] = [
        event,
        Notification(
            name: "caughtUp", summary: "Replay and redelivery are complete; live events follow",
            schema: Schema.object([subscription, position])),
        Notification(
            name: "heartbeat",
            summary: "There were no events for the interval that the subscriber asked for",
            schema: Schema.object([subscription, position])),
        Notification(
            name: "gap",
            summary: "Records were trimmed or damaged before they were sent; a redelivery follows",
            schema: Schema.object([
                subscription,
                Schema.required(
                    "from", Schema.sequence,
                    "The sequence number of the first missed record."),
                Schema.required(
                    "to", Schema.sequence,
                    "The sequence number of the last missed record."),
                Schema.required(
                    "reason", Schema.words(GapReason.allCases.map(\.rawValue)), "Why."),
            ])),
        Notification(
            name: "ended", summary: "The daemon ends a subscription",
            schema: Schema.object([
                subscription,
                Schema.required(
                    "reason", Schema.words(EndReason.allCases.map(\.rawValue)), "Why."),
                Schema.required(
                    "last", Schema.sequence,
                    "The sequence number of the last event that was sent."),
            ])),
        Notification(
            name: "closing", summary: "The daemon will close the connection",
            schema: Schema.object([
                Schema.required(
                    "reason", Schema.words(ClosingReason.allCases.map(\.rawValue)), "Why."),
                Schema.required(
                    "graceMs", Schema.count,
                    "The time for which requests are still accepted, in milliseconds."),
                Schema.required(
                    "head", Schema.sequence,
                    "The position to pass as after when subscribing again."),
            ])),
    ]

    private static let subscription = Schema.required(
        "subscription", Schema.identifier, "The identifier of the subscription.")
    private static let position = Schema.required(
        "seq", Schema.sequence, "The position up to which everything was sent.")

    private static let event = Notification(
        name: "event", summary: "An event of the queue",
        schema: [
            "allOf": [
                Schema.object([
                    subscription,
                    Schema.required(
                        "prev", Schema.sequence,
                        "The seq of the event sent before on this subscription."),
                ]),
                Schema.reference("Event"),
            ]
        ])
}

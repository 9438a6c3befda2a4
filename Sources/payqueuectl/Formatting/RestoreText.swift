import StrictJSON

/// A restore as text.
enum RestoreText {
    /// A line about a restore from `wait`: its id and its state.
    static func line(_ restore: JSONValue) -> String {
        "\(restore["id"]?.stringValue ?? "?")  \(standing(restore))"
    }

    /// The number of restored transactions, as text.
    static func restored(_ count: Int64) -> String {
        "restored \(Wording.count(count, "transaction"))"
    }

    /// The reason of a failed restore, from the `error` of a record or an event; nil if it has
    /// none.
    static func reason(_ error: JSONValue?) -> String? {
        (error?.members?.first?.name ?? error?.stringValue).map(Wording.of)
    }

    /// The failure of a command whose restore failed.
    ///
    /// - Parameters:
    ///   - action: The attempted action, which follows "cannot".
    ///   - error: The `error` of the record or event.
    ///   - hasKey: Whether the caller chose the key, which names this restore forever.
    /// - Returns: The failure.
    static func failure(_ action: String, _ error: JSONValue?, hasKey: Bool) -> CommandFailure {
        CommandFailure(
            .refused, "cannot \(action): \(reason(error) ?? "no reason given")",
            advice: "check the store with 'payqueuectl doctor', then restore again"
                + (hasKey ? " with another key" : ""))
    }

    /// The event of the end of a restore, built from its record; nil if it has not ended.
    static func ending(_ restore: JSONValue) -> JSONValue? {
        let kind: JSONValue
        switch restore["state"]?.stringValue {
        case "completed": kind = "restoreCompleted"
        case "failed": kind = "restoreFailed"
        default: return nil
        }
        return .parameters([
            ("kind", kind), ("restore", restore["id"]), ("count", restore["count"]),
            ("error", restore["error"]),
        ])
    }

    private static func standing(_ restore: JSONValue) -> String {
        switch restore["state"]?.stringValue {
        case "completed": restored(restore["count"]?.intValue ?? 0)
        case "failed": "failed: \(reason(restore["error"]) ?? "no reason given")"
        default: restore["waitingFor"]?.stringValue.map(WaitingText.short) ?? "is running"
        }
    }
}

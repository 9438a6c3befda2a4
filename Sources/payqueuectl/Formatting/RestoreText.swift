import StrictJSON

/// A restore in words.
enum RestoreText {
    /// A line about a restore as `wait` tells of it: its id, and where it stands.
    static func line(_ restore: JSONValue) -> String {
        "\(restore["id"]?.stringValue ?? "?")  \(standing(restore))"
    }

    /// How many transactions came back.
    static func restored(_ count: Int64) -> String {
        "restored \(count) \(count == 1 ? "transaction" : "transactions")"
    }

    /// Why a restore failed, by the `error` of a record or an event; nil if it does not say.
    static func reason(_ error: JSONValue?) -> String? {
        (error?.members?.first?.name ?? error?.stringValue).map(Wording.of)
    }

    /// The failure of a command whose restore failed.
    ///
    /// - Parameters:
    ///   - action: What was tried, to follow "cannot".
    ///   - error: The `error` of the record or event.
    ///   - hasKey: Whether the restore has a key that the user chose: it names this one for ever.
    /// - Returns: The failure.
    static func failure(_ action: String, _ error: JSONValue?, hasKey: Bool) -> CommandFailure {
        CommandFailure(
            .refused, "cannot \(action): \(reason(error) ?? "no reason given")",
            advice: "check the store with 'payqueuectl doctor', then restore again"
                + (hasKey ? " with another key" : ""))
    }

    /// The event with which a restore ended, made of its record; nil if it has not ended.
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

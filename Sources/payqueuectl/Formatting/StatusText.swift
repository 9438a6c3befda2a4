import StrictJSON

/// The answer to `status` as lines for users. Missing members are omitted.
enum StatusText {
    static func lines(_ status: JSONValue) -> [String] {
        [
            ("daemon", daemon(status)), ("account", account(status)),
            ("queue", queue(status["queue"])), ("store", store(status["store"])),
            ("payments", payments(status["canMakePayments"])), ("log", log(status["log"])),
            ("disk", disk(status["persistence"])), ("files", files(status["storage"])),
            ("clients", status["connections"]?.arrayValue.map { "\($0.count)" }),
            ("questions", questions(status["questions"])),
            ("restores", restores(status["restores"])),
            ("shares", shares(status["shares"])),
        ].compactMap { name, text in
            text.map { Console.styled(padded(name), .quiet) + $0 }
        }
    }

    private static func daemon(_ status: JSONValue) -> String? {
        guard let state = status["state"]?.stringValue else { return nil }
        let style: Console.Style = state == "running" ? .good : .bad
        let since = status["since"]?.stringValue.map { " since \($0)" } ?? ""
        return Console.styled(state, style) + since
    }

    private static func account(_ status: JSONValue) -> String {
        let country = status["storefront"]?["countryCode"]?.stringValue
        let place = country.map { " in \($0)" } ?? ""
        guard let account = status["account"]?.stringValue else {
            return EndedText.sentence(status).map { Console.styled($0, .bad) }
                ?? "no account is logged in" + place
        }
        return account + place
    }

    private static func queue(_ queue: JSONValue?) -> String? {
        guard let queue, let unfinished = queue["unfinished"]?.intValue else { return nil }
        let states = counts(queue["byState"]).map { "\($0.count) \($0.word)" }
        let waiting = counts(queue["waitingFor"])
            .map { "\($0.count) \(WaitingText.short($0.word))" }
        return ["\(unfinished) unfinished", states.joined(separator: ", ")]
            .filter { !$0.isEmpty }.joined(separator: ": ")
            + waiting.map { "; \($0)" }.joined()
    }

    private static func counts(_ object: JSONValue?) -> [(count: Int64, word: String)] {
        (object?.members ?? []).map { (count: $0.value.intValue ?? 0, word: $0.name) }
            .filter { $0.count > 0 }
    }

    private static func shares(_ shares: JSONValue?) -> String? {
        // A single user shares nothing with others.
        guard let users = shares?.members, users.count > 1 else { return nil }
        return users.map { user in
            let held = counts(user.value).map { "\($0.word) \($0.count)" }
            return "uid \(user.name): \(held.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    private static func store(_ store: JSONValue?) -> String? {
        guard let store else { return nil }
        let parts = [
            store["name"]?.stringValue, store["state"]?.stringValue,
            store["lastError"]?.stringValue.map { "last error: \($0)" },
            store["nextTryAt"]?.stringValue.map { "next try at \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static func payments(_ payments: JSONValue?) -> String? {
        guard let allowed = payments?["value"]?.boolValue else { return nil }
        let reason = payments?["reason"]?.stringValue.map { ": \(Wording.of($0))" } ?? ""
        return allowed ? "allowed" : Console.styled("not allowed", .bad) + reason
    }

    private static func questions(_ questions: JSONValue?) -> String? {
        guard let count = questions?.intValue, count > 0 else { return nil }
        return "\(count) open; list them with 'payqueuectl questions'"
    }

    private static func restores(_ restores: JSONValue?) -> String? {
        guard let restores = restores?.arrayValue, !restores.isEmpty else { return nil }
        return restores.map { restore in
            let waiting = restore["waitingFor"]?.stringValue.map { " \(WaitingText.short($0))" }
            return (restore["id"]?.stringValue ?? "?") + (waiting ?? " is running")
        }.joined(separator: ", ")
    }

    private static func log(_ log: JSONValue?) -> String? {
        guard let oldest = log?["oldest"]?.intValue, let head = log?["head"]?.intValue else {
            return nil
        }
        let bytes = log?["bytes"]?.intValue.map { ", \($0) bytes" } ?? ""
        return "records \(oldest) to \(head)\(bytes)"
    }

    private static func disk(_ persistence: JSONValue?) -> String? {
        guard let persistence else { return nil }
        var parts: [String] = []
        if let time = persistence["lastCommit"]?.stringValue { parts.append("last write \(time)") }
        if persistence["volatile"]?.boolValue == true {
            parts.append(Console.styled("not on a disk: lost at reboot", .bad))
        }
        if let error = persistence["lastError"]?.stringValue { parts.append("error: \(error)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func files(_ storage: JSONValue?) -> String? {
        guard let storage else { return nil }
        var parts: [String] = []
        if storage["readOnly"]?.boolValue == true {
            parts.append(Console.styled("only read: nothing is taken", .bad))
        }
        if let count = storage["archiveFiles"]?.intValue, count > 0 {
            parts.append(
                "\(count) of finished transactions, \(storage["archiveBytes"]?.intValue ?? 0) bytes"
            )
        }
        if storage["indexed"]?.boolValue == false { parts.append("they cannot be looked up now") }
        parts += (storage["damage"]?.arrayValue ?? []).map { damage in
            Console.styled(DamageText.sentence(damage), .bad)
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func padded(_ word: String) -> String {
        word + String(repeating: " ", count: max(1, 10 - word.count))
    }
}

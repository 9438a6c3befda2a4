import FoundationEssentials
import StrictJSON

/// What the daemon's own words say about its health. Asks nobody; the same answers give the same
/// findings.
enum Diagnosis {
    /// The findings, in the order in which a purchase meets them.
    ///
    /// - Parameters:
    ///   - answers: What the daemon said.
    ///   - now: The time on this machine, which is the daemon's.
    ///   - connection: The words that make a suggested command talk to the same daemon.
    /// - Returns: The findings.
    static func findings(
        _ answers: DaemonAnswers, now: Date, connection: String
    ) -> [Finding] {
        let status = answers.status
        return [
            version(answers.hello), roles(answers.hello), state(status, connection),
        ].compactMap(\.self)
            + disk(status["persistence"])
            + [
                clock(status, now), account(status, connection),
                payments(status["canMakePayments"]), store(status["store"]),
                catalogue(answers.products, connection),
                observing(status, answers.observers, connection),
                questions(status["questions"], connection),
            ].compactMap(\.self)
    }

    /// Purchases are dated by the clock: one that was set back makes deadlines and retention wrong.
    private static func clock(_ status: JSONValue, _ now: Date) -> Finding? {
        let written = [status["since"], status["persistence"]?["lastCommit"]]
            .compactMap { $0?.stringValue }
            .compactMap { try? Date($0, strategy: .iso8601WithFractions) }
        guard let newest = written.max() else { return nil }
        let ahead = Int(newest.timeIntervalSince(now).rounded())
        guard ahead <= 2 else {
            return Finding(
                .bad, "the clock was set back: the newest record is \(ahead) s in the future",
                advice: "see whether the clock is kept with 'timedatectl status'")
        }
        return Finding(.good, "the clock goes on")
    }

    private static func catalogue(_ products: JSONValue?, _ connection: String) -> Finding? {
        guard let products = products?["products"]?.arrayValue else { return nil }
        guard products.isEmpty else { return Finding(.good, "the catalogue sells something here") }
        return Finding(
            .bad, "the catalogue sells nothing in this country",
            advice: "see 'payqueuectl products\(connection)' and the daemon's --catalog")
    }

    private static func version(_ hello: JSONValue) -> Finding? {
        guard let version = hello["server"]?["version"]?.stringValue else {
            return Finding(
                .bad, "what answers is not payqueued", advice: "check which socket is meant")
        }
        return Finding(.good, "it is payqueued \(version)")
    }

    private static func roles(_ hello: JSONValue) -> Finding? {
        let roles = hello["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard roles.contains("buy") else {
            return Finding(
                .notable, "this user may not buy (\(roles.joined(separator: ", ")))",
                advice: "ask whoever runs the daemon for the role 'buy'")
        }
        return Finding(.good, "this user may \(roles.joined(separator: ", "))")
    }

    private static func state(_ status: JSONValue, _ connection: String) -> Finding? {
        switch status["state"]?.stringValue {
        case "running": nil
        case "draining":
            Finding(
                .bad, "it is draining: new purchases are refused",
                advice: "'payqueuectl drain off\(connection)' takes them again")
        case let state:
            Finding(.bad, "it is \(state ?? "in no known state")", advice: "look at its log")
        }
    }

    private static func disk(_ persistence: JSONValue?) -> [Finding] {
        guard let persistence else { return [] }
        var findings: [Finding] = []
        if let error = persistence["lastError"]?.stringValue {
            findings.append(
                Finding(.bad, "the disk failed: \(error)", advice: "make room, or look at its log"))
        }
        if persistence["volatile"]?.boolValue == true {
            findings.append(
                Finding(
                    .notable, "the state directory is not on a disk: it is lost at reboot",
                    advice: "give payqueued a --state-directory on a disk"))
        }
        return findings.isEmpty ? [Finding(.good, "the state is kept on a disk")] : findings
    }

    private static func account(_ status: JSONValue, _ connection: String) -> Finding {
        guard let account = status["account"]?.stringValue else {
            if let ended = EndedText.sentence(status) {
                return Finding(
                    .bad, ended, advice: EndedText.advice(status, connection: connection))
            }
            return Finding(
                .bad, "nobody is logged in: nothing is sent to the store",
                advice: "log in with 'payqueuectl login NAME\(connection)'")
        }
        return Finding(.good, "'\(account)' is logged in")
    }

    private static func payments(_ payments: JSONValue?) -> Finding? {
        guard payments?["value"]?.boolValue == false else { return nil }
        // Without a session payments are never allowed; that was said before.
        let reason = payments?["reason"]?.stringValue
        guard reason != "notLoggedIn" else { return nil }
        return Finding(
            .bad, "payments are not allowed" + (reason.map { ": \(Wording.of($0))" } ?? ""),
            advice: "the account's owner has to allow them at the store")
    }

    private static func store(_ store: JSONValue?) -> Finding? {
        guard let store, let state = store["state"]?.stringValue else { return nil }
        let name = store["name"]?.stringValue ?? "the store"
        guard state == "available" else {
            let error = store["lastError"]?.stringValue.map { ": \($0)" } ?? ""
            let next = store["nextTryAt"]?.stringValue.map { "; it is tried again at \($0)" } ?? ""
            return Finding(
                .bad, "\(name) is \(state)\(error)\(next)",
                advice: "purchases wait and lose nothing; check the way to the store")
        }
        return Finding(.good, "\(name) answers")
    }

    private static func observing(
        _ status: JSONValue, _ observers: JSONValue, _ connection: String
    ) -> Finding? {
        let active = (observers["observers"]?.arrayValue ?? []).filter {
            $0["connected"]?.boolValue == true && $0["passive"]?.boolValue != true
        }
        let waiting = status["queue"]?["waitingFor"]?["observer"]?.intValue ?? 0
        if waiting > 0 {
            return Finding(
                .bad, "\(waiting) purchases wait for an observer that would be shown them",
                advice: "keep a subscriber connected, with 'payqueuectl watch --observe"
                    + "\(connection)'")
        }
        guard !active.isEmpty else {
            return Finding(
                .notable, "nobody observes: what is bought now waits",
                advice: "start the application, or 'payqueuectl watch --observe\(connection)'")
        }
        return Finding(.good, "observers: \(active.count)")
    }

    private static func questions(_ questions: JSONValue?, _ connection: String) -> Finding? {
        guard let count = questions?.intValue, count > 0 else { return nil }
        return Finding(
            .notable, "questions that wait for an answer: \(count)",
            advice: "see 'payqueuectl questions\(connection)'")
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    /// Times as the daemon writes them: in UTC, with milliseconds.
    fileprivate static var iso8601WithFractions: Self {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}

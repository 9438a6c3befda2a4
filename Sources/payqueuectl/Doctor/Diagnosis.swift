import FoundationEssentials
import StrictJSON

/// The findings in the daemon's answers. Equal answers give equal findings.
enum Diagnosis {
    /// The findings, in the order in which a purchase encounters them.
    ///
    /// - Parameters:
    ///   - answers: The answers of the daemon.
    ///   - now: The time on this machine, which also is the daemon's.
    ///   - connection: The connection options for suggested commands.
    /// - Returns: The findings.
    static func findings(
        _ answers: DaemonAnswers, now: Date, connection: String
    ) -> [Finding] {
        let status = answers.status
        return [
            version(answers.hello), roles(answers.hello), state(status, connection),
        ].compactMap(\.self)
            + disk(status["persistence"]) + files(status["storage"])
            + [
                clock(status, now), account(status, connection),
                payments(status["canMakePayments"]), store(status["store"]),
                catalogue(answers.products, connection),
                observing(status, answers.observers, connection),
                questions(status["questions"], connection),
            ].compactMap(\.self)
    }

    /// The finding about the clock. A clock that was set back makes deadlines and retention wrong.
    private static func clock(_ status: JSONValue, _ now: Date) -> Finding? {
        let written = [status["since"], status["persistence"]?["lastCommit"]]
            .compactMap { $0?.stringValue }
            .compactMap { try? Date($0, strategy: .iso8601WithFractions) }
        guard let newest = written.max() else { return nil }
        let ahead = Int(newest.timeIntervalSince(now).rounded())
        guard ahead <= 2 else {
            return Finding(
                .bad, "the clock was set back: the newest record is \(ahead) s in the future",
                advice: "check the clock with 'timedatectl status'")
        }
        return Finding(.good, "the clock was not set back")
    }

    private static func catalogue(_ products: JSONValue?, _ connection: String) -> Finding? {
        guard let products = products?["products"]?.arrayValue else { return nil }
        guard products.isEmpty else {
            return Finding(.good, "the catalogue has products for this country")
        }
        return Finding(
            .bad, "the catalogue has no products for this country",
            advice: "check 'payqueuectl products\(connection)' and the daemon's --catalog")
    }

    private static func version(_ hello: JSONValue) -> Finding? {
        guard let version = hello["server"]?["version"]?.stringValue else {
            return Finding(
                .bad, "the program that answers is not payqueued", advice: "check the socket's path"
            )
        }
        return Finding(.good, "the daemon is payqueued \(version)")
    }

    private static func roles(_ hello: JSONValue) -> Finding? {
        let roles = hello["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard roles.contains("buy") else {
            return Finding(
                .notable, "this user may not buy (roles: \(roles.joined(separator: ", ")))",
                advice: "ask the daemon's administrator for the role 'buy'")
        }
        return Finding(.good, "this user has the roles \(roles.joined(separator: ", "))")
    }

    private static func state(_ status: JSONValue, _ connection: String) -> Finding? {
        switch status["state"]?.stringValue {
        case "running": nil
        // Another finding gives the reason.
        case "degraded" where status["storage"]?["readOnly"]?.boolValue == true: nil
        case "draining":
            Finding(
                .bad, "the daemon is draining: it refuses new purchases",
                advice: "accept purchases again with 'payqueuectl drain off\(connection)'")
        case let state:
            Finding(
                .bad, "the daemon is \(state ?? "in an unknown state")", advice: "check its log")
        }
    }

    private static func disk(_ persistence: JSONValue?) -> [Finding] {
        guard let persistence else { return [] }
        var findings: [Finding] = []
        if let error = persistence["lastError"]?.stringValue {
            findings.append(
                Finding(
                    .bad, "the disk failed: \(error)",
                    advice: "free some space, or check the daemon's log"))
        }
        if persistence["volatile"]?.boolValue == true {
            findings.append(
                Finding(
                    .notable, "the state directory is not on a disk and is lost at reboot",
                    advice: "start payqueued with a --state-directory on a disk"))
        }
        return findings.isEmpty ? [Finding(.good, "the state is stored on a disk")] : findings
    }

    private static func files(_ storage: JSONValue?) -> [Finding] {
        guard let storage else { return [] }
        var findings = (storage["damage"]?.arrayValue ?? []).map { damage in
            Finding(
                .bad, DamageText.sentence(damage),
                advice: "'payqueuectl journal verify --deep' says more; restore a backup, or save "
                    + "what is left with 'payqueuectl journal repair'")
        }
        if storage["readOnly"]?.boolValue == true {
            findings.append(
                Finding(
                    .bad, "the daemon only reads its state and takes nothing",
                    advice: "make the disk writable, then start payqueued without --read-only"))
        }
        return findings
    }

    private static func account(_ status: JSONValue, _ connection: String) -> Finding {
        guard let account = status["account"]?.stringValue else {
            if let ended = EndedText.sentence(status) {
                return Finding(
                    .bad, ended, advice: EndedText.advice(status, connection: connection))
            }
            return Finding(
                .bad, "no account is logged in: no purchase is sent to the store",
                advice: "log in with 'payqueuectl login NAME\(connection)'")
        }
        return Finding(.good, "'\(account)' is logged in")
    }

    private static func payments(_ payments: JSONValue?) -> Finding? {
        guard payments?["value"]?.boolValue == false else { return nil }
        switch payments?["reason"]?.stringValue {
        // Another finding gives the reason.
        case "notLoggedIn", "draining", "readOnly", "diskFull": return nil
        case "noOwner":
            return Finding(
                .bad, "this node reaches no owner of the queue: purchases are refused here",
                advice: "see 'payqueuectl cluster status', and check etcd and 'cluster.peer'")
        case let reason:
            return Finding(
                .bad, "payments are not allowed" + (reason.map { ": \(Wording.of($0))" } ?? ""),
                advice: "the account's owner has to allow them in the store")
        }
    }

    private static func store(_ store: JSONValue?) -> Finding? {
        guard let store, let state = store["state"]?.stringValue else { return nil }
        // A node that accepts nothing may not call the store at all.
        guard store["lastError"]?.stringValue?.hasPrefix("not asked") != true else { return nil }
        let name = store["name"]?.stringValue ?? "the store"
        guard state == "available" else {
            let error = store["lastError"]?.stringValue.map { ": \($0)" } ?? ""
            let next = store["nextTryAt"]?.stringValue.map { "; it is tried again at \($0)" } ?? ""
            return Finding(
                .bad, "\(name) is \(state)\(error)\(next)",
                advice: "purchases wait, nothing is lost; check the connection to the store")
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
            let purchases = waiting == 1 ? "1 purchase is" : "\(waiting) purchases are"
            return Finding(
                .bad, "\(purchases) waiting for an observer",
                advice: "keep an observer connected, for example 'payqueuectl watch --observe"
                    + "\(connection)'")
        }
        guard !active.isEmpty else {
            return Finding(
                .notable, "no observer is connected: purchases wait for one",
                advice: "start your application, or 'payqueuectl watch --observe\(connection)'")
        }
        return Finding(.good, "observers: \(active.count)")
    }

    private static func questions(_ questions: JSONValue?, _ connection: String) -> Finding? {
        guard let count = questions?.intValue, count > 0 else { return nil }
        return Finding(
            .notable, "open questions: \(count)",
            advice: "list them with 'payqueuectl questions\(connection)'")
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    /// The date format of the daemon: UTC with milliseconds.
    fileprivate static var iso8601WithFractions: Self {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}

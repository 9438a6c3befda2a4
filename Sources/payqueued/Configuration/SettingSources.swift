import Glibc
import PaymentAPI
import PaymentCore
import PaymentServer
import StrictJSON

/// Looks a setting up in the flags, the environment and the file, in that order.
struct SettingSources {
    let environment: [String: String]
    let file: ConfigurationFile?

    /// A text; nil if nobody says anything.
    func text(
        flag: String?, key: String, name: String?
    ) throws(ConfigurationProblem) -> Setting<String?> {
        if let flag { return Setting(value: flag, source: .flag(Self.flagName(key))) }
        if let name, let value = environment["PAYQUEUED_" + name] {
            return Setting(value: value, source: .environment("PAYQUEUED_" + name))
        }
        if let file, let value = try file.text(key) {
            return Setting(value: value, source: .file(file.path))
        }
        return Setting(value: nil, source: .byDefault)
    }

    /// A truth value; false if nobody says anything.
    func flag(flag: Bool, key: String, name: String) throws(ConfigurationProblem) -> Setting<Bool> {
        if flag { return Setting(value: true, source: .flag(Self.flagName(key))) }
        let variable = "PAYQUEUED_" + name
        if let value = environment[variable] {
            switch value {
            case "1", "true", "yes": return Setting(value: true, source: .environment(variable))
            case "", "0", "false", "no":
                return Setting(value: false, source: .environment(variable))
            default:
                throw ConfigurationProblem(
                    "cannot use '\(value)' as environment \(variable): expected true or false")
            }
        }
        if let file, let value = try file.flag(key) {
            return Setting(value: value, source: .file(file.path))
        }
        return Setting(value: false, source: .byDefault)
    }

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        flag: String?, key: String, name: String, byDefault: Word
    ) throws(ConfigurationProblem) -> Setting<Word> {
        let setting = try text(flag: flag, key: key, name: name)
        guard let value = setting.value else {
            return Setting(value: byDefault, source: .byDefault)
        }
        guard let word = Word(rawValue: value) else {
            let words = Word.allCases.map(\.rawValue)
            let hint = NearestName.find(value, in: words)
            throw ConfigurationProblem(
                "cannot use '\(value)' as '\(key)' [\(setting.source)]: expected "
                    + words.joined(separator: ", ")
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""))
        }
        return Setting(value: word, source: setting.source)
    }

    /// The mode of the socket file, in octal.
    func socketMode() throws(ConfigurationProblem) -> Setting<UInt16> {
        let setting = try text(flag: nil, key: "socketMode", name: nil)
        guard let value = setting.value else { return Setting(value: 0o600, source: .byDefault) }
        guard let mode = UInt16(value, radix: 8), mode <= 0o777 else {
            throw ConfigurationProblem(
                "cannot use '\(value)' as 'socketMode' [\(setting.source)]: expected an octal mode "
                    + "such as 0660")
        }
        return Setting(value: mode, source: setting.source)
    }

    /// The limits, with those changed that the file names.
    func limits() throws(ConfigurationProblem) -> Setting<Limits> {
        let known = Limits.keys.map(\.name)
        let numbers =
            try file?.numbers("limits", known: known, in: 1...Int64(Int32.max)) ?? []
        var limits = Limits()
        for (name, value) in numbers {
            guard let path = Limits.keys.first(where: { $0.name == name })?.path else { continue }
            guard name != "depth" || value <= 512 else {
                throw ConfigurationProblem("limits.depth is \(value): expected 1 to 512")
            }
            let isInRecords = ["keyBytes", "appAccountTokenBytes", "traceBytes"].contains(name)
            guard !isInRecords || value <= RecordBounds.configurableTextBytes else {
                throw ConfigurationProblem(
                    "limits.\(name) is \(value): expected 1 to "
                        + "\(RecordBounds.configurableTextBytes)")
            }
            limits[keyPath: path] = value
        }
        return Setting(value: limits, source: source(numbers.isEmpty))
    }

    /// How long things are kept. What was finished is remembered for 90 days at least, because
    /// clients rely on it; a log of less than a day or a MiB would leave behind every observer
    /// that reconnects.
    func retention() throws(ConfigurationProblem) -> Setting<DaemonConfiguration.Retention> {
        let names = DaemonConfiguration.Retention.names
        let numbers =
            try file?.numbers("retention", known: names, in: 0...Int64(1 << 50)) ?? []
        var retention = DaemonConfiguration.Retention()
        for (name, value) in numbers {
            let range: ClosedRange<Int>
            switch name {
            case "finishedDays":
                range = 90...36_500
                retention.finishedDays = value
            case "logDays":
                range = 1...36_500
                retention.logDays = value
            default:
                range = 1 << 20...1 << 50
                retention.logBytes = value
            }
            guard range.contains(value) else {
                throw ConfigurationProblem(
                    "retention.\(name) is \(value): expected \(range.lowerBound) to "
                        + "\(range.upperBound)")
            }
        }
        return Setting(value: retention, source: source(numbers.isEmpty))
    }

    /// How long things may take.
    func timeouts() throws(ConfigurationProblem) -> Setting<DaemonConfiguration.Timeouts> {
        let names = DaemonConfiguration.Timeouts.names
        let numbers = try file?.numbers("timeouts", known: names, in: 0...3600) ?? []
        var timeouts = DaemonConfiguration.Timeouts()
        for (name, value) in numbers {
            guard name == "drainSeconds" || value > 0 else {
                throw ConfigurationProblem(
                    "timeouts.\(name) is 0: expected 1 to 3600", place: "/timeouts/\(name)")
            }
            switch name {
            case "loginSeconds": timeouts.loginSeconds = value
            case "paymentSeconds": timeouts.paymentSeconds = value
            case "restoreSeconds": timeouts.restoreSeconds = value
            case "reconciliationSeconds": timeouts.reconciliationSeconds = value
            default: timeouts.drainSeconds = value
            }
        }
        return Setting(value: timeouts, source: source(numbers.isEmpty))
    }

    /// Who may do what.
    func roles() throws(ConfigurationProblem) -> Setting<AccessPolicy> {
        var policy = AccessPolicy(ownUser: geteuid())
        let members = try file?.object("roles", known: ["everybody", "users", "groups"]) ?? []
        for member in members {
            switch member.name {
            case "everybody":
                policy.everybody = try roleSet(member.value, at: "/roles/everybody")
            case "users":
                policy.users = try roleTable(member.value, at: "/roles/users") { name in
                    getpwnam(name).map { unsafe $0.pointee.pw_uid }
                }
            default:
                policy.groups = try roleTable(member.value, at: "/roles/groups") { name in
                    getgrnam(name).map { unsafe $0.pointee.gr_gid }
                }
            }
        }
        return Setting(value: policy, source: source(members.isEmpty))
    }

    private func roleTable(
        _ value: JSONValue, at place: String, _ identifier: (String) -> UInt32?
    ) throws(ConfigurationProblem) -> [UInt32: Set<Role>] {
        guard let file, let members = value.members else { return [:] }
        var table: [UInt32: Set<Role>] = [:]
        for member in members {
            guard let id = UInt32(member.name) ?? identifier(member.name) else {
                throw file.wrong("\(place)/\(member.name)", "a number or a name that exists here")
            }
            table[id] = try roleSet(member.value, at: "\(place)/\(member.name)")
        }
        return table
    }

    private func roleSet(
        _ value: JSONValue, at place: String
    ) throws(ConfigurationProblem) -> Set<Role> {
        guard let file else { return [] }
        let words = Role.allCases.map(\.rawValue).joined(separator: ", ")
        guard let values = value.arrayValue else {
            throw file.wrong(place, "a list of \(words)")
        }
        var roles: Set<Role> = []
        for value in values {
            guard let role = value.stringValue.flatMap({ Role(rawValue: $0) }) else {
                throw file.wrong(place, "a list of \(words)")
            }
            roles.insert(role)
        }
        return roles
    }

    private func source(_ isDefault: Bool) -> SettingSource {
        guard !isDefault, let file else { return .byDefault }
        return .file(file.path)
    }

    private static func flagName(_ key: String) -> String {
        key.reduce(into: "--") { name, letter in
            name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }
}

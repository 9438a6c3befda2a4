import PaymentAPI
import StrictJSON

/// Resolves settings from the flags, the environment and the file, in that order.
struct SettingSources {
    let options: DaemonOptions
    let environment: [String: String]
    let file: ConfigurationFile?

    /// A string; nil if no source sets it.
    func text(
        _ name: String, flag: ConfigurationKey.Given? = nil
    ) throws(ConfigurationProblem) -> Setting<String?> {
        let key = key(name)
        if let value = flag?(options), let flag = key.flag {
            return Setting(value: value, source: .flag(flag))
        }
        if let variable = key.variable, let value = environment[variable] {
            return Setting(value: value, source: .environment(variable))
        }
        if let file, let value = try file.text(name) {
            return Setting(value: value, source: .file(file.path))
        }
        return Setting(value: nil, source: .byDefault)
    }

    /// A Boolean value; false if no source sets it.
    func flag(
        _ name: String, flag: @Sendable (DaemonOptions) -> Bool
    ) throws(ConfigurationProblem) -> Setting<Bool> {
        let key = key(name)
        if flag(options), let flag = key.flag { return Setting(value: true, source: .flag(flag)) }
        if let variable = key.variable, let value = environment[variable] {
            switch value {
            case "1", "true", "yes": return Setting(value: true, source: .environment(variable))
            case "", "0", "false", "no":
                return Setting(value: false, source: .environment(variable))
            default:
                throw ConfigurationProblem(
                    "cannot use '\(value)' as environment \(variable): expected true or false")
            }
        }
        if let file, let value = try file.flag(name) {
            return Setting(value: value, source: .file(file.path))
        }
        return Setting(value: false, source: .byDefault)
    }

    /// A value of an enumeration; nil if no source sets it.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, flag: ConfigurationKey.Given?
    ) throws(ConfigurationProblem) -> Setting<Word>? {
        let setting = try text(name, flag: flag)
        guard let value = setting.value else { return nil }
        guard let word = Word(rawValue: value) else {
            let words = Word.allCases.map(\.rawValue)
            let hint = NearestName.find(value, in: words)
            throw ConfigurationProblem(
                "cannot use '\(value)' as '\(name)' [\(setting.source)]: expected "
                    + words.joined(separator: ", ")
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""), place: "/\(name)")
        }
        return Setting(value: word, source: setting.source)
    }

    /// The octal mode of the socket file; nil if no source sets it.
    func socketMode() throws(ConfigurationProblem) -> Setting<UInt16>? {
        let setting = try text("socketMode")
        guard let value = setting.value else { return nil }
        guard let mode = UInt16(value, radix: 8), mode <= 0o777 else {
            throw ConfigurationProblem(
                "cannot use '\(value)' as 'socketMode' [\(setting.source)]: expected an octal mode "
                    + "such as 0660", place: "/socketMode")
        }
        return Setting(value: mode, source: setting.source)
    }

    private func key(_ name: String) -> ConfigurationKey {
        guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else {
            preconditionFailure("'\(name)' is read but is not a configuration key")
        }
        return key
    }
}

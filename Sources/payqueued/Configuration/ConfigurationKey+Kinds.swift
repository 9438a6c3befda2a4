import PaymentAPI
import PaymentServer
import StrictJSON

/// The kinds of keys, each with its functions to read and show a value.
extension ConfigurationKey {
    typealias Path<Value> = any WritableKeyPath<DaemonConfiguration, Value> & Sendable
    typealias Given = @Sendable (DaemonOptions) -> String?

    /// A key with a string value, usually the name of a file.
    static func text(
        _ name: String, _ path: Path<Setting<String?>>, _ meaning: String,
        standard: Standard = .words("none"), example: JSONValue, pattern: String? = nil,
        longest: Int? = nil,
        inDemo: String? = nil, isReloadable: Bool = false, flag: Given? = nil,
        variable: String? = nil
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, meaning: meaning, shape: .text(pattern: pattern, longest: longest),
            standard: standard, example: example, isReloadable: isReloadable,
            hasFlag: flag != nil, namedVariable: variable,
            read: { sources, configuration throws(ConfigurationProblem) in
                var setting = try sources.text(name, flag: flag)
                if setting.value == nil, case .value(.string(let text)) = standard {
                    setting.value = text
                }
                configuration[keyPath: path] = setting
            },
            shown: { configuration in
                let setting = configuration[keyPath: path]
                return (setting.value ?? (configuration.demo.value ? inDemo : nil), setting.source)
            })
    }

    /// A key with a Boolean value.
    static func flag(
        _ name: String, _ path: Path<Setting<Bool>>, _ meaning: String,
        flag: @escaping @Sendable (DaemonOptions) -> Bool
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, meaning: meaning, shape: .flag, standard: .value(false), example: true,
            isReloadable: false, hasFlag: true,
            read: { sources, configuration throws(ConfigurationProblem) in
                configuration[keyPath: path] = try sources.flag(name, flag: flag)
            },
            shown: { configuration in
                let setting = configuration[keyPath: path]
                return ("\(setting.value)", setting.source)
            })
    }

    /// A key with a value of an enumeration.
    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Setting<Word>>, _ meaning: String, standard: Standard,
        example: Word, isReloadable: Bool = false, flag: Given? = nil
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, meaning: meaning, shape: .word(Word.allCases.map(\.rawValue)),
            standard: standard, example: .string(example.rawValue), isReloadable: isReloadable,
            hasFlag: flag != nil,
            read: { sources, configuration throws(ConfigurationProblem) in
                if let found: Setting<Word> = try sources.word(name, flag: flag) {
                    configuration[keyPath: path] = found
                }
            },
            shown: { configuration in
                let setting = configuration[keyPath: path]
                return (setting.value.rawValue, setting.source)
            })
    }

    /// A key inside an object with an integer value.
    static func number(
        _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, example: Int? = nil,
        isReloadable: Bool = false, _ meaning: String
    ) -> ConfigurationKey {
        let standard = DaemonConfiguration.standard[keyPath: path]
        return ConfigurationKey(
            name: name, meaning: meaning, shape: .number(range),
            standard: .value(.integer(standard)), example: .integer(example ?? standard),
            isReloadable: isReloadable, hasFlag: false,
            read: { sources, configuration throws(ConfigurationProblem) in
                guard let file = sources.file, let found = try file.number(name, in: range) else {
                    return
                }
                configuration[keyPath: path] = found
                configuration.namedInFile.insert(name)
            },
            shown: { configuration in
                ("\(configuration[keyPath: path])", configuration.memberSource(name))
            })
    }

    /// The key with the roles of all users.
    static func roles(
        _ name: String, _ path: Path<Set<Role>>, example: JSONValue, _ meaning: String
    ) -> ConfigurationKey {
        let standard = DaemonConfiguration.standard[keyPath: path].map(\.rawValue).sorted()
        return ConfigurationKey(
            name: name, meaning: meaning, shape: .roles,
            standard: .value(.array(standard.map { .string($0) })), example: example,
            isReloadable: true, hasFlag: false,
            read: { sources, configuration throws(ConfigurationProblem) in
                guard let file = sources.file, let found = try file.roles(name) else { return }
                configuration[keyPath: path] = found
                configuration.namedInFile.insert(name)
            },
            shown: { configuration in
                (words(configuration[keyPath: path]), configuration.memberSource(name))
            })
    }

    /// A key with roles of users or groups; `identifier` resolves their names on this machine.
    static func roleTable(
        _ name: String, _ path: Path<[UInt32: Set<Role>]>, example: JSONValue, _ meaning: String,
        identifier: @escaping @Sendable (String) -> UInt32?
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, meaning: meaning, shape: .roleTable, standard: .words("none"),
            example: example, isReloadable: true, hasFlag: false,
            read: { sources, configuration throws(ConfigurationProblem) in
                guard let file = sources.file, let found = try file.roleTable(name, identifier)
                else { return }
                configuration[keyPath: path] = found
                configuration.namedInFile.insert(name)
            },
            shown: { configuration in
                let table = configuration[keyPath: path].sorted { $0.key < $1.key }
                    .map { "\($0.key): \(words($0.value))" }
                return (
                    table.isEmpty ? nil : table.joined(separator: "; "),
                    configuration.memberSource(name)
                )
            })
    }

    private static func words(_ roles: Set<Role>) -> String {
        roles.map(\.rawValue).sorted().joined(separator: ", ")
    }
}

/// A value and where it came from.
struct Setting<Value> {
    var value: Value
    var source: SettingSource
}

extension Setting: Sendable where Value: Sendable {}

/// Where a setting came from. Flags beat the environment, which beats the file, which beats the
/// default.
enum SettingSource: Sendable, CustomStringConvertible {
    case flag(String)
    case environment(String)
    case file(String)
    case serviceManager(String)
    case byDefault

    var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .serviceManager(let name): "service manager \(name)"
        case .byDefault: "default"
        }
    }
}

/// A value with its source.
struct Setting<Value> {
    var value: Value
    var source: SettingSource
}

extension Setting: Sendable where Value: Sendable {}

/// The source of a setting. Flags override the environment, which overrides the file, which
/// overrides the default.
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

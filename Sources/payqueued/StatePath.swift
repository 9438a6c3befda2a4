import FoundationEssentials

/// The path of the state directory.
enum StatePath {
    /// The path from the configuration, the service manager or the user's environment, or that of a
    /// demo. It is absolute, because clients receive paths below it.
    static func resolve(
        _ setting: Setting<String?>, temporary: String?
    ) throws(ConfigurationProblem) -> String {
        if let path = setting.value ?? temporary.map({ "\($0)/state" }) {
            guard !path.isEmpty, !path.hasPrefix("/") else { return path }
            let name = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
            return "\(FileManager.default.currentDirectoryPath)/\(name)"
        }
        throw ConfigurationProblem(
            "no path for the state: pass --state-directory DIR (neither $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME nor $HOME is set)")
    }
}

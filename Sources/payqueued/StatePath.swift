/// The path of the state directory.
enum StatePath {
    /// The path from the configuration, the service manager or the user's environment, or that of a
    /// demo.
    static func resolve(
        _ setting: Setting<String?>, temporary: String?
    ) throws(ConfigurationProblem) -> String {
        if let path = setting.value ?? temporary.map({ "\($0)/state" }) { return path }
        throw ConfigurationProblem(
            "no path for the state: pass --state-directory DIR (neither $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME nor $HOME is set)")
    }
}

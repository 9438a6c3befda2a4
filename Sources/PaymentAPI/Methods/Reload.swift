import StrictJSON

/// `reload`: read the configuration again.
public enum Reload: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The settings that changed.
    public struct Result: WireResult, Hashable {
        /// The settings that changed, by their configuration keys, such as `limits.depth`.
        public var changed: [String]

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "changed", \.changed, .list(of: .text), "The keys of the settings that changed.")
        ])

        /// Lists settings.
        public init(changed: [String]) {
            self.changed = changed
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "reload",
        summary: "Reload the configuration",
        description: """
            Reads the configuration file and the catalogue again, and applies what can change \
            while the daemon runs. If a file is refused, nothing changes.
            """,
        errors: [.configurationRefused, .tooManyInFlight, .cancelled],
        role: .admin, queueCheck: .nothing,
        waits: true,
        example: Result(changed: ["logLevel", "roles"]))
}

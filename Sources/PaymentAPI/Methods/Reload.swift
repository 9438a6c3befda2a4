import StrictJSON

/// `reload`: reload the configuration.
public enum Reload: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The changed settings.
    public struct Result: WireResult, Hashable {
        /// The configuration keys of the changed settings, such as `limits.depth`.
        public var changed: [String]

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "changed", \.changed, .list(of: .text), "The keys of the settings that changed.")
        ])

        /// Creates a result.
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
        errors: [.configurationRefused, .tooManyInFlight, .shareExceeded, .cancelled],
        role: .admin,
        waits: true, isForChanges: false, hasEffect: true,
        example: Result(changed: ["logLevel", "roles"]))
}

public import StrictJSON

/// `reload`: read the configuration again.
public enum Reload: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The settings that changed.
    public struct Result: WireResult, Hashable {
        /// The settings that changed, by their configuration keys, such as `limits.depth`.
        public var changed: [String]

        /// Makes a result.
        public init(changed: [String]) {
            self.changed = changed
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"changed\":")
            writer.strings(changed)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "reload",
        summary: "Reload the configuration",
        description: """
            Reads the configuration file and the catalogue again, and applies what can change \
            while the daemon runs. If a file is refused, nothing changes.
            """,
        resultSchema: Schema.object([
            Schema.required(
                "changed", Schema.list(of: Schema.text), "The keys of the settings that changed.")
        ]),
        errors: [.configurationRefused, .tooManyInFlight, .cancelled],
        role: .admin,
        waits: true,
        example: .init(result: Result(changed: ["logLevel", "roles"])))
}

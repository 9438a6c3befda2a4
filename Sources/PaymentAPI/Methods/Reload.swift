public import StrictJSON

/// `reload`: read the configuration again.
public enum Reload: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// What is different now.
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

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "reload",
        summary: "Read the configuration again",
        description: """
            Reads the configuration file and the catalogue again and puts into force what can \
            change while the daemon runs. All of it or nothing: a file that is refused leaves \
            everything as it was.
            """,
        resultSchema: Schema.object([
            Schema.required(
                "changed", Schema.list(of: Schema.text), "The settings that changed, by key.")
        ]),
        errors: [.configurationRefused, .tooManyInFlight, .cancelled],
        role: .admin,
        waits: true,
        example: .init(result: Result(changed: ["logLevel", "roles"])))
}

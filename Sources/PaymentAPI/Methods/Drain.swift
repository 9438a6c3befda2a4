public import StrictJSON

/// `drain`: take no new work.
public enum Drain: Method {
    /// Whether to.
    public struct Params: Sendable, Hashable {
        /// Whether new work is refused from now on.
        public var isOn: Bool

        /// Makes the parameters.
        public init(isOn: Bool) {
            self.isOn = isOn
        }
    }

    /// What the daemon does now.
    public struct Result: WireResult, Hashable {
        /// What the daemon does now.
        public var state: StatusReport.State

        /// Makes a result.
        public init(state: StatusReport.State) {
            self.state = state
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"state\":")
            writer.string(state.rawValue)
            writer.raw("}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "drain",
        summary: "Take no new work",
        description: """
            With on true, add and restore are refused with error -32006 and everything else goes \
            on; the answer comes when no order is under way at the store any more. A call that is \
            cancelled meanwhile leaves it on. With on false, new work is taken again. A restart \
            takes it back.
            """,
        parameters: [
            .required("on", .flag, "Whether new work is refused.")
        ],
        resultSchema: Schema.object([
            Schema.required(
                "state", Schema.words(StatusReport.State.allCases.map(\.rawValue)),
                "What the daemon does now.")
        ]),
        errors: [.tooManyInFlight, .cancelled],
        role: .admin,
        waits: true,
        example: .init(params: ["on": true], result: Result(state: .draining)))

    private enum Place: Int, ParameterPlace {
        case on
    }

    /// Takes whether to.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(isOn: arguments.flag(Place.on) == true)
    }
}

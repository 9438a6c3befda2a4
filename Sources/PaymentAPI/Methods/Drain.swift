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

    /// The state of the daemon now.
    public struct Result: WireResult, Hashable {
        /// The state of the daemon now.
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

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "drain",
        summary: "Stop accepting new payments, or resume",
        description: """
            With on true, add and restore fail with error -32006 and everything else continues; \
            the reply comes when no order is in flight at the store. If the call is cancelled \
            meanwhile, draining stays on. With on false, new payments are accepted again. A \
            restart also ends draining.
            """,
        parameters: [
            .required("on", .flag, "Whether new payments are refused.")
        ],
        resultSchema: Schema.object([
            Schema.required(
                "state", Schema.words(StatusReport.State.allCases.map(\.rawValue)),
                "The state of the daemon.")
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

import StrictJSON

/// `drain`: refuse or accept new payments.
public enum Drain: Method {
    /// The requested state.
    public struct Params: ParameterRecord {
        /// True to refuse new payments.
        public var isOn = false

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required("on", \.isOn, .flag, "Whether new payments are refused.", example: true)
        ]

        /// Creates parameters that accept new payments.
        public init() {}
    }

    /// The state after the call.
    public struct Result: WireResult, Hashable {
        /// The state of the daemon.
        public var state: StatusReport.State

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("state", \.state, .word, "The state of the daemon.")
        ])

        /// Creates a result.
        public init(state: StatusReport.State) {
            self.state = state
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "drain",
        summary: "Stop accepting new payments, or resume",
        description: """
            With on true, add and restore fail with error -32006 and everything else continues; \
            the reply comes when no order is in flight at the store. If the call is cancelled \
            meanwhile, draining stays on. With on false, new payments are accepted again. A \
            restart also ends draining.
            """,
        errors: [.tooManyInFlight, .shareExceeded, .cancelled, .notDurable],
        role: .admin,
        waits: true,
        example: Result(state: .draining))
}

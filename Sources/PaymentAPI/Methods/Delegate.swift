public import PaymentCore
public import StrictJSON

/// `delegate`: what happens when a charge would not be the one that was shown.
public enum Delegate: Method {
    /// The members to change; all others stay.
    public struct Params: Sendable, Hashable {
        /// The policy for a changed country or price.
        public var mode: GatePolicy.Mode?
        /// How long silence is waited for.
        public var timeout: Duration?
        /// The answer that applies if none is given in time.
        public var fallback: Bool?
        /// The policy after a login that an `add` caused.
        public var afterLogin: GatePolicy.AfterLogin?

        /// Makes the parameters.
        public init(
            mode: GatePolicy.Mode? = nil, timeout: Duration? = nil, fallback: Bool? = nil,
            afterLogin: GatePolicy.AfterLogin? = nil
        ) {
            self.mode = mode
            self.timeout = timeout
            self.fallback = fallback
            self.afterLogin = afterLogin
        }

        /// Whether the call only looks.
        public var isEmpty: Bool {
            mode == nil && timeout == nil && fallback == nil && afterLogin == nil
        }

        /// A policy with the change made to it.
        public func applied(to policy: GatePolicy) -> GatePolicy {
            GatePolicy(
                mode: mode ?? policy.mode,
                timeoutMs: timeout.map(\.wholeMilliseconds) ?? policy.timeoutMs,
                fallback: fallback ?? policy.fallback,
                afterLogin: afterLogin ?? policy.afterLogin)
        }
    }

    /// The current policy.
    public struct Result: WireResult, Hashable {
        /// The policy.
        public var policy: GatePolicy
        /// The record of the change, or the position as of which it is in force.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(policy: GatePolicy, sequence: SequenceNumber) {
            self.policy = policy
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("mode")
            writer.string(policy.mode.wireWord)
            writer.name("timeout")
            writer.seconds(milliseconds: policy.timeoutMs)
            writer.name("fallback")
            writer.bool(policy.fallback)
            writer.name("afterLogin")
            writer.string(policy.afterLogin.wireWord)
            writer.name("seq")
            writer.integer(sequence)
            writer.endObject()
        }
    }

    /// The shortest and the longest time that silence may be waited for, in seconds.
    static let patience: ClosedRange<Int64> = 1...300

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "delegate",
        summary: "Show or set the policy for a changed country or price",
        description: """
            One durable policy for the whole queue. If a transaction would be charged in another \
            country, or at another price, than was shown at add, it proceeds (continue), leaves \
            the queue with discardedByGate (stop), or waits for an answer (ask). Without \
            parameters the policy is only shown; parameters that are absent stay as they are.
            """,
        parameters: [
            .optional(
                "mode", .word(GatePolicy.Mode.allCases.map(\.wireWord)),
                "The policy for a changed country or price.", needs: .gate),
            .optional(
                "timeout", .seconds(patience),
                """
                The time to answer, in seconds, from the moment the question reached an agent.
                """, needs: .gate),
            .optional(
                "fallback", .flag,
                """
                The answer that applies if none is given in time: true proceeds, false stops.
                """,
                needs: .gate),
            .optional(
                "afterLogin", .word(GatePolicy.AfterLogin.allCases.map(\.wireWord)),
                "The policy after a login that an add asked for.", needs: .gate),
        ],
        resultSchema: Schema.object([
            Schema.required(
                "mode", Schema.words(GatePolicy.Mode.allCases.map(\.wireWord)),
                """
                The current policy.
                """),
            Schema.required(
                "timeout", ["type": "number", "minimum": 0],
                """
                The time to answer, in seconds.
                """),
            Schema.required(
                "fallback", Schema.flag,
                """
                The answer that applies if none is given in time.
                """),
            Schema.required(
                "afterLogin", Schema.words(GatePolicy.AfterLogin.allCases.map(\.wireWord)),
                "The policy after a login that an add asked for."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of the change; the newest record if nothing changed.
                """),
        ]),
        errors: [.notDurable],
        role: .observe,
        example: .init(
            params: ["mode": "ask", "timeout": 30],
            result: Result(policy: GatePolicy(mode: .ask, timeoutMs: 30_000), sequence: 5)))

    private enum Place: Int, ParameterPlace {
        case mode, timeout, fallback, afterLogin
    }

    /// Takes what to change.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            mode: arguments.word(Place.mode, in: bytes),
            timeout: arguments.seconds(Place.timeout, in: bytes),
            fallback: arguments.flag(Place.fallback),
            afterLogin: arguments.word(Place.afterLogin, in: bytes))
    }
}

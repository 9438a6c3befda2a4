public import PaymentCore
import StrictJSON

/// `delegate`: show or set the policy for charges that differ from the shown ones.
public enum Delegate: Method {
    /// The members of the policy to change; nil leaves a member unchanged.
    public struct Params: ParameterRecord {
        /// The policy for a changed country or price.
        public var mode: GatePolicy.Mode?
        /// The time limit for an answer.
        public var timeout: Duration?
        /// The answer that applies if none is given in time.
        public var fallback: Bool?
        /// The policy after a login that an `add` caused.
        public var afterLogin: GatePolicy.AfterLogin?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "mode", \.mode, .word, "The policy for a changed country or price.",
                needs: .gate, example: "ask"),
            .optional(
                "timeout", \.timeout, .seconds(1...300),
                "The time to answer, in seconds, from the moment the question reached an agent.",
                needs: .gate, example: 30),
            .optional(
                "fallback", \.fallback, .flag,
                """
                The answer that applies if none is given in time: true proceeds, false stops.
                """, needs: .gate),
            .optional(
                "afterLogin", \.afterLogin, .word,
                "The policy after a login that an add asked for.", needs: .gate),
        ]

        /// Creates parameters that change nothing.
        public init() {}

        /// True if the call only reads the policy.
        public var isEmpty: Bool {
            mode == nil && timeout == nil && fallback == nil && afterLogin == nil
        }

        /// A policy with the changes applied.
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
        /// The sequence number of the record of the change; the newest record if nothing changed.
        public var sequence: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("mode", \.policy.mode, .word, "The current policy."),
            .required(
                "timeout", \.policy.timeoutMs,
                ResultForm(["type": "number", "minimum": 0]) { $1.seconds(milliseconds: $0) },
                "The time to answer, in seconds."),
            .required(
                "fallback", \.policy.fallback, .flag,
                "The answer that applies if none is given in time."),
            .required(
                "afterLogin", \.policy.afterLogin, .word,
                "The policy after a login that an add asked for."),
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record of the change; the newest record if nothing \
                changed.
                """),
        ])

        /// Creates a result.
        public init(policy: GatePolicy, sequence: SequenceNumber) {
            self.policy = policy
            self.sequence = sequence
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "delegate",
        summary: "Show or set the policy for a changed country or price",
        description: """
            One durable policy for the whole queue. If a transaction would be charged in another \
            country, or at another price, than was shown at add, it proceeds (continue), leaves \
            the queue with discardedByGate (stop), or waits for an answer (ask). Without \
            parameters the policy is only shown; parameters that are absent stay as they are.
            """,
        errors: [.notDurable],
        role: .observe, hasEffect: true,
        example: Result(policy: GatePolicy(mode: .ask, timeoutMs: 30_000), sequence: 5))
}

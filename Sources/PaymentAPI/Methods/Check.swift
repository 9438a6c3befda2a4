public import JSONRPC
public import PaymentCore
public import StrictJSON

/// `check`: check a call without executing it.
public enum Check: Method {
    /// The call to check.
    public struct Params: ParameterRecord {
        /// The name of the method.
        public var method = ""
        /// The token index of the call's parameters, on the tape of the line; nil for none.
        public var params: Int?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "method", \.method, ParameterForm<OpaqueText>.text().map(\.string),
                "The method.", example: "add"),
            .optional(
                "params", \.params, .parameters, "The parameters to check.",
                example: ["product": "coins.100"]),
        ]

        /// Creates parameters with an empty method name.
        public init() {}
    }

    /// The result for a call that would be accepted.
    public struct Result: WireResult, Hashable {
        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("ok", { _ in true }, .flag, "Always true; a refusal is an error.")
        ])

        /// Creates a result.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "check",
        summary: "Check a call without executing it",
        description: """
            Decodes the parameters as the method itself does, and returns the same error if they \
            are wrong, or if the daemon knows without the store that it would refuse the call now. \
            It changes nothing and sends nothing to the store.
            """,
        errors: [
            .methodNotFound, .unknownProduct, .keyReuse, .paymentsNotAllowed, .queueFull,
            .alreadyLive, .unknownTransaction, .draining, .notDurable, .storeUnavailable,
            .connectionError, .shareExceeded, .indexRebuilding, .cursorAhead, .unknownObserver,
            .notLoggedIn,
        ],
        role: .observe,
        example: Result())

    /// Checks the method, the role and the parameters of a call.
    ///
    /// - Parameters:
    ///   - params: The call to check.
    ///   - roles: The roles of the peer.
    ///   - limits: The lengths that the configuration limits.
    ///   - tape: The tape of the line with `params`.
    ///   - bytes: The bytes of the line.
    /// - Returns: The error of the call; nil if it has none.
    public static func verdict(
        _ params: Params, roles: Set<Role>, limits: Limits, tape: JSONTape, in bytes: Span<UInt8>
    ) -> ErrorObject? {
        guard let method = Contract.method(named: params.method) else {
            return Failures.methodNotFound(params.method)
        }
        guard roles.contains(method.spec.role) else {
            return Failures.forbidden(need: method.spec.role)
        }
        do throws(InvalidParameters) {
            try Contract.check(
                method, tape: tape, params: params.params, in: bytes, limits: limits)
            return nil
        } catch {
            return error.errorObject
        }
    }
}

public import JSONRPC
import PaymentCore
public import StrictJSON

/// `check`: would this call be taken?
public enum Check: Method {
    /// The call to check.
    public struct Params: ParameterRecord {
        /// The name of the method.
        public var method = ""
        /// The token of its parameters on the tape that the call was scanned to, nil for none.
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

        /// Checks no method.
        public init() {}
    }

    /// It would.
    public struct Result: WireResult, Hashable {
        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("ok", { _ in true }, .flag, "Always true; a refusal is an error.")
        ])

        /// Says that the call would be taken.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "check",
        summary: "Check a call without executing it",
        description: """
            Decodes the parameters as the method itself does, and returns the same error if they \
            are wrong, or if the queue would refuse an add, a restore or a finish now. It changes \
            nothing and sends nothing to the store.
            """,
        errors: [
            .methodNotFound, .unknownProduct, .keyReuse, .paymentsNotAllowed, .queueFull,
            .alreadyLive, .unknownTransaction, .draining, .notDurable, .storeUnavailable,
            .connectionError, .shareExceeded,
        ],
        role: .observe, queueCheck: .nothing,
        example: Result())

    /// Reads a call as the method it names would, without making it.
    ///
    /// - Parameters:
    ///   - params: The call to check.
    ///   - roles: What the peer may do.
    ///   - tape: The tape of the line that `params` was read from.
    ///   - bytes: That line.
    /// - Returns: What the method would refuse before its first effect; nil if nothing.
    public static func verdict(
        _ params: Params, roles: Set<Role>, tape: JSONTape, in bytes: Span<UInt8>
    ) -> ErrorObject? {
        guard let method = Contract.method(named: params.method) else {
            return Failures.methodNotFound(params.method)
        }
        guard roles.contains(method.spec.role) else {
            return Failures.forbidden(need: method.spec.role)
        }
        do throws(InvalidParameters) {
            try Contract.check(method, tape: tape, params: params.params, in: bytes)
            return nil
        } catch {
            return error.errorObject
        }
    }
}

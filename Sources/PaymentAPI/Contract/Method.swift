public import PaymentCore
public import StrictJSON

/// A method of the contract: its description, its parameters and its result.
///
/// Each method has its own file. A new method needs that file, an entry in ``Contract/methods``,
/// and an implementation in the server.
public protocol Method: Sendable {
    /// The checked parameters of a call.
    associatedtype Params: ParameterRecord
    /// The result of a call.
    associatedtype Result: WireResult

    /// The method's entry in the contract.
    static var spec: MethodSpec { get }

    /// Decodes the parameters from arguments that match ``spec``. Only very frequent methods
    /// implement it.
    ///
    /// - Throws: A violation that involves several parameters, such as two that exclude each other.
    static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params
}

extension Method {
    /// Decodes the parameters by the list in ``ParameterRecord/parameters``.
    ///
    /// - Throws: A violation that involves several parameters.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        try Params(arguments, in: bytes)
    }
}

/// The parameters and the trace context of a call.
public struct Call<Params: Sendable>: Sendable {
    /// The parameters.
    public let params: Params
    /// The trace context, which the records of the call repeat.
    public let trace: OpaqueText?
}

extension Method {
    /// Decodes the parameters of a call.
    ///
    /// - Parameters:
    ///   - tape: The tape of the line.
    ///   - params: The index of the parameters' token, an object or an array; nil for none.
    ///   - bytes: The bytes of the line.
    ///   - limits: The lengths that the configuration limits.
    /// - Returns: The checked parameters and the trace context.
    /// - Throws: The first violation: unknown names in the order of the line, then each parameter
    ///   in the order of the contract.
    public static func call(
        _ tape: JSONTape, params: Int?, in bytes: Span<UInt8>, limits: Limits = Limits()
    ) throws(InvalidParameters) -> Call<Params> {
        let arguments = try Arguments(
            spec, tape: tape, params: params, in: bytes, limits: limits)
        return Call(
            params: try decode(arguments, in: bytes), trace: arguments.trace(in: bytes))
    }
}

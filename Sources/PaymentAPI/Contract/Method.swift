public import PaymentCore
public import StrictJSON

/// A method of the contract: its description, its parameters and its result.
///
/// One file per method. To add one: write the file, list it in ``Contract/methods``, serve it.
public protocol Method: Sendable {
    /// The parameters of a call, checked.
    associatedtype Params: ParameterRecord
    /// The result of a call.
    associatedtype Result: WireResult

    /// The method's entry in the contract.
    static var spec: MethodSpec { get }

    /// Takes the parameters out of arguments that match ``spec``. Only a method that is called very often
    /// has code of its own for it.
    ///
    /// - Throws: What no single parameter shows, such as two that exclude each other.
    static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params
}

extension Method {
    /// Takes the parameters by their list.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        try Params(arguments, in: bytes)
    }
}

/// The parameters of a call and the trace context that came with them.
public struct Call<Params: Sendable>: Sendable {
    /// The parameters.
    public let params: Params
    /// The trace context, echoed in the records that the call causes.
    public let trace: OpaqueText?
}

extension Method {
    /// Reads the parameters of one call.
    ///
    /// - Parameters:
    ///   - tape: The scanned line.
    ///   - params: The token of the object or array of parameters, nil if the call has none.
    ///   - bytes: The line that was scanned.
    /// - Returns: The parameters, checked, and the trace context.
    /// - Throws: The first thing wrong: unknown names in the order of the line, then each parameter
    ///   in the order of the contract.
    public static func call(
        _ tape: JSONTape, params: Int?, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Call<Params> {
        let arguments = try Arguments(spec, tape: tape, params: params, in: bytes)
        return Call(
            params: try decode(arguments, in: bytes), trace: arguments.trace(in: bytes))
    }
}

public import PaymentCore
public import StrictJSON

/// A method of the contract: its description, its parameters and its result.
///
/// One file per method. To add one: write the file, list it in ``Contract/methods``, serve it.
public protocol Method: Sendable {
    /// The parameters of a call, checked.
    associatedtype Params: Sendable
    /// The result of a call.
    associatedtype Result: WireResult

    /// The method's entry in the contract.
    static var spec: MethodSpec { get }

    /// Takes the parameters out of arguments that match ``spec``.
    ///
    /// - Throws: What no single parameter shows, such as two that exclude each other.
    static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params
}

/// A result that writes itself in a fixed order of members.
public protocol WireResult: Sendable {
    /// Appends the result, one JSON value.
    func write(into writer: inout JSONWriter)
}

extension WireResult {
    /// The result as a value, for examples and tests; null only if ``write(into:)`` is broken.
    public var jsonValue: JSONValue {
        var writer = JSONWriter()
        write(into: &writer)
        return (try? JSONValue(parsing: writer.bytes)) ?? .null
    }
}

/// The parameters of a method that has none.
public struct NoParameters: Sendable, Hashable {
    /// Nothing to say.
    public init() {}
}

extension Method where Params == NoParameters {
    /// There is nothing to take.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> NoParameters {
        NoParameters()
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

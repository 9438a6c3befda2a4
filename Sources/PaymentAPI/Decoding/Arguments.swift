public import PaymentCore
public import StrictJSON

/// The parameters of a call, located and checked, but not yet decoded.
///
/// It holds only the positions of the parameters in the line. It allocates nothing, and unread
/// parameters cost nothing. The methods must receive the same bytes that were checked.
public struct Arguments {
    /// The most parameters of a method.
    static let capacity = 16
    /// The trace context, which every method takes.
    static let trace = ParameterSpec.optional("trace", .configured(.trace), "")

    let tape: JSONTape
    private var places = InlineArray<16, Int32>(repeating: -1)
    private var tracePlace: Int32 = -1

    /// Locates and checks the parameters of a call.
    ///
    /// - Parameters:
    ///   - spec: The contract entry of the method.
    ///   - tape: The tape of the line.
    ///   - params: The index of the parameters' token, an object or an array; nil for none.
    ///   - bytes: The bytes of the line.
    ///   - limits: The lengths that the configuration limits.
    /// - Throws: The first violation. Unknown names come first, in the order of the line. Then each
    ///   parameter is checked in the order of the contract: missing, of a wrong type, or not
    ///   allowed.
    public init(
        _ spec: MethodSpec, tape: JSONTape, params: Int?, in bytes: Span<UInt8>,
        limits: Limits = Limits()
    ) throws(InvalidParameters) {
        precondition(
            spec.parameters.count <= Self.capacity,
            "method '\(spec.name)' has more parameters than Arguments can hold")
        self.tape = tape
        if let params {
            switch tape.tokens[params].kind {
            case .object: try locateMembers(of: params, spec, in: bytes)
            case .array: try locateElements(of: params, spec)
            default: throw InvalidParameters(.wrongType, at: "", expected: Self.expectation(spec))
            }
        }
        for (position, parameter) in spec.parameters.enumerated() {
            try check(parameter, at: Int(places[position]), in: bytes, limits)
        }
        if tracePlace >= 0 { try check(Self.trace, at: Int(tracePlace), in: bytes, limits) }
    }

    /// The token index of the parameter at a position of the contract; nil if the call omits it.
    func token(at place: Int) -> Int? {
        let token = places[place]
        return token < 0 ? nil : Int(token)
    }

    /// The string parameter at a position of the contract, for hand-written decoding; nil if
    /// omitted.
    func text(at place: Int, in bytes: Span<UInt8>) -> OpaqueText? {
        token(at: place).map { OpaqueText(tape.text($0, in: bytes)) }
    }

    /// The trace context of the call; nil if it has none.
    func trace(in bytes: Span<UInt8>) -> OpaqueText? {
        tracePlace < 0 ? nil : OpaqueText(tape.text(Int(tracePlace), in: bytes))
    }

    private mutating func locateMembers(
        of object: Int, _ spec: MethodSpec, in bytes: Span<UInt8>
    ) throws(InvalidParameters) {
        let end = Int(tape.tokens[object].next)
        var name = object + 1
        while name < end {
            let value = name + 1
            if let position = position(ofName: name, spec, in: bytes) {
                places[position] = Int32(value)
            } else if tape.matches(name, "trace", in: bytes) {
                tracePlace = Int32(value)
            } else {
                throw unknownName(tape.text(name, in: bytes), spec)
            }
            name = Int(tape.tokens[value].next)
        }
    }

    private func position(
        ofName name: Int, _ spec: MethodSpec, in bytes: Span<UInt8>
    ) -> Int? {
        for position in spec.parameters.indices
        where tape.matches(name, spec.parameters[position].name, in: bytes) {
            return position
        }
        return nil
    }

    private mutating func locateElements(
        of array: Int, _ spec: MethodSpec
    ) throws(InvalidParameters) {
        let count = Int(tape.tokens[array].count)
        guard count > 0 else { return }
        guard spec.acceptsArrays else {
            throw InvalidParameters(.wrongType, at: "", expected: Self.expectation(spec))
        }
        guard count <= spec.parameters.count else {
            throw InvalidParameters(
                .unknownParam, at: "/\(spec.parameters.count)", expected: Self.expectation(spec))
        }
        var element = array + 1
        for position in 0..<count {
            places[position] = Int32(element)
            element = Int(tape.tokens[element].next)
        }
    }

    private func check(
        _ parameter: ParameterSpec, at token: Int, in bytes: Span<UInt8>, _ limits: Limits
    ) throws(InvalidParameters) {
        guard token >= 0 else {
            guard parameter.isRequired else { return }
            throw InvalidParameters(
                .missingParam, at: InvalidParameters.path("", parameter.name.description),
                expected: parameter.shape.expectation)
        }
        let problem: InvalidParameters?
        if case .configured(let length) = parameter.shape {
            problem = length.shape(limits).problem(at: token, tape, in: bytes)
        } else {
            problem = parameter.shape.problem(at: token, tape, in: bytes)
        }
        guard let problem else { return }
        throw problem.below(parameter.name.description)
    }

    private func unknownName(_ name: String, _ spec: MethodSpec) -> InvalidParameters {
        let names = spec.parameters.map(\.name.description)
        return InvalidParameters(
            .unknownParam, at: InvalidParameters.path("", name),
            expected: names.isEmpty ? "no parameters" : nil,
            given: name, accepted: names + ["trace"])
    }

    private static func expectation(_ spec: MethodSpec) -> String {
        let names = spec.parameters.map(\.name.description).joined(separator: ", ")
        guard !spec.parameters.isEmpty else { return "no parameters" }
        return spec.acceptsArrays
            ? "an object or an array of \(names)" : "an object with \(names)"
    }
}

import JSONRPC
import PaymentAPI
import StrictJSON

@testable import PaymentAPI

/// The parameters of every method. The spelling of a text does not change the verdict, and the quick decoder
/// of a method reads what the list of its parameters reads.
///
/// The first line of an input names a method; a name that does not exist stands for some method.
enum Parameters {
    static func check(_ input: [UInt8]) throws(Violation) {
        let end = input.firstIndex(of: 10) ?? input.count
        let name = input[..<end]
        let place =
            names.firstIndex { $0.elementsEqual(name) }
            ?? name.reduce(0) { ($0 * 31 + Int($1)) & 0xFFFF } % names.count
        let text = Array(input[min(input.count, end + 1)...])
        try check(Contract.methods[place], text)
    }

    private static let names = Contract.names.map { Array($0.utf8) }

    private static func check<Checked: Method>(
        _ method: Checked.Type, _ text: [UInt8]
    ) throws(Violation) {
        guard let respelled = Texts.canonical(text, limits: JSONLimits()) else { return }
        let given = verdict(method, text)
        let spelled = verdict(method, respelled)
        switch (given, spelled) {
        case (.success(let given), .success(let spelled)):
            try require(
                isSame(given, spelled),
                "another spelling, other parameters: \(given), \(spelled)")
        case (.failure(let given), .failure(let spelled)):
            // The limit of a value of any kind counts the bytes as they are written.
            try require(
                given == spelled || given.kind == .tooLong,
                "another spelling, another verdict: \(given), \(spelled)")
            try checkWritten(given)
        case (.failure(let given), .success):
            try require(given.kind == .tooLong, "refused, and not when respelled: \(given)")
        case (.success, .failure(let spelled)):
            throw Violation("accepted, and not when respelled: \(spelled)")
        }
        try compareDecoders(method, text)
    }

    /// Whether two spellings have given the same parameters. What is sent back or compared as it was sent keeps its
    /// spelling.
    private static func isSame<Params: Equatable>(_ given: Params, _ spelled: Params) -> Bool {
        switch (given, spelled) {
        case (let given as Cancel.Params, let spelled as Cancel.Params):
            Texts.canonical(given.id) == spelled.id
        case (let given as Ping.Params, let spelled as Ping.Params):
            given.payload.flatMap { Texts.canonical($0) } == spelled.payload
        default: given == spelled
        }
    }

    private static func verdict<Checked: Method>(
        _ method: Checked.Type, _ text: [UInt8]
    ) -> Result<Checked.Params, InvalidParameters> {
        var tape = JSONTape()
        guard (try? tape.scan(text.span)) != nil else {
            return .failure(InvalidParameters(.wrongType, at: "not JSON"))
        }
        do throws(InvalidParameters) {
            let params = try method.call(tape, params: 0, in: text.span).params
            return .success(params)
        } catch {
            return .failure(error)
        }
    }

    private static func compareDecoders<Checked: Method>(
        _ method: Checked.Type, _ text: [UInt8]
    ) throws(Violation) {
        var tape = JSONTape()
        guard (try? tape.scan(text.span)) != nil,
            let arguments = try? Arguments(method.spec, tape: tape, params: 0, in: text.span)
        else { return }
        let quick = try? method.decode(arguments, in: text.span)
        let listed = try? Checked.Params(arguments, in: text.span)
        try require(quick == listed, "two decoders read \(quick as Any), \(listed as Any)")
    }

    private static func checkWritten(_ fault: InvalidParameters) throws(Violation) {
        var writer = JSONWriter()
        writer.writeError(fault.errorObject)
        try require(
            (try? JSONValue(parsing: writer.bytes)) != nil, "the error is not JSON: \(fault)")
    }
}

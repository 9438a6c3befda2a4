import JSONRPC
import StrictJSON

/// The scanner of requests, which reads positions, compared with a reading of the value as a tree.
enum Requests {
    private static let limits = JSONLimits(maximumDepth: 8, maximumTokens: 128)
    private static let batchLimit = 8

    static func check(_ input: [UInt8]) throws(Violation) {
        var scanner = RequestScanner(limits: limits)
        let line = scanner.scan(input.span, batchLimit: batchLimit)
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONValue(parsing: input.span, limits: limits)
        } catch {
            guard case .fault(let fault) = line else {
                throw Violation("the scanner accepts, the parser does not: \(error)")
            }
            try require(
                fault.kind.rawValue == error.kind.rawValue && fault.offset == error.offset,
                "the scanner: \(fault), the parser: \(error)")
            return try checkReply(to: fault, in: input)
        }
        switch line {
        case .fault(let fault):
            try require(fault.offset == nil, "the parser accepts: \(fault)")
            if let elements = value.arrayValue {
                try require(
                    elements.isEmpty
                        ? fault.kind == .emptyBatch
                        : fault.kind == .batchTooLarge && elements.count > batchLimit,
                    "a batch of \(elements.count): \(fault)")
                try checkReply(to: fault, in: input)
            } else {
                try check(fault, value, input)
            }
        case .request(let request):
            try check(request, value, scanner.tape, input)
        case .batch(let batch):
            let elements = value.arrayValue ?? []
            try require(
                batch.count == elements.count && (1...batchLimit).contains(batch.count),
                "\(batch.count) of \(elements.count) elements")
            for (element, value) in zip(batch, elements) {
                switch element {
                case .request(let request): try check(request, value, scanner.tape, input)
                case .fault(let fault): try check(fault, value, input)
                }
            }
        }
    }

    /// The fault of a value as a request; nil if it is a request.
    private static func problem(of value: JSONValue) -> RPCFault.Kind? {
        guard value.members != nil else { return .notAnObject }
        if value["result"] != nil || value["error"] != nil { return .badMethod }
        switch value["id"] {
        case .none, .null, .string, .number: break
        case .bool, .array, .object: return .badId
        }
        if value["jsonrpc"] != "2.0" { return .badVersion }
        guard value["method"]?.stringValue != nil else { return .badMethod }
        switch value["params"] {
        case .none, .array, .object: return nil
        case .null, .bool, .number, .string: return .badParams
        }
    }

    private static func check(
        _ request: RequestEnvelope, _ value: JSONValue, _ tape: JSONTape, _ input: [UInt8]
    ) throws(Violation) {
        let found = problem(of: value)
        try require(found == nil, "accepted, but \(found as Any)")
        try require(
            tape.value(request.method, in: input.span) == value["method"],
            "another method than in \(value.jsonText())")
        try require(
            request.params.map { tape.value($0, in: input.span) } == value["params"],
            "other parameters than in \(value.jsonText())")
        try require(
            request.id.flatMap { try? JSONValue(parsing: input[$0]) } == value["id"],
            "another id than in \(value.jsonText())")
        try require(
            (request.id?.count ?? 0) <= RequestEnvelope.idLimitBytes, "an id beyond its limit")
    }

    private static func check(
        _ fault: RPCFault, _ value: JSONValue, _ input: [UInt8]
    ) throws(Violation) {
        // The length of an id as it is written is not in the tree.
        let isLong = fault.kind == .badId && fault.limit != nil && input.count > 256
        try require(
            isLong || fault.kind == problem(of: value), "\(fault), not \(value.jsonText())")
        try checkReply(to: fault, in: input)
    }

    /// A refusal is one line of strict JSON, with the id of the request as it was written.
    private static func checkReply(to fault: RPCFault, in input: [UInt8]) throws(Violation) {
        var writer = JSONWriter()
        writer.writeError(fault, in: input.span)
        guard !writer.bytes.contains(10), let reply = try? JSONValue(parsing: writer.bytes) else {
            throw Violation(
                "the reply is not JSON: \(String(decoding: writer.bytes, as: UTF8.self))")
        }
        let id = fault.id.map { String(decoding: input[$0], as: UTF8.self) }
        let expected = id.flatMap { try? JSONValue(parsing: $0) } ?? .null
        try require(reply["id"] == expected, "the reply has the id \(reply["id"] as Any)")
        try require(reply["error"]?["code"] == .integer(fault.code), "the reply has another code")
    }
}

import StrictJSON

/// The strict reader of JSON, compared with a plain reading of the grammar, and with itself after the
/// value was written in other ways.
enum Texts {
    static func check(_ input: [UInt8]) throws(Violation) {
        let fault: JSONFault?
        let value: JSONValue?
        do throws(JSONFault) {
            value = try JSONValue(parsing: input.span)
            fault = nil
        } catch {
            value = nil
            fault = error
        }
        var reader = PlainReader(bytes: input)
        let isJSON = reader.isJSON()
        // Text behind excessive nesting is not judged.
        if fault?.kind != .tooDeep {
            try require(
                (fault?.isWellFormed ?? true) == isJSON,
                "JSON: \(isJSON), the fault: \(fault as Any)")
        }
        if let fault { try check(fault, of: input, reader) }
        if let value { try checkWriting(value, reader) }
    }

    private static func check(
        _ fault: JSONFault, of input: [UInt8], _ reader: PlainReader
    ) throws(Violation) {
        try require((0...input.count).contains(fault.offset), "the fault is outside: \(fault)")
        switch fault.kind {
        case .encoding:
            let isText = String(validating: input, as: UTF8.self) != nil
            try require(
                !isText || input.starts(with: [0xEF, 0xBB, 0xBF]), "the text is UTF-8: \(fault)")
        case .syntax:
            try require(
                String(validating: input, as: UTF8.self) != nil, "the text is not UTF-8: \(fault)")
        case .loneSurrogate: try require(reader.hasLoneSurrogate, "no half of a pair: \(fault)")
        case .duplicateName: try require(reader.hasRepeatedName, "no name is repeated: \(fault)")
        case .tooDeep: try require(reader.depth > 64, "depth \(reader.depth): \(fault)")
        case .tooManyTokens: throw Violation("a short text has too many tokens")
        }
    }

    private static func checkWriting(
        _ value: JSONValue, _ reader: PlainReader
    ) throws(Violation) {
        try require(
            !reader.hasLoneSurrogate && !reader.hasRepeatedName && reader.depth <= 64,
            "accepted, which a plain reading would not")
        let text = value.jsonText()
        try require(same(text, value), "written and read again: \(text)")
        try require(same(value.prettyText(), value), "indented and read again: \(text)")
        try require(
            (try? JSONValue(parsing: text))?.jsonText() == text, "no canonical text: \(text)")
    }

    private static func same(_ text: String, _ value: JSONValue) -> Bool {
        (try? JSONValue(parsing: text)) == value
    }

    /// The canonical text of an input; nil if it is not strict JSON.
    static func canonical(_ input: [UInt8], limits: JSONLimits = .trusted) -> [UInt8]? {
        guard let value = try? JSONValue(parsing: input.span, limits: limits) else { return nil }
        var writer = JSONWriter(capacity: input.count)
        writer.value(value)
        return writer.bytes
    }
}

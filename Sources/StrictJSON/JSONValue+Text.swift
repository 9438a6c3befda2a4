extension JSONValue {
    /// Parses exactly one value in strict JSON.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8 without a byte order mark.
    ///   - limits: The limits to apply.
    /// - Throws: The faults of `JSONTape.scan`.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .trusted
    ) throws(JSONFault) {
        let text = Array(bytes)
        try self.init(parsing: text.span, limits: limits)
    }

    /// Parses exactly one value in strict JSON, from a string.
    ///
    /// - Throws: The faults of `JSONTape.scan`.
    public init(parsing text: String, limits: JSONLimits = .trusted) throws(JSONFault) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    /// Parses exactly one value in strict JSON, from borrowed bytes.
    ///
    /// - Throws: The faults of `JSONTape.scan`.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .trusted) throws(JSONFault) {
        var tape = JSONTape(limits: limits)
        try tape.scan(bytes)
        self = tape.value(0, in: bytes)
    }

    /// The canonical text: no white space, order and digits preserved, non-ASCII characters
    /// unescaped.
    public func jsonText() -> String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The indented text: two spaces per level, one element or member per line, no final line feed.
    public func prettyText() -> String {
        var writer = JSONWriter()
        appendPretty(to: &writer, level: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func appendPretty(to writer: inout JSONWriter, level: Int) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            writer.raw("[")
            for (index, element) in elements.enumerated() {
                Self.startLine(in: &writer, isFirst: index == 0, level: level + 1)
                element.appendPretty(to: &writer, level: level + 1)
            }
            Self.startLine(in: &writer, isFirst: true, level: level)
            writer.raw("]")
        case .object(let members) where !members.isEmpty:
            writer.raw("{")
            for (index, member) in members.enumerated() {
                Self.startLine(in: &writer, isFirst: index == 0, level: level + 1)
                writer.string(member.name)
                writer.raw(": ")
                member.value.appendPretty(to: &writer, level: level + 1)
            }
            Self.startLine(in: &writer, isFirst: true, level: level)
            writer.raw("}")
        case .null, .bool, .number, .string, .array, .object:
            writer.value(self)
        }
    }

    private static func startLine(in writer: inout JSONWriter, isFirst: Bool, level: Int) {
        writer.raw(isFirst ? "\n" : ",\n")
        for _ in 0..<level { writer.raw("  ") }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The canonical text.
    public var description: String { jsonText() }
}

/// True if the whole text is a number by the grammar of RFC 8259.
func isNumber(_ text: String) -> Bool {
    (try? endOfNumber(text.utf8.span, 0)) == text.utf8.count
}

/// JSON as the tests read it, by a reader of their own.
indirect enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As it is written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    init(_ text: some StringProtocol) throws {
        var reader = JSONReader(bytes: Array(text.utf8))
        self = try reader.document()
    }
}

/// Reads one JSON text.
struct JSONReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws -> JSON {
        let value = try value()
        skipSpace()
        guard place == bytes.count else { throw trouble() }
        return value
    }

    private mutating func value() throws -> JSON {
        skipSpace()
        guard place < bytes.count else { throw trouble() }
        switch bytes[place] {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object() throws -> JSON {
        place += 1
        var members: [String: JSON] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw trouble() }
            let name = try string()
            skipSpace()
            guard take(":") else { throw trouble() }
            members[name] = try value()
            skipSpace()
        } while take(",")
        guard take("}") else { throw trouble() }
        return .object(members)
    }

    private mutating func array() throws -> JSON {
        place += 1
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw trouble() }
        return .array(elements)
    }

    private mutating func number() throws -> JSON {
        let start = place
        while place < bytes.count, "+-.eE0123456789".utf8.contains(bytes[place]) { place += 1 }
        guard place > start else { throw trouble() }
        return .number(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
        guard bytes[place...].starts(with: word.utf8) else { throw trouble() }
        place += word.utf8.count
        return value
    }

    private mutating func string() throws -> String {
        place += 1
        var units: [UInt8] = []
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            if bytes[place] == UInt8(ascii: "\\") {
                units += Array(String(try escape()).utf8)
            } else {
                units.append(bytes[place])
                place += 1
            }
        }
        guard take("\"") else { throw trouble() }
        return String(decoding: units, as: UTF8.self)
    }

    private mutating func escape() throws -> Character {
        guard place + 1 < bytes.count else { throw trouble() }
        let letter = bytes[place + 1]
        place += 2
        switch letter {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "u"): return try unicode()
        default: return Character(Unicode.Scalar(letter))
        }
    }

    private mutating func unicode() throws -> Character {
        var units = [try hexUnit()]
        if (0xD800..<0xDC00).contains(units[0]), bytes[place...].starts(with: #"\u"#.utf8) {
            place += 2
            units.append(try hexUnit())
        }
        guard let text = String(decoding: units, as: UTF16.self).first else { throw trouble() }
        return text
    }

    private mutating func hexUnit() throws -> UInt16 {
        guard place + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else { throw trouble() }
        place += 4
        return unit
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: letter) else { return false }
        place += 1
        return true
    }

    private func trouble() -> Trouble {
        Trouble("not JSON at byte \(place): \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
}

import StrictJSON
import Testing

@Suite("Random texts")
struct RandomTests {
    private static let alphabet: [Unicode.Scalar] = [
        "a", "b", "z", "0", " ", "\"", "\\", "/", "\u{0}", "\n", "\u{1F}", "\u{7F}", "\u{80}", "é",
        "\u{301}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFF}",
        "\u{10000}", "😀", "\u{10FFFF}", "{", "}", "[", "]", ":", ",",
    ]

    private func randomText(_ random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            let plain = Bool.random(using: &random)
            text.append(plain ? "x" : Self.alphabet.randomElement(using: &random) ?? "x")
        }
        return String(text)
    }

    private func randomValue(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: return .number("-0.\(UInt32.random(in: 0 ... .max, using: &random))e+5")
        case 4: return .string(randomText(&random))
        case 5:
            let count = Int.random(in: 0...5, using: &random)
            return .array((0..<count).map { _ in randomValue(depth - 1, &random) })
        default:
            var members: [JSONMember] = []
            for index in 0..<Int.random(in: 0...12, using: &random) {
                let name = "\(randomText(&random))\(index)"
                members.append(JSONMember(name: name, value: randomValue(depth - 1, &random)))
            }
            return .object(members)
        }
    }

    /// The same value in another spelling: with white space and needless escapes.
    private func respelled(_ value: JSONValue, _ random: inout SeededGenerator) -> String {
        let space = { (random: inout SeededGenerator) in
            ["", "", " ", "\n", "\t\r "].randomElement(using: &random) ?? ""
        }
        var text = space(&random)
        switch value {
        case .null, .bool, .number: text += value.jsonText()
        case .string(let string): text += quoted(string, &random)
        case .array(let elements):
            let parts = elements.map { respelled($0, &random) }
            text += "[" + parts.joined(separator: ",") + space(&random) + "]"
        case .object(let members):
            let parts = members.map {
                space(&random) + quoted($0.name, &random) + space(&random) + ":"
                    + respelled($0.value, &random)
            }
            text += "{" + parts.joined(separator: ",") + space(&random) + "}"
        }
        return text + space(&random)
    }

    private func quoted(_ string: String, _ random: inout SeededGenerator) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || Int.random(in: 0..<4, using: &random) == 0 {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    @Test("A random tree survives printing, pretty printing and respelling", arguments: 0..<300)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed))
        let value = randomValue(5, &random)
        let text = value.jsonText()
        #expect(try JSONValue(parsing: text) == value)
        #expect(try JSONValue(parsing: text).jsonText() == text)
        #expect(try JSONValue(parsing: value.prettyText()) == value)
        #expect(try JSONValue(parsing: respelled(value, &random)) == value)
    }

    @Test("A damaged text is judged as a plain reading of the RFC judges it", arguments: 0..<300)
    func damaged(seed: Int) {
        var random = SeededGenerator(state: 0xDA3A_6ED0 &+ UInt64(seed))
        let text = Array(respelled(randomValue(4, &random), &random).utf8)
        let odd =
            Array("\"\\{}[]:,0123eE+-.utnfald /bDdC89".utf8) + [0, 10, 0x80, 0xC3, 0xE2, 0xFF]
        for _ in 0..<30 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where place < bytes.count: bytes.remove(at: place)
                case 1 where place < bytes.count:
                    bytes[place] = odd.randomElement(using: &random) ?? 0
                default: bytes.insert(odd.randomElement(using: &random) ?? 0, at: place)
                }
            }
            let found = fault(bytes, limits: .trusted)
            let isJSON = found?.isWellFormed ?? true
            var reader = PlainReader(bytes: bytes)
            #expect(isJSON == reader.isJSON(), "\(String(decoding: bytes, as: UTF8.self))")
            if isJSON {
                #expect(
                    (found?.kind == .loneSurrogate)
                        == (reader.hasLoneSurrogate && found?.kind != .duplicateName))
                #expect(found == nil || reader.hasLoneSurrogate || found?.kind == .duplicateName)
            } else {
                let isText = String(validating: bytes, as: UTF8.self) != nil
                #expect(
                    (found?.kind == .encoding)
                        == (!isText || bytes.starts(with: [0xEF, 0xBB, 0xBF])))
            }
        }
    }
}

/// RFC 8259 written down as plainly as possible, one character at a time, to compare with.
private struct PlainReader {
    let bytes: [UInt8]
    var rest: Substring = ""
    var hasLoneSurrogate = false

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func isJSON() -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        // One scalar a character: no clusters, so that combining marks do not hide anything.
        scalars = Array(text.unicodeScalars)
        index = 0
        return value()
            && {
                space(); return index == scalars.count
            }()
    }

    private var scalars: [Unicode.Scalar] = []
    private var index = 0

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private mutating func space() {
        while let scalar = next, " \t\r\n".unicodeScalars.contains(scalar) { index += 1 }
    }

    private mutating func value() -> Bool {
        space()
        if take("[") { return list("]") { $0.value() } }
        if take("{") {
            return list("}") { reader in
                reader.space()
                guard reader.string() else { return false }
                reader.space()
                return reader.take(":") && reader.value()
            }
        }
        if next == "\"" { return string() }
        for word in ["true", "false", "null"] where next == word.unicodeScalars.first {
            return word.unicodeScalars.allSatisfy { take($0) }
        }
        return number()
    }

    private mutating func list(
        _ closing: Unicode.Scalar, _ item: (inout PlainReader) -> Bool
    ) -> Bool {
        space()
        if take(closing) { return true }
        repeat {
            guard item(&self) else { return false }
            space()
        } while take(",")
        return take(closing)
    }

    private mutating func digits() -> Bool {
        let start = index
        while let scalar = next, ("0"..."9").contains(scalar) { index += 1 }
        return index > start
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take(".") { guard digits() else { return false } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return digits()
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        var units: [UInt16] = []
        while let scalar = next {
            index += 1
            if scalar == "\"" {
                if String(validating: units, as: UTF16.self) == nil { hasLoneSurrogate = true }
                return true
            }
            if scalar.value < 0x20 { return false }
            guard scalar == "\\" else {
                units += String(scalar).utf16
                continue
            }
            guard let letter = next else { return false }
            index += 1
            if "\"\\/bfnrt".unicodeScalars.contains(letter) {
                units.append(0x20)
                continue
            }
            guard letter == "u", index + 4 <= scalars.count else { return false }
            var unit: UInt16 = 0
            for digit in scalars[index..<index + 4] {
                guard digit.isASCII, let value = Character(digit).hexDigitValue else {
                    return false
                }
                unit = unit << 4 | UInt16(value)
            }
            units.append(unit)
            index += 4
        }
        return false
    }
}

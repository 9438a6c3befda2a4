import FuzzTargets
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

/// The grammar of RFC 8259 as plainly as possible, one character at a time, to compare with.
public struct PlainReader {
    private let bytes: [UInt8]
    /// Whether an escape is half of a surrogate pair.
    public private(set) var hasLoneSurrogate = false
    /// Whether an object has two members of the same name.
    public private(set) var hasRepeatedName = false
    /// The deepest nesting of arrays and objects.
    public private(set) var depth = 0
    private var open = 0
    private var scalars: [Unicode.Scalar] = []
    private var index = 0
    /// The code units of the last string.
    private var units: [UInt16] = []

    /// Begins at the first byte.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the bytes are one value.
    public mutating func isJSON() -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        // One scalar a character: no clusters, so that combining marks do not hide anything.
        scalars = Array(text.unicodeScalars)
        index = 0
        guard value() else { return false }
        space()
        return index == scalars.count
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private mutating func space() {
        while let scalar = next,
            scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
        {
            index += 1
        }
    }

    private mutating func value() -> Bool {
        space()
        if take("[") { return list("]") { $0.value() } }
        if take("{") {
            var names: Set<[UInt16]> = []
            return list("}") { reader in
                reader.space()
                guard reader.string() else { return false }
                if !names.insert(reader.units).inserted { reader.hasRepeatedName = true }
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
        open += 1
        depth = max(depth, open)
        defer { open -= 1 }
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
        units = []
        while let scalar = next {
            index += 1
            if scalar == "\"" {
                if String(validating: units, as: UTF16.self) == nil { hasLoneSurrogate = true }
                return true
            }
            if scalar.value < 0x20 { return false }
            guard scalar == "\\" else {
                units += UTF16.encode(scalar).map(Array.init) ?? []
                continue
            }
            guard escape() else { return false }
        }
        return false
    }

    /// Reads an escape behind its backslash.
    private mutating func escape() -> Bool {
        guard let letter = next else { return false }
        index += 1
        switch letter {
        case "\"", "\\", "/": units.append(UInt16(letter.value))
        case "b": units.append(8)
        case "f": units.append(12)
        case "n": units.append(10)
        case "r": units.append(13)
        case "t": units.append(9)
        case "u":
            guard index + 4 <= scalars.count else { return false }
            var unit: UInt16 = 0
            for digit in scalars[index..<index + 4] {
                guard digit.isASCII, let value = Character(digit).hexDigitValue else {
                    return false
                }
                unit = unit << 4 | UInt16(value)
            }
            units.append(unit)
            index += 4
        default: return false
        }
        return true
    }
}

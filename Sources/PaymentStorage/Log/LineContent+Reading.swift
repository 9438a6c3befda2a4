internal import PaymentCore
internal import StrictJSON

/// Walks the members of an object whose names are sorted, as the writer leaves them.
///
/// Members must be read in the order of their names. Other members are skipped, so that lines may get further
/// ones.
struct MemberCursor {
    private let content: LineContent
    /// The offset of the quotation mark before the next name, or of the closing brace.
    private var position: Int

    /// Begins at the first member of the object at an offset.
    init(_ content: LineContent, object offset: Int) throws(PayloadFault) {
        guard content.has("{", at: offset) else { throw PayloadFault("an object is missing") }
        self.content = content
        position = offset + 1
    }

    /// The offset of the member's value, nil if the object has no such member.
    mutating func take(_ name: StaticString) throws(PayloadFault) -> Int? {
        while content.has("\"", at: position) {
            let order = content.compare(nameAt: position + 1, with: name)
            if order > 0 { return nil }
            let value: Int
            if order == 0 {
                value = position + name.utf8CodeUnitCount + 3
            } else {
                guard let text = content.stringContent(at: position) else { throw Self.malformed }
                value = text.content.upperBound + 2
            }
            guard let end = content.endOfValue(at: value) else { throw Self.malformed }
            position = content.has(",", at: end) ? end + 1 : end
            if order == 0 { return value }
        }
        return nil
    }

    /// The offset of the value of a member that must be there.
    mutating func require(_ name: StaticString) throws(PayloadFault) -> Int {
        guard let offset = try take(name) else { throw PayloadFault("'\(name)' is missing") }
        return offset
    }

    private static var malformed: PayloadFault { PayloadFault("an object is broken") }
}

extension LineContent {
    /// How the name at an offset compares with another: below 0, 0, or above 0.
    func compare(nameAt offset: Int, with other: StaticString) -> Int {
        let count = other.utf8CodeUnitCount
        var index = 0
        while index < count, offset + index < range.upperBound {
            let mine = bytes[offset + index]
            let theirs = other.utf8Start[index]
            // The quotation mark that ends a name sorts before every letter, so the shorter name comes first.
            if mine != theirs { return Int(mine) - Int(theirs) }
            index += 1
        }
        let isWhole = offset + count < range.upperBound && bytes[offset + count] == 0x22
        return isWhole ? 0 : 1
    }

    /// Whether `null` is at an offset.
    func isNull(_ offset: Int) -> Bool { has("null", at: offset) }

    /// Whether a string without escapes is at an offset and is exactly this text.
    func isString(_ offset: Int, _ text: StaticString) -> Bool {
        has("\"", at: offset) && has(text, at: offset + 1)
            && has("\"", at: offset + 1 + text.utf8CodeUnitCount)
    }

    /// A string.
    func string(_ offset: Int) throws(PayloadFault) -> String {
        guard let text = stringContent(at: offset) else {
            throw PayloadFault("a string is missing")
        }
        guard text.hasEscapes else { return String(decoding: bytes[text.content], as: UTF8.self) }
        let quoted = text.content.lowerBound - 1..<text.content.upperBound + 1
        do throws(JSONFault) {
            let value = try JSONValue(parsing: bytes.span.extracting(quoted), limits: .trusted)
            if let string = value.stringValue { return string }
        } catch {
            throw PayloadFault("a string is broken: \(error)")
        }
        throw PayloadFault("a string is missing")
    }

    /// A text that is kept as given.
    func opaque(_ offset: Int) throws(PayloadFault) -> OpaqueText {
        OpaqueText(try string(offset))
    }

    /// A whole number that is not negative.
    func unsigned(_ offset: Int) throws(PayloadFault) -> UInt64 {
        var position = offset
        var value: UInt64 = 0
        while position < range.upperBound, case let digit = bytes[position] &- 0x30, digit < 10 {
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tenfold.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !carries else { throw PayloadFault("a number is too large") }
            value = sum
            position += 1
        }
        guard position > offset, endOfValue(at: offset) == position else {
            throw PayloadFault("a whole number is missing")
        }
        return value
    }

    /// A number that counts something. Sums of counts cannot overflow, because none is as large as its limit.
    func count(_ offset: Int) throws(PayloadFault) -> UInt64 {
        let number = try unsigned(offset)
        guard number < LineFormat.sequenceLimit else { throw PayloadFault("a number is too large") }
        return number
    }

    /// A whole number that may be written as a string, because it is too large for `jq`.
    func large(_ offset: Int) throws(PayloadFault) -> UInt64 {
        guard bytes[offset] == UInt8(ascii: "\"") else { return try unsigned(offset) }
        guard let number = UInt64(try string(offset)) else {
            throw PayloadFault("a whole number is missing")
        }
        return number
    }

    /// A whole number of 32 bits.
    func unsigned32(_ offset: Int) throws(PayloadFault) -> UInt32 {
        guard let number = UInt32(exactly: try unsigned(offset)) else {
            throw PayloadFault("a number is too large")
        }
        return number
    }

    /// A whole number.
    func signed(_ offset: Int) throws(PayloadFault) -> Int64 {
        let isNegative = has("-", at: offset)
        let magnitude = try unsigned(isNegative ? offset + 1 : offset)
        guard let number = Int64(exactly: magnitude) else {
            throw PayloadFault("a number is too large")
        }
        return isNegative ? -number : number
    }

    /// `true` or `false`.
    func bool(_ offset: Int) throws(PayloadFault) -> Bool {
        if has("true", at: offset) { return true }
        guard has("false", at: offset) else { throw PayloadFault("true or false is missing") }
        return false
    }

    /// The elements of an array, each as `read` takes it.
    func elements<Element>(
        _ offset: Int, _ read: (Int) throws(PayloadFault) -> Element
    ) throws(PayloadFault) -> [Element] {
        guard has("[", at: offset) else { throw PayloadFault("an array is missing") }
        var elements: [Element] = []
        var position = offset + 1
        while !has("]", at: position) {
            elements.append(try read(position))
            guard let end = endOfValue(at: position) else {
                throw PayloadFault("an array is broken")
            }
            position = has(",", at: end) ? end + 1 : end
        }
        return elements
    }

    /// One of an enumeration's words.
    func word<Word: RawRepresentable<String>>(
        _ offset: Int, of type: Word.Type
    ) throws(PayloadFault) -> Word {
        let text = try string(offset)
        guard let word = Word(rawValue: text) else {
            throw PayloadFault("'\(text)' is not a known \(Word.self)")
        }
        return word
    }

    /// An identifier in its text form.
    func identifier(_ offset: Int) throws(PayloadFault) -> UniqueID {
        guard has("\"", at: offset), has("\"", at: offset + 37) else {
            throw PayloadFault("an identifier is missing")
        }
        let text = bytes.span.extracting(offset + 1..<offset + 37)
        guard let id = UniqueID(utf8: text) else { throw PayloadFault("not an identifier") }
        return id
    }

    /// A country.
    func country(_ offset: Int) throws(PayloadFault) -> CountryCode {
        guard let text = stringContent(at: offset)?.content,
            let country = CountryCode(utf8: bytes.span.extracting(text))
        else { throw PayloadFault("a country is missing") }
        return country
    }

    /// A timestamp in the only form that the writer uses.
    func timestamp(_ offset: Int) throws(PayloadFault) -> Timestamp {
        guard offset + 25 < range.upperBound,
            let time = Timestamp(utf8: bytes.span.extracting(offset + 1..<offset + 25))
        else { throw PayloadFault("a moment is missing") }
        return time
    }

    /// The origin of a line.
    func origin(_ offset: Int) throws(PayloadFault) -> Origin {
        var members = try MemberCursor(self, object: offset)
        let client = try optional(members.take("client"), opaque)
        let connection = try large(members.require("conn"))
        let request = try large(members.require("req"))
        let trace = try optional(members.take("trace"), opaque)
        let uid = try unsigned32(members.require("uid"))
        return Origin(
            uid: uid, client: client, connection: connection, request: request, trace: trace)
    }
}

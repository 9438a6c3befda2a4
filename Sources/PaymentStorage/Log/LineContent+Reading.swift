internal import PaymentCore
internal import StrictJSON

/// Walks the members of an object whose names are sorted, as the writer leaves them.
///
/// Ask in the same order. A member that nobody asks for is passed over, so that lines may grow.
struct MemberCursor {
    private let content: LineContent
    private var nameToken: Int
    private let endToken: Int

    /// Begins at the first member.
    init(_ content: LineContent, object: Int) throws(PayloadFault) {
        let token = content.tape.tokens[object]
        guard token.kind == .object else { throw PayloadFault("an object is missing") }
        self.content = content
        nameToken = object + 1
        endToken = Int(token.next)
    }

    /// The token of the member's value, nil if the object has no such member.
    mutating func take(_ name: StaticString) -> Int? {
        while nameToken < endToken {
            let value = nameToken + 1
            if content.tape.matches(
                nameToken, name, in: content.bytes.span.extracting(content.range))
            {
                nameToken = Int(content.tape.tokens[value].next)
                return value
            }
            guard content.precedes(nameToken, name) else { return nil }
            nameToken = Int(content.tape.tokens[value].next)
        }
        return nil
    }

    /// The token of a member that must be there.
    mutating func require(_ name: StaticString) throws(PayloadFault) -> Int {
        guard let token = take(name) else { throw PayloadFault("'\(name)' is missing") }
        return token
    }
}

extension LineContent {
    /// Whether the bytes of a name come before those of another.
    func precedes(_ nameToken: Int, _ other: StaticString) -> Bool {
        let name = tape.tokens[nameToken].contentRange
        let span = bytes.span.extracting(range)
        var index = 0
        while index < name.count, index < other.utf8CodeUnitCount {
            let mine = span[name.lowerBound + index]
            let theirs = other.utf8Start[index]
            if mine != theirs { return mine < theirs }
            index += 1
        }
        return name.count < other.utf8CodeUnitCount
    }

    /// A string.
    func string(_ token: Int) throws(PayloadFault) -> String {
        guard tape.tokens[token].kind == .string else { throw PayloadFault("a string is missing") }
        return tape.text(token, in: bytes.span.extracting(range))
    }

    /// A text that belongs to somebody else.
    func opaque(_ token: Int) throws(PayloadFault) -> OpaqueText {
        OpaqueText(try string(token))
    }

    /// A whole number that is not negative.
    func unsigned(_ token: Int) throws(PayloadFault) -> UInt64 {
        guard let number = tape.integer(token, in: bytes.span.extracting(range)), number >= 0 else {
            throw PayloadFault("a whole number is missing")
        }
        return UInt64(number)
    }

    /// A whole number that may be written as a string, because it is too large for `jq`.
    func large(_ token: Int) throws(PayloadFault) -> UInt64 {
        guard tape.tokens[token].kind == .string else { return try unsigned(token) }
        guard let number = UInt64(try string(token)) else {
            throw PayloadFault("a whole number is missing")
        }
        return number
    }

    /// A whole number of 32 bits.
    func unsigned32(_ token: Int) throws(PayloadFault) -> UInt32 {
        guard let number = UInt32(exactly: try unsigned(token)) else {
            throw PayloadFault("a number is too large")
        }
        return number
    }

    /// One of an enumeration's words.
    func word<Word: RawRepresentable<String>>(
        _ token: Int, of type: Word.Type
    ) throws(PayloadFault) -> Word {
        let text = try string(token)
        guard let word = Word(rawValue: text) else {
            throw PayloadFault("'\(text)' is not a known \(Word.self)")
        }
        return word
    }

    /// An identifier in its text form.
    func identifier(_ token: Int) throws(PayloadFault) -> UniqueID {
        let range = tape.tokens[token].contentRange
        guard tape.tokens[token].kind == .string, range.count == 36 else {
            throw PayloadFault("an identifier is missing")
        }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        let span = bytes.span.extracting(self.range)
        for position in 0..<36 {
            let byte = span[range.lowerBound + position]
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { throw PayloadFault("not an identifier") }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: throw PayloadFault("not an identifier")
            }
            if position < 18 {
                halves.high = halves.high << 4 | UInt64(digit)
            } else {
                halves.low = halves.low << 4 | UInt64(digit)
            }
        }
        return UniqueID(high: halves.high, low: halves.low)
    }

    /// A country.
    func country(_ token: Int) throws(PayloadFault) -> CountryCode {
        let text = try string(token)
        guard let country = CountryCode(text) else {
            throw PayloadFault("'\(text)' is not a country")
        }
        return country
    }

    /// A moment in the one form that is written.
    func timestamp(_ token: Int) throws(PayloadFault) -> Timestamp {
        let range = tape.tokens[token].contentRange
        guard tape.tokens[token].kind == .string,
            let time = timestamp(in: bytes.span.extracting(self.range).extracting(range))
        else { throw PayloadFault("a moment is missing") }
        return time
    }

    /// Who caused a line.
    func origin(_ token: Int) throws(PayloadFault) -> Origin {
        var members = try MemberCursor(self, object: token)
        let client = try members.take("client").map { token throws(PayloadFault) in
            try opaque(token)
        }
        let connection = try large(members.require("conn"))
        let request = try large(members.require("req"))
        let trace = try members.take("trace").map { token throws(PayloadFault) in try opaque(token)
        }
        let uid = try unsigned32(members.require("uid"))
        return Origin(
            uid: uid, client: client, connection: connection, request: request, trace: trace)
    }

    /// The same as `Timestamp(String)` without making a string; it runs twice for each line that
    /// is replayed.
    private func timestamp(in text: Span<UInt8>) -> Timestamp? {
        guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
            text[23] == UInt8(ascii: "Z"),
            let year = number(in: text, 0..<4), let month = number(in: text, 5..<7),
            let day = number(in: text, 8..<10), let hour = number(in: text, 11..<13),
            let minute = number(in: text, 14..<16), let second = number(in: text, 17..<19),
            let millisecond = number(in: text, 20..<23),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        guard CivilDate(daysSince1970: days) == date else { return nil }
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Timestamp(milliseconds: seconds * 1000 + Int64(millisecond))
    }

    private func number(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

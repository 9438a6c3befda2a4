internal import Glibc
internal import PaymentCore

/// Reads the bytes of a line forwards, in the exact layout of the writer.
///
/// Every method moves past what it read. It returns nil or false for anything else, including valid layouts
/// that only ``EventDecoder`` reads. The position is then undefined.
struct LineCursor {
    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private(set) var position: Int

    /// Begins at an offset.
    init(_ bytes: UnsafeRawBufferPointer, from position: Int, to end: Int) {
        precondition(position >= 0 && end <= bytes.count, "a line is outside of its bytes")
        self.bytes = bytes
        self.end = end
        self.position = position
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == end }

    /// Moves past a text if it is here; otherwise stays and returns false.
    @inline(__always)
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard end &- position >= count, let start = bytes.baseAddress,
            memcmp(start + position, text.utf8Start, count) == 0
        else { return false }
        position &+= count
        return true
    }

    /// A whole number of at most 18 digits.
    @inline(__always)
    mutating func number() -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < end, case let digit = bytes[position] &- 0x30, digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            position &+= 1
        }
        return position > start && position &- start <= 18 ? value : nil
    }

    /// A whole number of 32 bits.
    @inline(__always)
    mutating func number32() -> UInt32? { number().flatMap { UInt32(exactly: $0) } }

    /// The place of a text of plain ASCII up to the quotation mark that ends it.
    mutating func text() -> Range<Int>? {
        let start = position
        while end &- position >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard !Self.hasSpecialByte(word) else { break }
            position &+= 8
        }
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position &+= 1
                return start..<position &- 1
            }
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
            position &+= 1
        }
        return nil
    }

    /// An identifier and the quotation mark that ends it.
    mutating func identifier() -> UniqueID? {
        guard end &- position >= 37, bytes[position &+ 36] == UInt8(ascii: "\"") else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ 36])
        position &+= 37
        return UniqueID(utf8: text.bytes)
    }

    /// A country and the quotation mark that ends it.
    mutating func country() -> CountryCode? {
        guard end &- position >= 3, bytes[position &+ 2] == UInt8(ascii: "\"") else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ 2])
        position &+= 3
        return CountryCode(utf8: text.bindMemory(to: UInt8.self).span)
    }

    /// A timestamp in quotation marks.
    mutating func timestamp(_ recent: inout RecentValues) -> Timestamp? {
        guard end &- position >= 26, bytes[position] == UInt8(ascii: "\""),
            bytes[position &+ 25] == UInt8(ascii: "\"")
        else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position &+ 1..<position &+ 25])
        position &+= 26
        return recent.timestamp(text)
    }

    /// The author of a change, without a trace context.
    mutating func author(_ recent: inout RecentValues) -> PlainTransaction.Author? {
        var client: Int32?
        if skip("{\"client\":\"") {
            guard let text = text() else { return nil }
            client = recent.clients.number(UnsafeRawBufferPointer(rebasing: bytes[text]))
            guard client != nil, skip(",\"conn\":") else { return nil }
        } else {
            guard skip("{\"conn\":") else { return nil }
        }
        guard let connection = number(), skip(",\"req\":"), let request = number(),
            skip(",\"uid\":"), let uid = number32(), skip("}")
        else { return nil }
        return PlainTransaction.Author(
            uid: uid, client: client, connection: connection, request: request)
    }

    /// Whether a byte ends plain text: a control byte, a quotation mark, a backslash, or no ASCII.
    private static func hasSpecialByte(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let special =
            (word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones) | word
        return special & 0x8080_8080_8080_8080 != 0
    }
}

/// Texts that occur in many lines, by number. Their number is limited: ``EventDecoder`` reads the lines with
/// further ones.
struct RecentTexts {
    private static let limit = 4096
    private(set) var texts: [OpaqueText] = []
    private var numbers: [OpaqueText: Int32] = [:]
    private var newest: Int32 = 0
    /// The bytes of the newest text.
    private var bytes: [UInt8] = []

    /// The number of a text of some ASCII bytes; nil if there are too many texts.
    mutating func number(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        if !texts.isEmpty, isNewest(bytes) { return newest }
        let text = OpaqueText(String(decoding: bytes, as: UTF8.self))
        guard let number = numbers[text] ?? add(text) else { return nil }
        newest = number
        self.bytes = Array(bytes)
        return number
    }

    private mutating func add(_ text: OpaqueText) -> Int32? {
        guard texts.count < Self.limit else { return nil }
        texts.append(text)
        numbers[text] = Int32(texts.count - 1)
        return Int32(texts.count - 1)
    }

    private func isNewest(_ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count, let start = other.baseAddress else {
            return bytes.isEmpty && other.isEmpty
        }
        return memcmp(bytes, start, bytes.count) == 0
    }
}

/// Values that are the same in most consecutive lines, with their bytes.
struct RecentValues {
    var accounts = RecentTexts()
    var clients = RecentTexts()
    /// The bytes of a timestamp up to its minute, and its milliseconds.
    private var minute: (first: UInt64, second: UInt64, milliseconds: Int64) = (0, 0, 0)

    /// The timestamp of 24 bytes.
    mutating func timestamp(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        let first = bytes.loadUnaligned(as: UInt64.self)
        let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        if first == minute.first, second == minute.second,
            let milliseconds = Self.millisecondsInMinute(bytes)
        {
            return Timestamp(milliseconds: minute.milliseconds + milliseconds)
        }
        guard let time = Timestamp(utf8: bytes.bindMemory(to: UInt8.self).span),
            let milliseconds = Self.millisecondsInMinute(bytes)
        else { return nil }
        minute = (first, second, time.milliseconds - milliseconds)
        return time
    }

    /// The seconds and milliseconds of a timestamp: `:12.345Z` from its 17th byte.
    private static func millisecondsInMinute(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."),
            bytes[23] == UInt8(ascii: "Z")
        else { return nil }
        let digits = (
            bytes[17] &- 0x30, bytes[18] &- 0x30, bytes[20] &- 0x30, bytes[21] &- 0x30,
            bytes[22] &- 0x30
        )
        guard digits.0 < 6, digits.1 < 10, digits.2 < 10, digits.3 < 10, digits.4 < 10 else {
            return nil
        }
        let seconds = Int64(digits.0) * 10 + Int64(digits.1)
        return seconds * 1000 + Int64(digits.2) * 100 + Int64(digits.3) * 10 + Int64(digits.4)
    }
}

internal import CCRC32C
internal import Glibc
internal import PaymentCore

/// The bytes that every journal line has in common.
///
/// A line is `{"c":"8f3a01bc","s":1042,"b":1040,"t":"added",…}` and a line feed. The checksum
/// covers everything from `"s"` to the closing brace, continues from the line before, and is
/// compared as bytes: a flipped bit that makes `a` an `A` must not pass.
enum LineFormat {
    /// Where the bytes begin that the checksum covers.
    static let coveredOffset = 16
    /// Where the eight digits of the checksum begin.
    static let checksumOffset = 6
    /// A line has at least this many bytes.
    static let shortestLine = 32
    /// Sequence numbers stay below this, because `jq` rounds larger ones.
    static let sequenceLimit: SequenceNumber = 1 << 53

    /// The beginning of the type of every line that is of the embedded store.
    static let storePrefix: StaticString = "store."

    private static let beforeChecksum: StaticString = "{\"c\":\""
    private static let afterChecksum: StaticString = "\",\"s\":"

    /// The position and batch that a line claims.
    struct Start {
        /// The claimed `s`.
        var sequence: SequenceNumber
        /// The claimed `b`.
        var batch: SequenceNumber
        /// Where the type word begins, from the beginning of the line.
        var wordOffset: Int
    }

    /// The checksum of a line that continues from `seed`.
    static func checksum(_ line: UnsafeRawBufferPointer, seed: UInt32) -> UInt32 {
        let covered = UnsafeRawBufferPointer(rebasing: line.dropFirst(coveredOffset))
        return ccrc32c(seed, covered.baseAddress, covered.count)
    }

    /// CRC-32C of bytes that follow those of another sum; 0 is that of none.
    static func sum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32) -> UInt32 {
        ccrc32c(sum, bytes.baseAddress, bytes.count)
    }

    /// CRC-32C of bytes that follow those of another sum; 0 is that of none.
    static func sum(_ bytes: [UInt8], after sum: UInt32) -> UInt32 {
        bytes.withUnsafeBytes { self.sum($0, after: sum) }
    }

    /// The checksum that a line names; 0 if that is none.
    static func checksum(ofLineAt start: Int, in bytes: [UInt8]) -> UInt32 {
        let digits = start + checksumOffset..<start + checksumOffset + 8
        guard digits.upperBound <= bytes.count else { return 0 }
        return checksum(hex: String(decoding: bytes[digits], as: UTF8.self)) ?? 0
    }

    /// Writes a checksum into the place that the line keeps for it.
    static func put(_ checksum: UInt32, into bytes: inout [UInt8], lineAt start: Int) {
        let digits = checksum.hexDigits.littleEndian
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: digits, toByteOffset: start + checksumOffset, as: UInt64.self)
        }
    }

    /// The checksum of a line without its line feed; nil if the line states another one.
    static func verify(_ line: UnsafeRawBufferPointer, seed: UInt32) -> UInt32? {
        guard line.count > coveredOffset, line[line.count - 1] == UInt8(ascii: "}"),
            has(beforeChecksum, line, at: 0), has(afterChecksum, line, at: coveredOffset - 2)
        else { return nil }
        let checksum = checksum(line, seed: seed)
        for digit in 0..<8 {
            let expected = hexDigit(checksum >> UInt32(28 - 4 * digit))
            guard line[checksumOffset + digit] == expected else { return nil }
        }
        return checksum
    }

    /// Reads the beginning of a line, nil if these bytes cannot be one.
    ///
    /// Nothing is verified. The text of a client in a line cannot contain this pattern, because
    /// quotation marks inside of strings are escaped.
    static func start(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Start? {
        guard has(beforeChecksum, bytes, at: offset),
            has(afterChecksum, bytes, at: offset + coveredOffset - 2)
        else { return nil }
        for digit in 0..<8 where !isHexDigit(bytes[offset + checksumOffset + digit]) { return nil }
        return start(behindChecksumIn: bytes, at: offset)
    }

    /// Reads the beginning of a line that has a checksum, nil if these bytes cannot be one.
    static func start(
        behindChecksumIn bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> Start? {
        var position = offset + coveredOffset + 4
        guard let sequence = number(in: bytes, at: &position), has(",\"b\":", bytes, at: position)
        else { return nil }
        position += 5
        guard let batch = number(in: bytes, at: &position), has(",\"t\":\"", bytes, at: position)
        else { return nil }
        return Start(sequence: sequence, batch: batch, wordOffset: position + 6 - offset)
    }

    /// Eight lower-case hexadecimal digits.
    static func hex(_ checksum: UInt32) -> String {
        String(
            decoding: (0..<8).map { hexDigit(checksum >> UInt32(28 - 4 * $0)) }, as: UTF8.self)
    }

    /// Reads exactly eight lower-case hexadecimal digits.
    static func checksum(hex text: String) -> UInt32? {
        guard text.utf8.count == 8, text.utf8.allSatisfy(isHexDigit) else { return nil }
        return UInt32(text, radix: 16)
    }

    /// The lowest four bits as a digit.
    static func hexDigit(_ value: UInt32) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: value & 0xF)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    /// Whether a type may contain the byte.
    static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
    }

    @inline(__always)
    private static func has(
        _ text: StaticString, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset >= 0, bytes.count &- offset >= count, let start = bytes.baseAddress else {
            return false
        }
        return memcmp(start + offset, text.utf8Start, count) == 0
    }

    /// A decimal number without leading zeros and below the limit; moves past it.
    private static func number(
        in bytes: UnsafeRawBufferPointer, at position: inout Int
    ) -> SequenceNumber? {
        let first = position
        var value: SequenceNumber = 0
        while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"),
            digit < 10
        {
            value = value * 10 + SequenceNumber(digit)
            position += 1
            guard value < sequenceLimit else { return nil }
        }
        guard position > first, bytes[first] != UInt8(ascii: "0") else { return nil }
        return value
    }
}

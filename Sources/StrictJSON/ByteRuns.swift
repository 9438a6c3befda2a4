/// The lowest bit of each of eight bytes.
private let lowBits: UInt64 = 0x0101_0101_0101_0101
/// The highest bit of each of eight bytes.
private let highBits: UInt64 = 0x8080_8080_8080_8080

/// Loads eight bytes from an offset, the first byte lowest.
@inline(__always)
private func eightBytes(_ bytes: borrowing RawSpan, at offset: Int) -> UInt64 {
    // SAFETY: every bit pattern is a UInt64, and the call itself checks the bounds.
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

/// Sets the highest bit of each byte that equals `byte`. Only the lowest mark is reliable; higher
/// ones may be wrong.
@inline(__always)
private func marks(_ word: UInt64, equalTo byte: UInt8) -> UInt64 {
    let difference = word ^ (lowBits &* UInt64(byte))
    return (difference &- lowBits) & ~difference & highBits
}

/// Marks the bytes of a string that JSON escapes: quotation marks, backslashes and control characters. Only the
/// lowest mark is reliable.
@inline(__always)
private func escapes(_ word: UInt64) -> UInt64 {
    (word &- lowBits &* 0x20) & ~word & highBits | marks(word, equalTo: UInt8(ascii: "\""))
        | marks(word, equalTo: UInt8(ascii: "\\"))
}

@inline(__always)
private func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

/// Whether a string has no byte that JSON escapes.
@inline(__always)
func needsNoEscapes(_ bytes: Span<UInt8>) -> Bool {
    var position = 0
    // SAFETY: a byte may be read as part of any other trivial type.
    let raw = unsafe bytes.bytes
    while position &+ 8 <= bytes.count {
        guard escapes(eightBytes(raw, at: position)) == 0 else { return false }
        position &+= 8
    }
    while position < bytes.count {
        guard !isEscaped(bytes[position]) else { return false }
        position &+= 1
    }
    return true
}

/// The end of a run of plain string bytes: ASCII without quotation marks, backslashes and control
/// characters.
///
/// - Returns: The offset of the first other byte, or the number of bytes.
@inline(__always)
func endOfPlainText(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    // SAFETY: a byte may be read as part of any other trivial type.
    let raw = unsafe bytes.bytes
    while position &+ 8 <= bytes.count {
        let word = eightBytes(raw, at: position)
        let special = escapes(word) | word & highBits
        if special != 0 { return position &+ special.trailingZeroBitCount / 8 }
        position &+= 8
    }
    while position < bytes.count {
        let byte = bytes[position]
        if byte >= 0x80 || isEscaped(byte) { return position }
        position &+= 1
    }
    return position
}

/// The end of a run of multi-byte UTF-8 sequences.
///
/// - Throws: `.encoding` at a sequence that is truncated, overlong, a surrogate or beyond U+10FFFF.
func endOfMultibyteText(in bytes: Span<UInt8>, from start: Int) throws(JSONFault) -> Int {
    var position = start
    while position < bytes.count, bytes[position] >= 0x80 {
        let length = multibyteLength(in: bytes, at: position)
        guard length > 0 else { throw JSONFault(kind: .encoding, offset: position) }
        position += length
    }
    return position
}

/// The length of the well-formed sequence at an offset of a non-ASCII byte; 0 if it is not
/// well-formed.
///
/// The bounds of the second byte are from table 3-7 of the Unicode standard.
@inline(__always)
private func multibyteLength(in bytes: Span<UInt8>, at position: Int) -> Int {
    let lead = bytes[position]
    let available = bytes.count - position
    if lead < 0xE0 {
        return lead >= 0xC2 && available >= 2 && isContinuation(bytes[position + 1]) ? 2 : 0
    }
    if lead < 0xF0 {
        guard available >= 3, isContinuation(bytes[position + 2]) else { return 0 }
        let second = bytes[position + 1]
        let lowest: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
        let highest: UInt8 = lead == 0xED ? 0x9F : 0xBF
        return second >= lowest && second <= highest ? 3 : 0
    }
    guard lead <= 0xF4, available >= 4, isContinuation(bytes[position + 2]),
        isContinuation(bytes[position + 3])
    else { return 0 }
    let second = bytes[position + 1]
    let lowest: UInt8 = lead == 0xF0 ? 0x90 : 0x80
    let highest: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
    return second >= lowest && second <= highest ? 4 : 0
}

@inline(__always)
private func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
}

/// The offset of the first byte that is not part of well-formed UTF-8; nil if there is none.
func firstEncodingFault(in bytes: Span<UInt8>) -> Int? {
    var position = 0
    while position < bytes.count {
        if bytes[position] < 0x80 {
            position += 1
            continue
        }
        let length = multibyteLength(in: bytes, at: position)
        guard length > 0 else { return position }
        position += length
    }
    return nil
}

/// Finds the first occurrence of a byte, in steps of eight bytes.
///
/// - Parameters:
///   - byte: The byte to find.
///   - bytes: The bytes to search.
///   - start: The offset to begin at, from 0 to the number of bytes.
/// - Returns: The offset of the byte, or nil.
package func firstOffset(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
    var position = start
    // SAFETY: a byte may be read as part of any other trivial type.
    let raw = unsafe bytes.bytes
    while position &+ 8 <= bytes.count {
        let found = marks(eightBytes(raw, at: position), equalTo: byte)
        if found != 0 { return position &+ found.trailingZeroBitCount / 8 }
        position &+= 8
    }
    while position < bytes.count {
        if bytes[position] == byte { return position }
        position &+= 1
    }
    return nil
}

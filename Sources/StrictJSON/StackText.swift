/// JSON that is put together on the stack, and then appended to a writer.
///
/// A line has dozens of small parts, and appending one of them to an array costs more than copying it. When
/// the room on the stack is full, it is appended to the writer. ``JSONWriter/onStack(_:)`` begins and ends it.
public struct StackText: ~Copyable {
    @usableFromInline static var capacity: Int { 768 }

    @usableFromInline var storage = InlineArray<768, UInt8>(repeating: 0)
    @usableFromInline var count = 0
    @usableFromInline var writer = JSONWriter()

    @usableFromInline
    init(for writer: inout JSONWriter) {
        swap(&self.writer, &writer)
    }

    /// Appends text that is a fragment of JSON.
    @inlinable @inline(__always)
    public mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { unsafe copy(UnsafeRawBufferPointer($0)) }
    }

    /// Appends bytes that are a fragment of JSON.
    @inlinable @inline(__always)
    public mutating func raw(_ text: Span<UInt8>) {
        // SAFETY: the buffer is read inside of the closure only.
        unsafe text.withUnsafeBytes { unsafe copy($0) }
    }

    /// Appends one byte of a fragment of JSON.
    @inlinable
    public mutating func byte(_ byte: UInt8) {
        if count == Self.capacity { flush() }
        storage[count] = byte
        count += 1
    }

    /// Appends a number in decimal.
    public mutating func decimal(_ number: UInt64) {
        guard number >= 10 else {
            return byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        }
        // The digits are computed from the last to the first. Twenty suffice for 64 bits.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        raw(digits.span.extracting(first..<20))
    }

    /// Appends a string in quotation marks, with the escapes that JSON requires.
    public mutating func string(_ text: String) {
        let utf8 = text.utf8.span
        guard utf8.count <= Self.capacity, needsNoEscapes(utf8) else {
            flush()
            return writer.string(utf8: utf8)
        }
        byte(UInt8(ascii: "\""))
        raw(utf8)
        byte(UInt8(ascii: "\""))
    }

    /// Appends the text so far to the writer, and gives the writer back.
    @usableFromInline
    mutating func end(into writer: inout JSONWriter) {
        flush()
        swap(&self.writer, &writer)
    }

    @usableFromInline
    mutating func flush() {
        writer.raw(storage.span.extracting(first: count))
        count = 0
    }

    @inlinable @inline(__always)
    mutating func copy(_ source: UnsafeRawBufferPointer) {
        if count + source.count > Self.capacity { flush() }
        guard source.count <= Self.capacity else {
            // SAFETY: the bytes are initialized, and read before this returns.
            return unsafe writer.bytes.append(contentsOf: source)
        }
        guard let from = source.baseAddress else { return }
        let start = count
        // SAFETY: the bytes behind `start` have room for the source, as was checked above.
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe bytes.baseAddress?.advanced(by: start).copyMemory(
                from: from, byteCount: source.count)
        }
        count += source.count
    }
}

extension JSONWriter {
    /// Appends what `write` puts together on the stack.
    @inlinable @inline(__always)
    public mutating func onStack(_ write: (inout StackText) -> Void) {
        var text = StackText(for: &self)
        write(&text)
        text.end(into: &self)
    }
}

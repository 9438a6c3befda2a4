/// Appends numbers, texts and lists to bytes.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func number(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func run(_ run: [UInt8]) {
        number(UInt64(run.count))
        bytes += run
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func list<Element>(
        _ elements: [Element], _ write: (inout ByteWriter, Element) -> Void
    ) {
        number(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }
}

/// Reads what a ``ByteWriter`` wrote. At bytes that no writer can have written, ``isIntact``
/// becomes false. From there on the reader returns zeros and empty lists.
struct ByteReader {
    private let bytes: [UInt8]
    private var next = 0
    /// Whether all bytes read so far were present and valid.
    private(set) var isIntact = true

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether everything was read.
    var isAtEnd: Bool { next == bytes.count }

    mutating func byte() -> UInt8 {
        take(1).first ?? 0
    }

    /// A byte that is zero or one.
    mutating func flag() -> Bool {
        let byte = byte()
        if byte > 1 { isIntact = false }
        return byte == 1
    }

    mutating func number() -> UInt64 {
        take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func run() -> [UInt8] {
        Array(take(count(atLeast: 1)))
    }

    mutating func text() -> String {
        String(decoding: run(), as: UTF8.self)
    }

    mutating func optional<Value>(_ read: (inout ByteReader) -> Value) -> Value? {
        flag() ? read(&self) : nil
    }

    /// Reads a list: first the number of elements, then the elements.
    ///
    /// - Parameters:
    ///   - size: The minimum number of bytes of an element.
    ///   - read: Reads one element.
    /// - Returns: The elements; none if too few bytes are left for that many.
    mutating func list<Element>(
        atLeast size: Int, _ read: (inout ByteReader) -> Element
    ) -> [Element] {
        (0..<count(atLeast: size)).map { _ in read(&self) }
    }

    /// Reads a number of elements; 0 if too few bytes are left for that many.
    mutating func count(atLeast size: Int) -> Int {
        let count = number()
        guard count <= UInt64((bytes.count - next) / size) else {
            isIntact = false
            return 0
        }
        return Int(count)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        guard isIntact, count <= bytes.count - next else {
            isIntact = false
            return []
        }
        defer { next += count }
        return bytes[next..<next + count]
    }
}

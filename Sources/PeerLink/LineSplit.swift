import NIOCore

/// Collects bytes up to the end of a line.
struct LineSplit {
    private var bytes = ByteBuffer()
    /// The number of bytes of the unfinished line that were searched and have no line feed.
    private var looked = 0

    /// The number of bytes that ``next()`` has not returned.
    var count: Int { bytes.readableBytes }

    mutating func add(_ more: inout ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = more
        } else {
            bytes.discardReadBytes()
            bytes.writeBuffer(&more)
        }
    }

    /// The next line without its line feed; nil if it is not complete.
    mutating func next() -> [UInt8]? {
        let view = bytes.readableBytesView
        guard let end = view.dropFirst(looked).firstIndex(of: UInt8(ascii: "\n")) else {
            looked = view.count
            return nil
        }
        looked = 0
        let line = bytes.readBytes(length: end - view.startIndex)
        bytes.moveReaderIndex(forwardBy: 1)
        return line
    }

    /// Removes and returns the bytes that are left.
    mutating func rest() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        looked = 0
        return bytes
    }
}

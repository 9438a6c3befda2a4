import CBenchSupport
import Glibc

/// A connection that is read line by line.
final class LineChannel {
    let descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    private var filled = 0

    init(socket: String) throws(BenchFailure) {
        guard let descriptor = try connectToSocket(at: socket) else {
            throw failure("connect to '\(socket)'")
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Reads once and hands over each line that is complete now, without its line feed.
    func receive(
        _ body: (UnsafeRawBufferPointer) throws(BenchFailure) -> Void
    ) throws(BenchFailure) {
        let count = recv(
            descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, 0)
        guard count > 0 else { throw failure("read from the daemon") }
        filled += count
        let all = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        var start = 0
        while let end = all[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try body(UnsafeRawBufferPointer(rebasing: all[start..<end]))
            start = end + 1
        }
        filled -= start
        guard filled < buffer.count else { throw BenchFailure("a line longer than a megabyte") }
        // Source and target may overlap, which this copy allows.
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start...]))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether some text occurs.
    func contains(_ text: StaticString) -> Bool { position(after: text) != nil }

    /// The text from the first occurrence of some text to the next quote.
    func text(after text: StaticString) -> String? {
        guard let start = position(after: text) else { return nil }
        let rest = self[start...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private func position(after text: StaticString) -> Int? {
        let found = bench_find(baseAddress, count, text.utf8Start, text.utf8CodeUnitCount)
        return found < 0 ? nil : found + text.utf8CodeUnitCount
    }
}

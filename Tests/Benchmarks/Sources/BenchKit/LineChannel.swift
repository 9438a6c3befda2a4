import CBenchSupport
import Glibc

/// A connection that is read line by line, and that sends without blocking.
///
/// A client that blocks while it sends, and a server that waits until its replies are read, would wait for
/// each other.
final class LineChannel {
    let descriptor: Int32
    /// The name of the server in failures.
    let server: String
    /// The bytes to send. The first ``sent`` of them have been sent.
    var outgoing: [UInt8] = []
    private var sent = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    private var filled = 0

    init(socket: String, server: String = "payqueued") throws(BenchFailure) {
        self.server = server
        guard let descriptor = try connectToSocket(at: socket) else {
            throw failure("connect to '\(socket)'")
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Sends as much of ``outgoing`` as the connection takes now.
    func flush() throws(BenchFailure) {
        while sent < outgoing.count {
            let count = outgoing.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count < 0 && errno == EAGAIN { return }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("send requests to \(server)") }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
    }

    /// Sends what is due, and waits until one of the channels has something to read or can send more.
    ///
    /// - Returns: For each channel, whether it has something to read.
    /// - Throws: Nothing happened for ten seconds.
    static func wait(for channels: [LineChannel]) throws(BenchFailure) -> [Bool] {
        var descriptors: [pollfd] = []
        for channel in channels {
            try channel.flush()
            let events = channel.outgoing.isEmpty ? POLLIN : POLLIN | POLLOUT
            descriptors.append(pollfd(fd: channel.descriptor, events: Int16(events), revents: 0))
        }
        guard poll(&descriptors, nfds_t(descriptors.count), 10_000) > 0 else {
            let server = channels.first?.server ?? "nothing"
            throw BenchFailure("\(server) was silent for ten seconds")
        }
        return descriptors.map { $0.revents & ~Int16(POLLOUT) != 0 }
    }

    /// Appends a request with a number to the bytes to send.
    func append(_ template: RequestTemplate, _ number: UInt64) {
        let start = outgoing.count
        outgoing.append(contentsOf: template.bytes)
        outgoing.withUnsafeMutableBytes {
            template.stamp(number, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// Reads once and hands over each line that is complete now, without its line feed.
    func receive(
        _ body: (UnsafeRawBufferPointer) throws(BenchFailure) -> Void
    ) throws(BenchFailure) {
        let count = try BenchKit.receive(
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), from: descriptor, of: server
        )
        filled += count
        let all = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        var start = 0
        while let length = UnsafeRawBufferPointer(rebasing: all[start...]).lineLength {
            try body(UnsafeRawBufferPointer(rebasing: all[start..<(start + length)]))
            start += length + 1
        }
        filled -= start
        guard filled < buffer.count else { throw BenchFailure("a line longer than a megabyte") }
        // Source and target may overlap, which this copy allows.
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start...]))
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Whether some text occurs.
    func contains(_ text: StaticString) -> Bool { position(after: text) != nil }

    /// The text from the first occurrence of some text to the next quote.
    func text(after text: StaticString) -> String? {
        guard let rest = rest(after: text), let end = rest.firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// The bytes behind the first occurrence of some text.
    func rest(after text: StaticString) -> UnsafeRawBufferPointer? {
        position(after: text).map { UnsafeRawBufferPointer(rebasing: self[$0...]) }
    }

    /// Whether the first bytes are some text.
    func starts(with text: StaticString) -> Bool {
        guard let baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The number directly behind the first occurrence of some text; nil if there is none.
    func number(after text: StaticString) -> Int? {
        guard let rest = rest(after: text), let first = rest.first,
            first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9")
        else { return nil }
        return Int(rest.leadingNumber)
    }

    /// The number at the start, in decimal digits; 0 without one.
    var leadingNumber: UInt64 {
        var number: UInt64 = 0
        for byte in self {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// The number of bytes before the first line feed; nil without one.
    var lineLength: Int? {
        guard let baseAddress, let end = memchr(baseAddress, 10, count) else { return nil }
        return UnsafeRawPointer(end) - baseAddress
    }

    /// The number of line feeds.
    var lineFeeds: Int { bench_count(baseAddress, count, 10) }

    private func position(after text: StaticString) -> Int? {
        let found = bench_find(baseAddress, count, text.utf8Start, text.utf8CodeUnitCount)
        return found < 0 ? nil : found + text.utf8CodeUnitCount
    }
}

extension String {
    /// Lends the bytes of the text.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

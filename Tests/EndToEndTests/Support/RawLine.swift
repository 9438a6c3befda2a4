import Foundation

/// A client that looks at lines as bytes, for streams too long to be parsed.
final class RawLine {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var first = 0
    private var lastID = 0

    /// Connects.
    init(to path: String) throws {
        descriptor = try Self.connected(to: path)
    }

    deinit {
        close(descriptor)
    }

    /// Whether the other side has closed the connection; reads nothing.
    var isClosedByPeer: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP) != 0
    }

    /// Writes calls of one method, one for each text of parameters.
    ///
    /// - Returns: The id of the last one.
    @discardableResult
    func send(_ method: String, _ params: [String]) throws -> Int {
        var text = ""
        for each in params {
            lastID += 1
            text +=
                #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(each)}"# + "\n"
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Line.End.closed }
            rest = rest.dropFirst(count)
        }
        return lastID
    }

    /// The next line without its line feed.
    func next(within seconds: Double = 60) throws -> RawText {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var searched = first
        while true {
            if let end = RawText.index(of: 10, in: buffer, from: searched) {
                let line = RawText(bytes: Array(buffer[first..<end]))
                first = end + 1
                return line
            }
            searched = buffer.count - first
            buffer.removeSubrange(..<first)
            first = 0
            try fill(until: deadline)
        }
    }

    private func fill(until deadline: ContinuousClock.Instant) throws {
        let left = (deadline - ContinuousClock.now).components
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let found = poll(&ready, 1, Int32(max(0, left.seconds * 1000)))
        if found < 0, errno == EINTR { return }
        guard found > 0 else { throw Line.End.silent }
        let end = buffer.count
        buffer += [UInt8](repeating: 0, count: 1 << 16)
        let count = buffer.withUnsafeMutableBytes { bytes in
            read(descriptor, bytes.baseAddress.map { $0 + end }, 1 << 16)
        }
        buffer.removeLast((1 << 16) - max(0, count))
        guard count > 0 else { throw Line.End.closed }
    }

    private static func connected(to path: String) throws -> Int32 {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(made)
            throw Trouble("cannot connect to \(path): \(reason)")
        }
        return made
    }
}

/// One line, looked at as bytes.
struct RawText {
    let bytes: [UInt8]

    /// Whether it is a notification of this name.
    func isNotification(_ name: String) -> Bool {
        contains(#""method":"\#(name)""#)
    }

    /// Whether a text stands in it.
    func contains(_ text: String) -> Bool {
        place(of: text) != nil
    }

    /// The number behind a text.
    func number(after text: String) -> Int? {
        guard let start = place(of: text) else { return nil }
        var value: Int?
        for byte in bytes[start...] {
            guard byte >= 48, byte <= 57 else { break }
            value = (value ?? 0) * 10 + Int(byte - 48)
        }
        return value
    }

    /// What stands behind a text up to the next quotation mark.
    func word(after text: String) -> String? {
        guard let start = place(of: text),
            let end = Self.index(of: 34, in: bytes, from: start)
        else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The line as JSON.
    func parsed() throws -> JSON {
        var reader = JSONReader(bytes: bytes)
        return try reader.document()
    }

    /// Where a byte stands first.
    static func index(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return bytes.withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress,
                let found = memchr(base + start, Int32(byte), all.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The place behind the first occurrence of a text, which is not empty.
    private func place(of text: String) -> Int? {
        let needle = Array(text.utf8)
        return bytes.withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress else { return nil }
            var start = 0
            while all.count - start >= needle.count {
                let rest = all.count - start - needle.count + 1
                guard let found = memchr(base + start, Int32(needle[0]), rest) else { return nil }
                let place = UnsafeRawPointer(found) - base
                if memcmp(base + place, needle, needle.count) == 0 { return place + needle.count }
                start = place + 1
            }
            return nil
        }
    }
}

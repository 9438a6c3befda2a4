import Foundation

/// A client as small as it can be: one Unix socket, lines out, lines in.
final class Line {
    /// Nothing came in time, or the other side ended.
    enum End: Error {
        case closed
        case silent
    }

    /// The bytes that came after the last line.
    private(set) var unread: [UInt8] = []
    /// Notifications that came while an answer was waited for.
    private(set) var notifications: [JSON] = []
    private let descriptor: Int32
    private var lastID = 0

    /// Connects.
    init(to path: String) throws {
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
        descriptor = made
    }

    /// Takes over one end of a socket.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Writes bytes as they are; false if the other side is gone.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes a line.
    @discardableResult
    func type(_ line: String) -> Bool {
        write(Array((line + "\n").utf8))
    }

    /// Says that nothing more will be written.
    func finishWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next line, as bytes without its line feed.
    func bytes(within seconds: Double = 60) throws -> [UInt8] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var searched = 0
        while true {
            if let end = unread[searched...].firstIndex(of: 10) {
                let line = Array(unread[..<end])
                unread.removeFirst(end + 1)
                return line
            }
            searched = unread.count
            try fill(until: deadline)
        }
    }

    /// The next line as JSON.
    func next(within seconds: Double = 60) throws -> JSON {
        var reader = JSONReader(bytes: try bytes(within: seconds))
        return try reader.document()
    }

    /// The next notification, those first that came between.
    func notification(within seconds: Double = 60) throws -> JSON {
        if !notifications.isEmpty { return notifications.removeFirst() }
        let message = try next(within: seconds)
        guard message["method"] != nil else {
            throw Trouble("an answer nobody waits for: \(message)")
        }
        return message
    }

    /// Notifications until one fulfils the condition, that one included.
    func notifications(
        within seconds: Double = 60, until condition: (JSON) -> Bool
    ) throws -> [JSON] {
        var found: [JSON] = []
        repeat {
            found.append(try notification(within: seconds))
        } while !condition(found[found.count - 1])
        return found
    }

    /// Calls a method; the whole answer.
    func ask(_ method: String, _ params: String? = nil, within seconds: Double = 60) throws -> JSON
    {
        lastID += 1
        let parameters = params.map { #","params":\#($0)"# } ?? ""
        type(#"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)"\#(parameters)}"#)
        while true {
            let message = try next(within: seconds)
            if message["id"]?.int == lastID { return message }
            notifications.append(message)
        }
    }

    /// Calls a method that must succeed; its result.
    @discardableResult
    func call(_ method: String, _ params: String? = nil, within seconds: Double = 60) throws -> JSON
    {
        let answer = try ask(method, params, within: seconds)
        guard let result = answer["result"] else {
            throw Trouble("\(method) was refused: \(answer)")
        }
        return result
    }

    /// Sends many calls at once and returns their answers, which come in the same order.
    func askAll(_ calls: [(method: String, params: String)]) throws -> [JSON] {
        let first = lastID + 1
        lastID += calls.count
        let lines = calls.enumerated().map { offset, call in
            #"{"jsonrpc":"2.0","id":\#(first + offset),"method":"\#(call.method)","#
                + #""params":\#(call.params)}"#
        }
        type(lines.joined(separator: "\n"))
        return try calls.indices.map { offset in
            while true {
                let message = try next()
                if let id = message["id"]?.int {
                    guard id == first + offset else { throw Trouble("out of order: \(message)") }
                    return message
                }
                notifications.append(message)
            }
        }
    }

    /// Everything that can be read without waiting longer than the time given.
    func drain(within seconds: Double = 0) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        while let line = try? bytes(within: seconds) { lines.append(line) }
        return lines
    }

    private func fill(until deadline: ContinuousClock.Instant) throws {
        let left = deadline - ContinuousClock.now
        let milliseconds =
            left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let found = poll(&ready, 1, Int32(max(0, milliseconds)))
        if found < 0, errno == EINTR { return }
        guard found > 0 else { throw End.silent }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { throw End.closed }
        unread += chunk[..<count]
    }
}

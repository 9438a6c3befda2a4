import Foundation

/// One connection through a ``StoreDoor``, on a thread of its own.
struct DoorVisit: Sendable {
    let door: StoreDoor
    let client: Int32
    /// The socket of the store.
    let store: String

    /// Passes requests on until either side has enough.
    func run() {
        defer { close(client) }
        let upstream = Self.connect(to: store)
        defer { if let upstream { close(upstream) } }
        var unread: [UInt8] = []
        while let request = Self.message(from: client, &unread) {
            let line = request.startLine
            guard door.knock(line), let upstream else { return }
            door.note(request.bytes)
            if line.contains("/feed ") { return pump(request, upstream) }
            let isOrder = line.hasPrefix("PUT ") && line.contains("/orders/")
            if isOrder {
                door.enter(String(line.split(separator: " ")[1].split(separator: "/").last ?? ""))
            }
            let goesOn = answer(request, upstream)
            if isOrder { door.leave() }
            guard goesOn else { return }
        }
    }

    /// Answers one request, as well or as badly as the door says.
    ///
    /// - Returns: Whether the connection goes on.
    private func answer(_ request: Message, _ upstream: Int32) -> Bool {
        let fault = door.nextFault()
        switch fault {
        case .dropRequest: return false
        case .error500: return Self.send(Self.page(500, #"{"oh":"no"}"#), to: client)
        case .error503: return Self.send(Self.page(503, "<h1>Unavailable</h1>"), to: client)
        case .page: return Self.send(Self.page(200, "<html>Welcome</html>"), to: client)
        case .garbage:
            _ = Self.send(Array("\u{1}\u{2}no HTTP at all\r\n\r\n\u{0}".utf8), to: client)
            return false
        case .delay: usleep(30_000)
        case .none, .dropAnswer, .truncate, .duplicate, .error503After: break
        }
        guard var reply = ask(request, upstream) else { return false }
        if fault == .duplicate {
            guard let other = ask(request, upstream) else { return false }
            reply = other
        }
        switch fault {
        case .dropAnswer: return false
        case .truncate:
            _ = Self.send(Array(reply.bytes.dropLast(7)), to: client)
            return false
        case .error503After: return Self.send(Self.page(503, "{}"), to: client)
        default: return Self.send(reply.bytes, to: client)
        }
    }

    private func ask(_ request: Message, _ upstream: Int32) -> Message? {
        guard Self.send(request.bytes, to: upstream) else { return nil }
        var unread: [UInt8] = []
        let reply = Self.message(from: upstream, &unread)
        if let reply { door.note(reply.bytes) }
        return reply
    }

    /// Passes a stream on for as long as both sides are there.
    private func pump(_ request: Message, _ upstream: Int32) {
        guard Self.send(request.bytes, to: upstream) else { return }
        while true {
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ends, 2, 20) >= 0, !door.isShut else { return }
            // The client of a stream says nothing more; what can be read is its end.
            guard ends[0].revents == 0 else { return }
            guard ends[1].revents != 0 else { continue }
            guard let bytes = Self.read(upstream), Self.send(bytes, to: client) else { return }
            door.note(bytes)
        }
    }

    /// A request or an answer: as much of HTTP as daemon and store use.
    struct Message {
        var bytes: [UInt8]
        var startLine: String
    }

    /// Reads one whole message; nil if the other side ends before.
    static func message(
        from descriptor: Int32, _ unread: inout [UInt8]
    ) -> Message? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = unread.firstRange(of: mark)?.upperBound {
                let head = String(decoding: unread[..<end], as: UTF8.self)
                let line = String(head.prefix { $0 != "\r\n" })
                let length = head.lowercased().firstMatch(of: #/\r\ncontent-length: *(\d+)/#)
                    .flatMap { Int($0.1) }
                let whole = end + (length ?? 0)
                if unread.count >= whole {
                    let message = Message(bytes: Array(unread[..<whole]), startLine: line)
                    unread.removeFirst(whole)
                    return message
                }
            }
            guard let bytes = read(descriptor) else { return nil }
            unread += bytes
        }
    }

    private static func page(_ status: Int, _ text: String) -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\ncontent-length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk[..<count]) : nil
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
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

    private static func connect(to path: String) -> Int32? {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        let isThere = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isThere { return made }
        close(made)
        return nil
    }
}

import Foundation

/// `payqueuectl page` in front of a daemon, visited as a browser would, or as none should.
final class PageVisit {
    /// An answer, read to its end.
    struct Answer {
        let status: Int
        /// By names in lower case.
        let headers: [String: String]
        let body: String
    }

    let child: Child
    /// The address that it printed, without scheme and host: path and token.
    let firstPath: String
    let port: UInt16
    /// The cookie, once it was given out.
    private(set) var cookie = ""
    /// The token that the page sends with each call.
    private(set) var token = ""

    /// The path of the page.
    var room: String { String(firstPath.prefix { $0 != "?" }) }
    var host: String { "127.0.0.1:\(port)" }

    /// Starts it and waits until it serves.
    init(_ daemon: Daemon, _ flags: String..., name: String = "page") throws {
        let child = try Child(
            [Built.control, "page", "--socket", daemon.socket] + flags, in: daemon.place,
            name: name)
        let address = try eventually(within: 60) {
            if let ending = child.poll() {
                throw Trouble("the page ended with \(ending): \(child.standardError)")
            }
            return child.standardOutput.firstMatch(of: #/http:\/\/127\.0\.0\.1:(\d+)(\/\S+)\n/#)
        }
        guard let address, let port = UInt16(address.1) else {
            throw Trouble("no address in '\(child.standardOutput)'")
        }
        self.child = child
        self.port = port
        firstPath = String(address.2)
    }

    /// Opens the printed address and the page behind it, as a browser does.
    @discardableResult
    func enter() throws -> Answer {
        let first = try get(firstPath)
        cookie = first.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) } ?? ""
        let page = try get(room)
        token =
            page.body.firstMatch(of: #/name="page-token" content="([0-9a-f]+)"/#)
            .map { String($0.1) } ?? ""
        return first
    }

    /// Asks for a path with the headers of a browser that has the cookie.
    func get(_ path: String, _ headers: [String: String] = [:]) throws -> Answer {
        try ask("GET", path, headers)
    }

    /// Makes a call as the page does; headers given here stand in place of the usual ones.
    func call(
        _ method: String, _ params: String = "{}", _ headers: [String: String] = [:]
    ) throws -> Answer {
        try post(#"{"method":"\#(method)","params":\#(params)}"#, headers)
    }

    /// Sends a body to the place for calls.
    func post(_ body: String, _ headers: [String: String] = [:]) throws -> Answer {
        let usual = [
            "origin": "http://\(host)", "content-type": "application/json", "x-page-token": token,
        ]
        return try ask("POST", room + "call", usual.merging(headers) { $1 }, body)
    }

    /// Sends a request and reads the answer. A header that is empty is left out.
    func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: String = ""
    ) throws -> Answer {
        let usual = ["host": host, "cookie": cookie, "connection": "close"]
        var lines = ["\(method) \(path) HTTP/1.1"]
        for (name, value) in usual.merging(headers, uniquingKeysWith: { $1 }) where !value.isEmpty {
            lines.append("\(name): \(value)")
        }
        if method == "POST" { lines.append("content-length: \(body.utf8.count)") }
        return try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    }

    /// Sends bytes as they are and reads the answer.
    func send(_ bytes: [UInt8]) throws -> Answer {
        let line = try connect()
        line.write(bytes)
        let status = try Self.text(line).split(separator: " ").dropFirst().first.flatMap {
            Int($0)
        }
        var headers: [String: String] = [:]
        while let pair = try? Self.text(line), !pair.isEmpty {
            let parts = pair.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            headers[String(parts[0]).lowercased()] = value
        }
        var body: [String] = []
        while let next = try? Self.text(line) { body.append(next) }
        body.append(String(decoding: line.unread, as: UTF8.self))
        return Answer(
            status: status ?? 0, headers: headers, body: body.joined(separator: "\n"))
    }

    /// The stream of events, read line by line; lines of its chunking are among them.
    func events(_ query: String = "", _ headers: [String: String] = [:]) throws -> Line {
        let line = try connect()
        let all = ["host": host, "cookie": cookie].merging(headers) { $1 }
        let head = all.map { "\($0.key): \($0.value)\r\n" }.joined()
        line.write(Array("GET \(room)events\(query) HTTP/1.1\r\n\(head)\r\n".utf8))
        return line
    }

    /// A line without its end.
    static func text(_ line: Line, within seconds: Double = 30) throws -> String {
        let bytes = try line.bytes(within: seconds)
        return String(decoding: bytes.last == 13 ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }

    /// A connection to its port.
    func connect() throws -> Line {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(made)
            throw Trouble("cannot connect to port \(port)")
        }
        return Line(descriptor: made)
    }
}

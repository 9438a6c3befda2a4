import Foundation
import Testing

/// Requests that are not valid HTTP, or that name another server.
@Suite("Strict HTTP", .ownThreads)
struct StrictRequestTests {
    private static let host = "Host: localhost\r\n"

    /// Requests with the status that refuses them.
    private static let refused: [(String, Int)] = [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example\r\n\r\n", 400),
        ("GET http://evil.example/ HTTP/1.1\r\n\(host)\r\n", 400),
        ("POST /operate HTTP/1.1\r\n\(host)Transfer-Encoding: gzip\r\n\r\n", 501),
        ("POST /operate HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (
            "POST /operate HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n"
                + "Content-Length: 4\r\n\r\n0\r\n\r\n", 400
        ),
        ("POST /operate HTTP/1.1\r\n\(host)Content-Length: 99999999\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 9000))\r\n\r\n", 431),
        ("BREW / HTTP/1.1\r\n\(host)\r\n", 501),
    ]

    @Test("The store refuses requests that are not valid HTTP, in words and once")
    func store() throws {
        let store = StoreServer(in: try Workplace())
        try store.start()
        for (request, status) in Self.refused {
            let (found, body) = try Self.exchange(request, with: store.socket)
            #expect(found == status, "\(request.prefix(80))")
            let error = try JSON(body)["error"]
            let isTooLarge = status == 413 || status == 431
            #expect(error?["kind"]?.string == (isTooLarge ? "tooLarge" : "badRequest"))
            #expect(error?["message"]?.string?.contains(" ") == true)
        }
        let (page, _) = try Self.exchange(
            "GET http://localhost/ HTTP/1.1\r\n\(Self.host)Connection: close\r\n\r\n",
            with: store.socket)
        #expect(page == 200)
        try store.stop()
    }

    @Test("So does the socket of the measurements")
    func measurements() throws {
        try Daemon.run(
            configure: { $0.flags += ["--metrics-socket", $0.place("m")] }
        ) { daemon in
            #expect(eventually(within: 60) { try? Line(to: daemon.place("m")) } != nil)
            for (request, status) in Self.refused {
                let (found, body) = try Self.exchange(request, with: daemon.place("m"))
                #expect(found == status, "\(request.prefix(80))")
                #expect(body.contains(" ") && body.hasSuffix("\n"))
            }
        }
    }

    /// Sends bytes; the status and the body of the only response.
    private static func exchange(_ text: String, with socket: String) throws -> (Int, String) {
        let line = try Line(to: socket)
        line.write(Array(text.utf8))
        var bytes: [UInt8] = []
        while true {
            do {
                bytes += try line.bytes() + [10]
            } catch Line.End.closed {
                break
            }
        }
        let answer = String(decoding: bytes + line.unread, as: UTF8.self)
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(answer)")
        let end = answer.firstRange(of: "\r\n\r\n")?.upperBound ?? answer.endIndex
        return (Int(answer.dropFirst(9).prefix(3)) ?? 0, String(answer[end...]))
    }
}

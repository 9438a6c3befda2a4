import NIOCore
import NIOHTTP1

/// A response of the page's server, with the common headers.
struct PageAnswer {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: [UInt8]

    /// Creates a response with a body of a type.
    init(
        _ status: HTTPResponseStatus = .ok, type: String, _ body: [UInt8],
        headers: [(String, String)] = []
    ) {
        self.status = status
        self.body = body
        self.headers = HTTPHeaders([
            ("content-type", type), ("content-length", "\(body.count)"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ])
        self.headers.add(contentsOf: headers)
        // The default policy permits no resources, scripts or frames.
        if !self.headers.contains(name: "content-security-policy") {
            self.headers.add(
                name: "content-security-policy", value: "default-src 'none'; frame-ancestors 'none'"
            )
        }
    }

    /// A plain-text response with one sentence.
    static func sentence(_ status: HTTPResponseStatus, _ text: String) -> PageAnswer {
        PageAnswer(status, type: "text/plain; charset=utf-8", Array("\(text)\n".utf8))
    }

    /// A JSON response.
    static func json(_ text: String) -> PageAnswer {
        PageAnswer(type: "application/json", Array(text.utf8))
    }

    /// A redirection to another path.
    static func redirect(to path: String, headers: [(String, String)] = []) -> PageAnswer {
        PageAnswer(.seeOther, type: "text/plain", [], headers: [("location", path)] + headers)
    }

    /// The HTTP parts of the response.
    func parts(for head: HTTPRequestHead, isLast: Bool) -> [HTTPServerResponsePart] {
        var answer = HTTPResponseHead(version: head.version, status: status, headers: headers)
        if isLast { answer.headers.replaceOrAdd(name: "connection", value: "close") }
        let end: [HTTPServerResponsePart] = [.end(nil)]
        guard head.method != .HEAD, !body.isEmpty else { return [.head(answer)] + end }
        return [.head(answer), .body(.byteBuffer(ByteBuffer(bytes: body)))] + end
    }
}

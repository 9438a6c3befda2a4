import AsyncHTTPClient
import NIOCore
import PaymentCore
import PaymentSandbox
import StoreTesting
import Testing

/// Somebody who looks at the operator's pages without a script: follows links, and sends the forms that
/// it sees.
struct PageVisitor {
    /// A page as it came.
    struct Page {
        let status: Int
        let body: String
        let headers: [String: String]

        /// The text between two marks; nil where the page has not both.
        func part(from start: String, to end: String) -> String? {
            guard let from = body.firstRange(of: start)?.upperBound,
                let to = body[from...].firstRange(of: end)?.lowerBound
            else { return nil }
            return String(body[from..<to])
        }

        /// The orders that the page leads to from codes, in the order of the page, each once.
        var orders: [String] {
            var seen: Set<String> = []
            return body.matches(of: #/<a href="\/orders\/([0-9a-f-]{36})" title/#)
                .map { String($0.1) }.filter { seen.insert($0).inserted }
        }

        /// The address of the link to older entries.
        var older: String? {
            body.firstMatch(of: #/rel="next" href="([^"]*)"/#).map { PageVisitor.plain($0.1) }
        }

        /// The addresses of the questions that the page leads to.
        var questions: [String] {
            body.matches(of: #/href="(\/confirm\?[^"]*)"/#).map { PageVisitor.plain($0.1) }
        }

        /// The heading.
        var heading: String? { part(from: "<h1>", to: "</h1>") }
    }

    let served: ServedShop

    init(_ sandbox: SandboxService, catalogue: StoreCatalogue = .example) async throws {
        served = try await ServedShop(sandbox, catalogue: catalogue)
    }

    func stop() async throws { try await served.stop() }

    /// Opens a page.
    func get(
        _ path: String, _ headers: [(String, String)] = []
    ) async throws -> Page {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)\(path)")
        request.headers.add(name: "accept", value: "text/html,application/xhtml+xml")
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        return try await send(request)
    }

    /// Sends a form and sees the page that it leads to.
    func post(
        _ path: String, _ body: String, _ headers: [(String, String)] = []
    ) async throws -> Page {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)\(path)")
        request.method = .POST
        request.headers.add(name: "accept", value: "text/html,application/xhtml+xml")
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        return try await send(request)
    }

    /// Sends the first form of a page that goes to `/operate`, as it stands.
    func press(_ page: Page) async throws -> Page {
        let form = try #require(
            page.part(from: "action=\"/operate\"", to: "</form>"), "no form on: \(page.body)")
        let fields = form.matches(of: #/name="([^"]*)" value="([^"]*)"/#).map {
            "\(Self.encoded(Self.plain($0.1)))=\(Self.encoded(Self.plain($0.2)))"
        }
        return try await post("/operate", fields.joined(separator: "&"))
    }

    /// Goes to the question before an action that a page offers, and says yes.
    func confirm(_ word: String, on page: Page) async throws -> Page {
        let link = try #require(
            page.questions.first { $0.contains("action=\(word)&") }, "no \(word): \(page.body)")
        let question = try await get(link)
        #expect(question.status == 200)
        return try await press(question)
    }

    private func send(_ request: HTTPClientRequest) async throws -> Page {
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await answer.body.collect(upTo: 16 << 20)
        var headers: [String: String] = [:]
        for header in answer.headers { headers[header.name.lowercased()] = header.value }
        return Page(
            status: Int(answer.status.code), body: String(buffer: body), headers: headers)
    }

    /// What a browser makes of escaped text.
    static func plain(_ text: some StringProtocol) -> String {
        var plain = String(text)
        for (entity, letter) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ] {
            plain = plain.replacing(entity, with: letter)
        }
        return plain
    }

    /// Text as a browser writes it into a form.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            let digits = String(byte, radix: 16)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

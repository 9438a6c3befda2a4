import NIOHTTP1
import Synchronization

/// Decides which browser may access the page: the first one that opened the printed URL.
///
/// The URL contains a one-time token, which is replaced by a cookie. Browsers send cookies to every
/// port of a host, so the cookie is bound to a secret path. Other servers on this machine therefore
/// never receive it. Requests from other sites are refused by `Host`, `Origin` and
/// `Sec-Fetch-Site`. Actions also need a second token, which is only in the page.
final class PageAccess: Sendable {
    /// The decision about a request.
    enum Verdict: Equatable {
        /// The token is valid: set the cookie and redirect to the page.
        case admitted
        /// The cookie is valid, and the URL still contains a token: redirect to the page.
        case known
        /// The page.
        case page
        /// The stream of events.
        case events
        /// A call to the daemon.
        case call
        /// Refused; the sentence gives the reason.
        case refused(HTTPResponseStatus, String)
    }

    /// The token in the page, which each of its calls must send.
    let pageToken: String
    /// The path of the page, with a slash at both ends.
    let room: String

    private static let cookieName = "payqueue-page"

    private let port: Int
    private let cookie: String
    private let firstToken: String
    private let isUsed = Atomic<Bool>(false)

    /// Creates new secrets.
    init(port: Int) {
        self.port = port
        room = "/\(Self.secret(words: 1))/"
        cookie = Self.secret(words: 2)
        firstToken = Self.secret(words: 2)
        pageToken = Self.secret(words: 2)
    }

    /// The URL to open, valid once.
    var firstAddress: String { "http://127.0.0.1:\(port)\(room)?token=\(firstToken)" }

    /// The header that sets the cookie.
    var setCookie: String {
        "\(Self.cookieName)=\(cookie); Path=\(room); HttpOnly; SameSite=Strict"
    }

    /// Decides about a request from its head.
    func verdict(on head: HTTPRequestHead) -> Verdict {
        let hosts = head.headers["host"]
        guard hosts.count == 1, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(hosts[0]) else {
            return .refused(.misdirectedRequest, "This server has no other name than 127.0.0.1.")
        }
        guard isFromHere(head, host: hosts[0]) else {
            return .refused(.forbidden, "Other sites may not use this page.")
        }
        let path = head.uri.prefix { $0 != "?" }
        switch path {
        case room[...]: return verdictOnPage(head)
        case (room + "events")[...]:
            guard head.method == .GET else { return .refused(.methodNotAllowed, "Use GET.") }
            return hasCookie(head) ? .events : Self.stranger
        case (room + "call")[...]: return verdictOnCall(head)
        default: return .refused(.notFound, "There is nothing here.")
        }
    }

    private func verdictOnPage(_ head: HTTPRequestHead) -> Verdict {
        guard head.method == .GET || head.method == .HEAD else {
            return .refused(.methodNotAllowed, "Use GET.")
        }
        guard let token = Self.parameter("token", of: head.uri) else {
            return hasCookie(head) ? .page : Self.stranger
        }
        if hasCookie(head) { return .known }
        guard Self.same(token, firstToken) else { return Self.stranger }
        guard head.method == .GET, !isUsed.exchange(true, ordering: .relaxed) else {
            return .refused(
                .forbidden, "This address was opened before. Run 'payqueuectl page' again.")
        }
        return .admitted
    }

    private func verdictOnCall(_ head: HTTPRequestHead) -> Verdict {
        guard head.method == .POST else { return .refused(.methodNotAllowed, "Use POST.") }
        guard hasCookie(head) else { return Self.stranger }
        let tokens = head.headers["x-page-token"]
        guard head.headers.contains(name: "origin"), tokens.count == 1,
            Self.same(tokens[0], pageToken)
        else { return .refused(.forbidden, "This page has expired. Reload it.") }
        guard head.headers["content-type"] == ["application/json"] else {
            return .refused(.unsupportedMediaType, "A call is JSON.")
        }
        return .call
    }

    private static let stranger = Verdict.refused(
        .forbidden, "Open the address that 'payqueuectl page' printed.")

    /// Whether the request comes from a page of this server, or directly from the user of the
    /// browser.
    private func isFromHere(_ head: HTTPRequestHead, host: String) -> Bool {
        let origins = head.headers["origin"]
        guard origins.isEmpty || origins == ["http://\(host)"] else { return false }
        let sites = head.headers["sec-fetch-site"]
        return sites.isEmpty || sites == ["same-origin"] || sites == ["none"]
    }

    private func hasCookie(_ head: HTTPRequestHead) -> Bool {
        head.headers["cookie"].contains { line in
            line.split(separator: ";").contains { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return parts.count == 2 && parts[0].drop { $0 == " " } == Self.cookieName
                    && Self.same(parts[1], cookie)
            }
        }
    }

    /// The value of a query parameter; nil if it is missing.
    static func parameter(_ name: String, of address: String) -> String? {
        guard let mark = address.firstIndex(of: "?") else { return nil }
        for pair in address[mark...].dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }

    /// Compares two secrets in constant time, which does not reveal where they differ.
    private static func same(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left.utf8, right.utf8) { difference |= one ^ other }
        return difference == 0
    }

    /// A random secret of `words` times 16 hexadecimal digits.
    static func secret(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

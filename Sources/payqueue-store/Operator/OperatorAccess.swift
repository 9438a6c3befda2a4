import HTTPTypes
import Hummingbird
import PaymentCore
import PaymentSandbox

/// The rules for access to the operator's page and its buttons.
///
/// With a password, clients that know it; without one, clients that connect from this machine and
/// speak to the server by a name of this machine, so that no foreign page can have a browser here do
/// it. Each form carries a token that only the page knows, and browsers that say where a form comes
/// from are believed.
struct OperatorAccess: Sendable {
    /// Chosen anew by each process.
    let formToken = SessionTokenStore.freshToken()
    private let password: Credential?

    /// Makes a rule.
    ///
    /// - Parameter password: What must be known; nil for a server that only this machine reaches.
    init(password: OpaqueText?) {
        self.password = password.map { Credential($0) }
    }

    /// Why a request may not see the page; nil if it may.
    func objection(to request: Request, _ context: StoreContext) -> PageFailure? {
        if let password {
            guard let given = Self.basicPassword(request.headers[.authorization]),
                password.matches(OpaqueText(given))
            else { return PageFailure(.passwordNeeded, "The operator's password is required.") }
            return nil
        }
        guard context.isOfThisMachine, let authority = request.head.authority,
            Self.isOfThisMachine(authority)
        else { return PageFailure(.forbidden, "The page is available on this machine only.") }
        return nil
    }

    /// Whether a form was sent by the page itself.
    func isOwn(_ request: Request, form: FormFields) -> Bool {
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == nil || site == "same-origin" || site == "none" else { return false }
        return Credential(OpaqueText(formToken)).matches(form["token"].map { OpaqueText($0) })
    }

    private static func isOfThisMachine(_ authority: String) -> Bool {
        var host = Substring(authority)
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = host[..<colon] }
        return host == "localhost" || host == "[::1]" || host == "127.0.0.1" || host == "unix"
    }

    private static func basicPassword(_ header: String?) -> String? {
        guard let header, header.prefix(6).lowercased() == "basic ",
            let bytes = Base64.decoded(header.dropFirst(6)),
            let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}

/// Base64 as the `Authorization` header has it.
enum Base64 {
    /// The bytes; nil for text that is no Base64.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var bits: UInt32 = 0
        var count = 0
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

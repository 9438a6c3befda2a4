import HTTPTypes
import Hummingbird
import Listening
import PaymentCore
import PaymentSandbox

/// The access rules of the operator's pages and their forms.
///
/// With a password, any client that sends it has access. Without one, the client must be a process
/// of this machine and use a local name of the server. A foreign page in a local browser therefore
/// gets no access. Each form carries a secret token, and the site that a browser reports
/// (`Sec-Fetch-Site`) is checked; `Origin` is not usable there, because the pages send no referrer.
struct OperatorAccess: Sendable {
    /// A random token of this process.
    let formToken = SessionTokenStore.freshToken()
    private let password: Credential?

    /// Creates the rules.
    ///
    /// - Parameter password: The required password; nil for a server that only this machine can
    ///   reach.
    init(password: OpaqueText?) {
        self.password = password.map { Credential($0) }
    }

    /// The reason to refuse a request; nil if access is permitted.
    func objection(to request: Request, _ context: StoreContext) -> PageFailure? {
        if let password {
            guard let given = Self.basicPassword(request.headers[.authorization]),
                password.matches(OpaqueText(given))
            else { return PageFailure(.passwordNeeded, "The operator's password is required.") }
            return nil
        }
        guard context.isOfThisMachine, let name = request.head.authority, Self.isLocal(name)
        else { return PageFailure(.forbidden, "The page is available on this machine only.") }
        return nil
    }

    /// Whether a request carries a password that has to be checked.
    func isGuess(_ request: Request) -> Bool {
        password != nil && request.headers[.authorization] != nil
    }

    /// Whether a form was sent by a page of this server.
    func isOwn(_ request: Request, form: FormFields) -> Bool {
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == nil || site == "same-origin" || site == "none" else { return false }
        return Credential(OpaqueText(formToken)).matches(form["token"].map { OpaqueText($0) })
    }

    /// Whether the server name in a request belongs to this machine. Browsers always send a name.
    private static func isLocal(_ name: String) -> Bool {
        guard !name.isEmpty else { return true }
        return Authority(name).map { $0.isLoopback || $0.host == "unix" } ?? false
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

/// Base64 decoding for the `Authorization` header.
enum Base64 {
    /// The bytes; nil for text that is not Base64.
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

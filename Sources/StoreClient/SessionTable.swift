import PaymentCore
import StoreMessages
import StrictJSON

/// The sessions that were opened at the store, and what is being asked about them.
struct SessionTable: Sendable {
    /// A session; its tokens are never written anywhere but to the store and to the memory.
    struct Held: Sendable {
        /// Nil once the store has ended the session.
        var refreshToken: String?
        var accessToken: String?
        /// Whether the store wanted a credential for it. Then it is not asked for another one without:
        /// it would count that as a guess, and the person who knows the credential would have to wait.
        var needsCredential = false
        /// Whether the store has refused the credential that is configured; another process may have
        /// been told a better one.
        var isRefused = false
    }

    /// Most accounts whose sessions are kept.
    static let limit = 1000

    private var held: [AccountName: Held] = [:]
    /// Accounts that logged out in this process: nothing that is still under way for one of them opens
    /// a session of its own.
    private var loggedOut: Set<AccountName> = []
    /// The account that logged in last.
    var current: AccountName?
    /// The request in flight for an account, so that it is made once.
    var asking: [AccountName: Task<Result<String, StoreFailure>, Never>] = [:]

    subscript(account: AccountName) -> Held? {
        get { held[account] }
        set {
            if newValue != nil, held[account] == nil, held.count >= Self.limit {
                // Any but the one in session: it can be opened again.
                if let other = held.keys.first(where: { $0 != current }) { held[other] = nil }
            }
            held[account] = newValue
        }
    }

    /// Whether a session may be opened again without a login, with or without what the
    /// configuration knows as its credential.
    func mayReopen(_ account: AccountName, withCredential: Bool) -> Bool {
        guard !loggedOut.contains(account) else { return false }
        guard let held = held[account] else { return true }
        return withCredential ? !held.isRefused : !held.needsCredential
    }

    /// Notes a login.
    mutating func logIn(_ account: AccountName) {
        loggedOut.remove(account)
        current = account
    }

    /// Forgets the session of an account.
    ///
    /// - Returns: What there was.
    mutating func logOut(_ account: AccountName) -> Held? {
        if loggedOut.count >= Self.limit { _ = loggedOut.popFirst() }
        loggedOut.insert(account)
        if current == account { current = nil }
        return held.removeValue(forKey: account)
    }

    /// The table as kept over a restart: refresh tokens, where they are good, and whose session
    /// takes a credential.
    func bytes(for address: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("store", address)
        writer.member("current", current?.string)
        writer.name("sessions")
        writer.beginArray()
        for (account, session) in held {
            writer.element()
            writer.beginObject()
            writer.member("account", account.string)
            writer.member("refreshToken", session.refreshToken)
            writer.name("needsCredential")
            writer.bool(session.needsCredential)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Takes over what was kept. Tokens of another store are worthless and are not sent.
    mutating func recall(_ bytes: [UInt8], for address: String) throws(MessageFault) {
        let fields = try MessageFields(parsing: bytes)
        guard try fields.required("store", { $0 }) == address else { return }
        for session in try fields.objects("sessions") {
            let account = try session.required("account") { AccountName($0) }
            held[account] = Held(
                refreshToken: try session.optional("refreshToken", BearerToken.checked),
                needsCredential: try session.flag("needsCredential"))
        }
        current = try fields.optional("current") { AccountName($0) }
    }
}

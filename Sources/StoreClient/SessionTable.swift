import PaymentCore
import StoreMessages
import StrictJSON

/// The sessions that were opened at the store, and the token requests in flight.
struct SessionTable: Sendable {
    /// A session. Its tokens are sent only to the store and saved only in the memory.
    struct Held: Sendable {
        /// The refresh token; nil once the store has ended the session.
        var refreshToken: String?
        var accessToken: String?
        /// True if the store required a credential. The session is then never reopened without one:
        /// the store would count that as a wrong credential and delay later logins.
        var needsCredential = false
        /// True if the store has refused the configured credential. It is not saved, because a
        /// later process may have another credential.
        var isRefused = false
    }

    /// Most accounts whose sessions are kept.
    static let limit = 1000

    private var held: [AccountName: Held] = [:]
    /// The accounts that logged out in this process. Requests in flight for them must not open a
    /// session.
    private var loggedOut: Set<AccountName> = []
    /// The account that logged in last.
    var current: AccountName?
    /// The token request in flight of each account, shared by concurrent callers.
    var asking: [AccountName: Task<Result<String, StoreFailure>, Never>] = [:]

    subscript(account: AccountName) -> Held? {
        get { held[account] }
        set {
            if newValue != nil, held[account] == nil, held.count >= Self.limit {
                // Any session but the current one is dropped; it can be reopened.
                if let other = held.keys.first(where: { $0 != current }) { held[other] = nil }
            }
            held[account] = newValue
        }
    }

    /// Whether a session may be opened again without a login. `withCredential` says whether the
    /// configuration has a credential of the account.
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

    /// Discards the session of an account.
    ///
    /// - Returns: The discarded session, if there was one.
    mutating func logOut(_ account: AccountName) -> Held? {
        if loggedOut.count >= Self.limit { _ = loggedOut.popFirst() }
        loggedOut.insert(account)
        if current == account { current = nil }
        return held.removeValue(forKey: account)
    }

    /// The saved form of the table: the refresh tokens, and the need of a credential.
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

    /// Restores the saved form. Tokens of another store are invalid here and are not sent.
    ///
    /// - Returns: Whether the saved form is of this store.
    @discardableResult
    mutating func recall(_ bytes: [UInt8], for address: String) throws(MessageFault) -> Bool {
        let fields = try MessageFields(parsing: bytes)
        guard try fields.required("store", { $0 }) == address else { return false }
        for session in try fields.objects("sessions") {
            let account = try session.required("account") { AccountName($0) }
            held[account] = Held(
                refreshToken: try session.optional("refreshToken", BearerToken.checked),
                needsCredential: try session.flag("needsCredential"))
        }
        current = try fields.optional("current") { AccountName($0) }
        return true
    }
}

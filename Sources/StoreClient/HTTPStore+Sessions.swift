import NIOHTTP1
public import PaymentCore
import StoreMessages
import StrictJSON
import Synchronization

/// Sessions of accounts. A credential opens one, its refresh token keeps it alive, and a logout
/// ends it. A session is reopened if its credential is configured or none is needed.
extension HTTPStore {
    /// Opens a session and follows the feed of its account.
    ///
    /// Without a credential, an existing session of the account is reused. With a credential, a new
    /// session replaces it, and the old one is revoked at the store.
    ///
    /// - Throws: The store is unavailable, or refuses the account or its credential.
    public func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        if credential == nil, let grant = try await livingSession(of: account) {
            return Session(account: account, country: grant.country)
        }
        let proof = credential ?? options.credential(account)
        let grant = try await openSession(account, proof)
        let replaced = state.withLock { state in
            defer { keep(grant, needsCredential: proof != nil, &state) }
            state.sessions.logIn(account)
            return state.sessions[account]
        }
        follow(account)
        if let replaced { revoke(replaced, of: account) }
        return Session(account: account, country: grant.country)
    }

    /// Discards the session of an account at once, and revokes it at the store in the background.
    /// Revocation is retried for some minutes, because only these tokens can end the session.
    public func logOut(account: AccountName) {
        let (held, feed) = state.withLock { state in
            let held = state.sessions.logOut(account)
            memory.write(.sessions, state.sessions.bytes(for: name))
            guard state.feed?.account == account else { return (held, Task<Void, Never>?.none) }
            defer { state.feed = nil }
            return (held, state.feed?.task)
        }
        feed?.cancel()
        if let held { revoke(held, of: account) }
    }

    /// The session of the account, if it is the current account and the store still accepts it.
    private func livingSession(
        of account: AccountName
    ) async throws(StoreFailure) -> SessionGrant? {
        let token = state.withLock { state in
            state.sessions.current == account ? state.sessions[account]?.refreshToken : nil
        }
        guard let token else { return nil }
        do {
            let grant = try await refresh(token, of: account)
            return keep(grant, inPlaceOf: token) ? grant : nil
        } catch  where error.kind == .sessionRevoked {
            noteEnd(of: token, account)
            return nil
        }
    }

    /// The access token of an account: the cached one, else one from the refresh token, else one
    /// from a new session. Concurrent callers share one request.
    func accessToken(of account: AccountName) async throws(StoreFailure) -> String {
        let (token, task) = state.withLock { state in
            if let token = state.sessions[account]?.accessToken { return (token, Asking?.none) }
            if let task = state.sessions.asking[account] { return ("", task) }
            // Unstructured, because it serves every caller that arrives meanwhile. The deadline of
            // its requests ends it.
            let task = Task { [self] in await newAccessToken(of: account) }
            state.sessions.asking[account] = task
            return ("", task)
        }
        guard let task else { return token }
        return try await task.value.get()
    }

    private typealias Asking = Task<Result<String, StoreFailure>, Never>

    /// Discards an access token that the store has refused.
    func forget(accessToken: String, of account: AccountName) {
        state.withLock { state in
            guard state.sessions[account]?.accessToken == accessToken else { return }
            state.sessions[account]?.accessToken = nil
        }
    }

    private func newAccessToken(of account: AccountName) async -> Result<String, StoreFailure> {
        let result: Result<String, StoreFailure>
        do {
            result = .success(try await reopenedSession(account))
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.sessions.asking[account] = nil }
        return result
    }

    private func reopenedSession(_ account: AccountName) async throws(StoreFailure) -> String {
        // Repeats after a concurrent login: the earlier session has ended, the new one has not.
        while let held = state.withLock({ $0.sessions[account] }) {
            if let token = held.accessToken { return token }
            guard let token = held.refreshToken else { break }
            do {
                let grant = try await refresh(token, of: account)
                keep(grant, inPlaceOf: token)
                return grant.accessToken
            } catch  where error.kind == .sessionRevoked {
                noteEnd(of: token, account)
            }
        }
        let credential = options.credential(account)
        let (held, mayReopen) = state.withLock {
            (
                $0.sessions[account],
                $0.sessions.mayReopen(account, withCredential: credential != nil)
            )
        }
        if let token = held?.accessToken { return token }
        guard mayReopen else {
            throw StoreFailure(
                .sessionRevoked, "the store has ended the session of the account: log in again")
        }
        do {
            let grant = try await openSession(account, credential)
            return try use(grant, needsCredential: credential != nil)
        } catch
            where error.kind == .badCredential || error.kind == .unknownAccount && held != nil
        {
            if let token = state.withLock({ $0.sessions[account]?.accessToken }) { return token }
            noteRefusal(of: account, withCredential: credential != nil)
            throw StoreFailure(
                .sessionRevoked, "the store requires a new login: \(error)")
        }
    }

    private func refresh(
        _ token: String, of account: AccountName
    ) async throws(StoreFailure) -> SessionGrant {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("refreshToken", token)
        writer.endObject()
        return try await call(
            StoreRequest(.POST, StoreAPI.prefix + "/sessions/refresh", body: writer.bytes),
            read: Self.grant(of: account))
    }

    private func openSession(
        _ account: AccountName, _ credential: OpaqueText?
    ) async throws(StoreFailure) -> SessionGrant {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("account", account.string)
        writer.member("credential", credential?.string)
        writer.endObject()
        return try await call(
            StoreRequest(.POST, StoreAPI.prefix + "/sessions", body: writer.bytes),
            read: Self.grant(of: account))
    }

    private static func grant(
        of account: AccountName
    ) -> @Sendable (StoreReply) throws(MessageFault) -> SessionGrant {
        { reply throws(MessageFault) in
            let grant = try SessionGrant(try MessageFields(parsing: reply.body))
            guard grant.account == account else {
                throw MessageFault("the session belongs to another account")
            }
            return grant
        }
    }

    /// Keeps a session that was reopened without a login. A concurrent login or logout wins; then
    /// this session is revoked.
    ///
    /// - Returns: The access token of the account's current session.
    /// - Throws: The account was logged out meanwhile.
    private func use(
        _ grant: SessionGrant, needsCredential: Bool
    ) throws(StoreFailure) -> String {
        let token = state.withLock { state -> String? in
            guard state.sessions.mayReopen(grant.account, withCredential: true),
                state.sessions[grant.account]?.refreshToken == nil
            else { return state.sessions[grant.account]?.accessToken }
            keep(grant, needsCredential: needsCredential, &state)
            return grant.accessToken
        }
        if token != grant.accessToken {
            let held = SessionTable.Held(
                refreshToken: grant.refreshToken, accessToken: grant.accessToken)
            revoke(held, of: grant.account)
        }
        guard let token else {
            throw StoreFailure(.sessionRevoked, "the account was logged out meanwhile")
        }
        return token
    }

    /// Requires the lock, so that saved states reach the file in order.
    private func keep(_ grant: SessionGrant, needsCredential: Bool, _ state: inout State) {
        state.sessions[grant.account] = SessionTable.Held(
            refreshToken: grant.refreshToken, accessToken: grant.accessToken,
            needsCredential: needsCredential)
        memory.write(.sessions, state.sessions.bytes(for: name))
    }

    /// Keeps the tokens of a refresh. Returns false if the session was replaced or ended meanwhile.
    @discardableResult
    private func keep(_ grant: SessionGrant, inPlaceOf token: String) -> Bool {
        state.withLock { state in
            guard state.sessions[grant.account]?.refreshToken == token else { return false }
            state.sessions[grant.account]?.refreshToken = grant.refreshToken
            state.sessions[grant.account]?.accessToken = grant.accessToken
            memory.write(.sessions, state.sessions.bytes(for: name))
            return true
        }
    }

    /// Records that the store has ended a session.
    private func noteEnd(of token: String, _ account: AccountName) {
        state.withLock { state in
            guard state.sessions[account]?.refreshToken == token else { return }
            state.sessions[account]?.refreshToken = nil
            state.sessions[account]?.accessToken = nil
            memory.write(.sessions, state.sessions.bytes(for: name))
        }
    }

    /// Records that the store refused the configured credential, or requires one.
    private func noteRefusal(of account: AccountName, withCredential: Bool) {
        state.withLock { state in
            var held = state.sessions[account] ?? SessionTable.Held()
            guard held.refreshToken == nil else { return }
            held.needsCredential = true
            if withCredential { held.isRefused = true }
            state.sessions[account] = held
            memory.write(.sessions, state.sessions.bytes(for: name))
        }
    }

    /// Revokes a session in the background, with retries. Without these tokens only the store could
    /// end the session.
    private func revoke(_ held: SessionTable.Held, of account: AccountName) {
        guard let refreshToken = held.refreshToken else { return }
        // Unstructured, because no caller waits for it. The last retry or the end of the client
        // ends it.
        Task { [self] in
            var token = held.accessToken
            for pause in Self.pausesOfRevocation {
                if await hasRevoked(refreshToken, with: &token, of: account) { return }
                try? await Task.sleep(for: pause)
                if isClosed { return }
            }
        }
    }

    /// The pauses between the attempts to revoke a session, about twelve minutes in all.
    private static let pausesOfRevocation = (0..<20).map { count in
        min(.milliseconds(100) * (1 << count), .seconds(60)) as Duration
    }

    /// Tries once to revoke a session. Fetches a new access token if there is none or the store
    /// refuses it.
    ///
    /// - Returns: True if the session has ended or the store refuses to end it.
    private func hasRevoked(
        _ refreshToken: String, with token: inout String?, of account: AccountName
    ) async -> Bool {
        for _ in 1...2 {
            guard objection() == nil else { return false }
            if token == nil {
                do {
                    token = try await refresh(refreshToken, of: account).accessToken
                } catch {
                    return error.isAnswer
                }
            }
            let request = StoreRequest(.DELETE, StoreAPI.prefix + "/sessions/current")
            let timeout = options.requestTimeout
            switch await send(request, token: token, timeout: timeout, read: { _ in }) {
            case .answered: return true
            case .refused(let message):
                guard message.kind == .sessionExpired else { return true }
                token = nil
            case .unknown, .unsent: return false
            }
        }
        return false
    }
}

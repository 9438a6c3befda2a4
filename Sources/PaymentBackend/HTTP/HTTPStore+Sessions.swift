import NIOHTTP1
public import PaymentCore
import StrictJSON
import Synchronization

/// Sessions: opened with a credential, kept alive with a refresh token, opened again where the
/// credential is configured.
extension HTTPStore {
    /// Opens a session, and follows the feed of that account from then on.
    public func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        let grant = try await openSession(account, credential ?? options.credential(account))
        state.withLock { $0.sessions.current = account }
        keep(grant)
        follow(account)
        return Session(account: account, country: grant.country)
    }

    /// The access token of an account: the one at hand, else a new one for the refresh token, else a
    /// new session. Callers at one moment ask once.
    func accessToken(of account: AccountName) async throws(StoreFailure) -> String {
        let (token, task) = state.withLock { state in
            if let token = state.sessions[account]?.accessToken { return (token, Asking?.none) }
            if let task = state.sessions.asking[account] { return ("", task) }
            // Unstructured, because it serves every caller that comes meanwhile; it ends with the
            // deadline of its requests.
            let task = Task { [self] in await newAccessToken(of: account) }
            state.sessions.asking[account] = task
            return ("", task)
        }
        guard let task else { return token }
        return try await task.value.get()
    }

    private typealias Asking = Task<Result<String, StoreFailure>, Never>

    /// Takes no more requests with a token that the store has refused.
    func forget(accessToken: String, of account: AccountName) {
        state.withLock { state in
            guard state.sessions[account]?.accessToken == accessToken else { return }
            state.sessions[account]?.accessToken = nil
        }
    }

    private func newAccessToken(of account: AccountName) async -> Result<String, StoreFailure> {
        let result: Result<String, StoreFailure>
        do {
            let grant = try await refreshedSession(account)
            keep(grant)
            result = .success(grant.accessToken)
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.sessions.asking[account] = nil }
        return result
    }

    private func refreshedSession(
        _ account: AccountName
    ) async throws(StoreFailure) -> SessionGrant {
        if let token = state.withLock({ $0.sessions[account]?.refreshToken }) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("refreshToken", token)
            writer.endObject()
            let request = StoreRequest(
                .POST, StoreAPI.prefix + "/sessions/refresh", body: writer.bytes)
            do {
                return try await call(request, read: Self.grant(of: account))
            } catch  where error.kind == .badCredential {
                // Revoked. Where the credential is configured the session can be had again.
                state.withLock { $0.sessions[account] = nil }
            }
        }
        return try await openSession(account, options.credential(account))
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
                throw MessageFault("the session is another account's")
            }
            return grant
        }
    }

    private func keep(_ grant: SessionGrant) {
        // Written under the lock, so that a later state is never overtaken by an earlier one.
        state.withLock { state in
            state.sessions[grant.account] = SessionTable.Held(
                refreshToken: grant.refreshToken, accessToken: grant.accessToken)
            memory.write(.sessions, state.sessions.bytes(for: name))
        }
    }
}

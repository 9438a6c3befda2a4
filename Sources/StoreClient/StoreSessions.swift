import NIOHTTP1
import PaymentCore
import StoreMessages
import StrictJSON
import Synchronization

/// The sessions at a store server, and the requests that need one.
///
/// A session is opened with a credential and kept alive with a refresh token. It is opened again if its
/// credential is configured or none is needed. A logout ends it.
final class StoreSessions: Sendable {
    private let caller: StoreCaller
    private let memory: any StoreMemory
    private let table: Mutex<SessionTable>

    private var options: HTTPStoreOptions { caller.options }
    private var name: String { caller.name }

    /// Restores the sessions that an earlier process saved, if they are of this store.
    init(_ caller: StoreCaller, memory: any StoreMemory) {
        self.caller = caller
        self.memory = memory
        var table = SessionTable()
        if let bytes = memory.read(.sessions) { _ = try? table.recall(bytes, for: caller.name) }
        self.table = Mutex(table)
    }

    /// Takes over the sessions of another node. They replace those that this node had when it last owned the
    /// queue.
    ///
    /// - Parameters:
    ///   - bytes: What that node wrote to its memory; nil if it left nothing.
    ///   - account: The account in session.
    func takeOver(_ bytes: [UInt8]?, inSession account: AccountName?) {
        table.withLock { table in
            var others = SessionTable()
            if let bytes, (try? others.recall(bytes, for: caller.name)) == true { table = others }
            table.current = account
            memory.write(.sessions, table.bytes(for: name))
        }
    }

    /// The account that logged in last.
    var current: AccountName? { table.withLock { $0.current } }

    /// Sends a request, repeats it while its outcome is unknown, and reads the answer.
    ///
    /// - Parameters:
    ///   - request: A request that may be repeated.
    ///   - account: The account whose session the request needs; nil for none.
    ///   - refused: The value of a refusal that is not a failure; nil for all others.
    ///   - read: Reads the answer. A fault counts as a missing answer.
    /// - Returns: The value from `read` or `refused`.
    /// - Throws: The store refused the request or did not answer, or the request was not sent.
    func call<Value: Sendable>(
        _ request: StoreRequest, as account: AccountName? = nil,
        refused: @Sendable (FailureMessage) -> Value? = { _ in nil },
        read: @Sendable (StoreReply) throws(MessageFault) -> Value
    ) async throws(StoreFailure) -> Value {
        var pace = RetryPace(options)
        while true {
            switch await attempt(request, as: account, timeout: pace.timeout, read: read) {
            case .answered(let value): return value
            case .refused(let message):
                guard let value = refused(message) else { throw message.failure }
                return value
            case .unsent(let failure): throw failure
            case .unknown(let failure): try await caller.pause(&pace, after: failure)
            }
        }
    }

    /// Sends a request once, and a second time if the access token has expired.
    func attempt<Value: Sendable>(
        _ request: StoreRequest, as account: AccountName?, timeout: Duration,
        read: @Sendable (StoreReply) throws(MessageFault) -> Value
    ) async -> Attempt<Value> {
        for isLast in [false, true] {
            if let failure = caller.objection() { return .unsent(failure) }
            var token: String?
            if let account {
                do {
                    token = try await accessToken(of: account)
                } catch {
                    return .unsent(error)
                }
            }
            let result = await caller.send(request, token: token, timeout: timeout, read: read)
            guard case .refused(let message) = result, message.kind == .sessionExpired, !isLast,
                let account, let token
            else { return result }
            forget(accessToken: token, of: account)
        }
        return .unknown(
            StoreFailure(.connectionError, "the store rejects the access tokens that it issues"))
    }

    /// Opens a session.
    ///
    /// Without a credential, an existing session of the current account continues. Otherwise a new session is
    /// opened, and an existing one is ended at the store.
    ///
    /// - Returns: The session, and whether it is new.
    /// - Throws: The store refused the login, or did not answer.
    func logIn(
        _ account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> (session: Session, isNew: Bool) {
        if credential == nil, let grant = try await livingSession(of: account) {
            return (Session(account: account, country: grant.country), false)
        }
        let proof = credential ?? options.credential(account)
        let grant = try await openSession(account, proof)
        let replaced = table.withLock { table in
            defer { keep(grant, needsCredential: proof != nil, &table) }
            table.logIn(account)
            return table[account]
        }
        if let replaced { revoke(replaced, of: account) }
        return (Session(account: account, country: grant.country), true)
    }

    /// Discards the session of an account before this returns, and asks the store to end it. If the store does
    /// not answer, the request is repeated for some minutes. Without it the store would keep a session whose
    /// tokens are lost.
    func logOut(_ account: AccountName) {
        let held = table.withLock { table in
            defer { memory.write(.sessions, table.bytes(for: name)) }
            return table.logOut(account)
        }
        if let held { revoke(held, of: account) }
    }

    /// The session of the account, if it is the current account and the store still accepts it.
    private func livingSession(
        of account: AccountName
    ) async throws(StoreFailure) -> SessionGrant? {
        let token = table.withLock { table in
            table.current == account ? table[account]?.refreshToken : nil
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
        let (token, task) = table.withLock { table in
            if let token = table[account]?.accessToken { return (token, Asking?.none) }
            if let task = table.asking[account] { return ("", task) }
            // Unstructured, because it serves every caller that comes meanwhile; it ends with the
            // deadline of its requests.
            let task = Task { [self] in await newAccessToken(of: account) }
            table.asking[account] = task
            return ("", task)
        }
        guard let task else { return token }
        return try await task.value.get()
    }

    private typealias Asking = Task<Result<String, StoreFailure>, Never>

    /// Discards an access token that the store has refused.
    func forget(accessToken: String, of account: AccountName) {
        table.withLock { table in
            guard table[account]?.accessToken == accessToken else { return }
            table[account]?.accessToken = nil
        }
    }

    private func newAccessToken(of account: AccountName) async -> Result<String, StoreFailure> {
        let result: Result<String, StoreFailure>
        do {
            result = .success(try await reopenedSession(account))
        } catch {
            result = .failure(error)
        }
        table.withLock { $0.asking[account] = nil }
        return result
    }

    private func reopenedSession(_ account: AccountName) async throws(StoreFailure) -> String {
        // The loop runs again if the account has logged in meanwhile. The old session has then ended, and the
        // new one has not.
        while let held = table.withLock({ $0[account] }) {
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
        let (held, mayReopen) = table.withLock {
            (
                $0[account],
                $0.mayReopen(account, withCredential: credential != nil)
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
            if let token = table.withLock({ $0[account]?.accessToken }) { return token }
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

    /// Keeps a session that was opened without a login. If the account has logged in or out meanwhile, the
    /// session is ended at the store instead.
    ///
    /// - Returns: The access token of the current session.
    /// - Throws: The account has logged out.
    private func use(
        _ grant: SessionGrant, needsCredential: Bool
    ) throws(StoreFailure) -> String {
        let token = table.withLock { table -> String? in
            guard table.mayReopen(grant.account, withCredential: true),
                table[grant.account]?.refreshToken == nil
            else { return table[grant.account]?.accessToken }
            keep(grant, needsCredential: needsCredential, &table)
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

    /// Keeps a session and saves the table. Called under the lock, so that an earlier state never replaces a
    /// later one in the file.
    private func keep(_ grant: SessionGrant, needsCredential: Bool, _ table: inout SessionTable) {
        table[grant.account] = SessionTable.Held(
            refreshToken: grant.refreshToken, accessToken: grant.accessToken,
            needsCredential: needsCredential)
        memory.write(.sessions, table.bytes(for: name))
    }

    /// Keeps the tokens of a refresh, unless another session has replaced this one meanwhile or the account has
    /// logged out.
    @discardableResult
    private func keep(_ grant: SessionGrant, inPlaceOf token: String) -> Bool {
        table.withLock { table in
            guard table[grant.account]?.refreshToken == token else { return false }
            table[grant.account]?.refreshToken = grant.refreshToken
            table[grant.account]?.accessToken = grant.accessToken
            memory.write(.sessions, table.bytes(for: name))
            return true
        }
    }

    /// Records that the store has ended a session.
    private func noteEnd(of token: String, _ account: AccountName) {
        table.withLock { table in
            guard table[account]?.refreshToken == token else { return }
            table[account]?.refreshToken = nil
            table[account]?.accessToken = nil
            memory.write(.sessions, table.bytes(for: name))
        }
    }

    /// Records that the store refused the configured credential, or requires one.
    private func noteRefusal(of account: AccountName, withCredential: Bool) {
        table.withLock { table in
            var held = table[account] ?? SessionTable.Held()
            guard held.refreshToken == nil else { return }
            held.needsCredential = true
            if withCredential { held.isRefused = true }
            table[account] = held
            memory.write(.sessions, table.bytes(for: name))
        }
    }

    /// Asks the store to end a session, in the background, and repeats the request if no answer comes. Once the
    /// tokens are lost, only the store itself can end the session.
    private func revoke(_ held: SessionTable.Held, of account: AccountName) {
        guard let refreshToken = held.refreshToken else { return }
        // Unstructured, because no caller waits for it; it ends with its last repetition, or with the
        // client.
        Task { [self] in
            var token = held.accessToken
            for pause in Self.pausesOfRevocation {
                if await hasRevoked(refreshToken, with: &token, of: account) { return }
                try? await Task.sleep(for: pause)
                if caller.isClosed { return }
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
            guard caller.objection() == nil else { return false }
            if token == nil {
                do {
                    token = try await refresh(refreshToken, of: account).accessToken
                } catch {
                    return error.isAnswer
                }
            }
            let request = StoreRequest(.DELETE, StoreAPI.prefix + "/sessions/current")
            let timeout = options.requestTimeout
            switch await caller.send(request, token: token, timeout: timeout, read: { _ in }) {
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

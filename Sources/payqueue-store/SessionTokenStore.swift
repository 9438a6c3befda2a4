import Crypto
import NIOCore
import PaymentCore
import PaymentStorage
import StoreMessages
import StrictJSON
import Synchronization

/// The sessions of accounts. Tokens are random, and only their SHA-256 digests are stored. Access
/// tokens are in memory for 15 minutes, refresh tokens on disk until they are revoked.
///
/// A refresh token stays the same for its lifetime, so that a lost answer does not lose the
/// session.
final class SessionTokenStore: Sendable {
    /// A session, identified by the digest of its refresh token.
    struct Session: Sendable, Hashable {
        var digest: TokenDigest
        var account: AccountName
        var openedAt: Timestamp
        fileprivate var number: UInt64 = 0
    }

    private struct Access {
        var session: TokenDigest
        var expiresAt: Timestamp
    }

    private struct State {
        var sessions: [TokenDigest: Session] = [:]
        var access: [TokenDigest: Access] = [:]
        var wrongGuesses: [AccountName: (count: Int, since: Timestamp)] = [:]
        var lastNumber: UInt64 = 0
        var isDirty = false
    }

    /// The lifetime of an access token, in seconds.
    static let accessSeconds: Int64 = 900
    /// The maximum number of sessions of one account; a further session ends the oldest.
    static let sessionsPerAccount = 64
    /// The maximum number of access tokens; the first to expire are removed first.
    static let accessLimit = 100_000
    /// The maximum number of wrong credentials for an account per minute.
    static let guessesPerMinute = 10

    private static let file = "sessions.json"
    private let state: Mutex<State>
    private let files: SmallFiles
    private let loop: any EventLoop

    /// Reads the stored sessions.
    ///
    /// - Parameters:
    ///   - files: The directory of the sessions.
    ///   - loop: The loop on which files are written.
    /// - Throws: The file exists and cannot be read.
    init(files: SmallFiles, loop: any EventLoop) throws {
        self.files = files
        self.loop = loop
        var state = State()
        if let bytes = try files.read(Self.file) {
            let fields = try MessageFields(parsing: bytes)
            for kept in try fields.objects("sessions") {
                var session = Session(
                    digest: try kept.required("digest") { TokenDigest($0) },
                    account: try kept.required("account") { AccountName($0) },
                    openedAt: try kept.required("openedAt") { Timestamp($0) })
                state.lastNumber += 1
                session.number = state.lastNumber
                state.sessions[session.digest] = session
            }
        }
        self.state = Mutex(state)
    }

    /// The number of sessions.
    var count: Int { state.withLock { $0.sessions.count } }

    /// The number of sessions of each account.
    var counts: [AccountName: Int] {
        state.withLock { state in
            state.sessions.values.reduce(into: [:]) { $0[$1.account, default: 0] += 1 }
        }
    }

    /// The sessions of an account, newest first.
    func sessions(of account: AccountName) -> [Session] {
        state.withLock { state in
            state.sessions.values.filter { $0.account == account }
                .sorted { $0.number > $1.number }
        }
    }

    /// Opens a session for an authenticated account.
    ///
    /// - Returns: The tokens. The session is already on disk.
    func open(
        _ account: AccountName, country: CountryCode, now: Timestamp
    ) async throws -> SessionGrant {
        let refresh = Self.freshToken()
        let digest = TokenDigest(of: refresh)
        let (access, expiresAt, oldest) = state.withLock { state in
            state.lastNumber += 1
            state.sessions[digest] = Session(
                digest: digest, account: account, openedAt: now, number: state.lastNumber)
            let own = state.sessions.values.filter { $0.account == account }
                .sorted { $0.number < $1.number }
            state.isDirty = true
            let (access, expiresAt) = Self.grantAccess(to: digest, in: &state, now: now)
            return (access, expiresAt, own.dropLast(Self.sessionsPerAccount).map(\.digest))
        }
        do {
            try await save(without: oldest)
        } catch {
            // The client does not receive the tokens of an unsaved session.
            state.withLock { Self.end([digest], in: &$0) }
            throw error
        }
        return SessionGrant(
            account: account, country: country, accessToken: access, expiresAt: expiresAt,
            refreshToken: refresh)
    }

    /// Issues a new access token for a refresh token.
    ///
    /// - Throws: The session was revoked or is unknown.
    func refresh(
        _ token: String, now: Timestamp
    ) throws(FailureMessage) -> (session: Session, access: String, expiresAt: Timestamp) {
        let digest = TokenDigest(of: token)
        let found = state.withLock { state -> (Session, String, Timestamp)? in
            guard let session = state.sessions[digest] else { return nil }
            let (access, expiresAt) = Self.grantAccess(to: digest, in: &state, now: now)
            return (session, access, expiresAt)
        }
        guard let found else {
            throw FailureMessage(.sessionRevoked, "unknown session")
        }
        return found
    }

    /// The session of an access token.
    ///
    /// - Throws: The token is unknown or expired.
    func session(
        ofAccess token: String, now: Timestamp
    ) throws(FailureMessage) -> Session {
        let digest = TokenDigest(of: token)
        let session = state.withLock { state -> Session? in
            guard let access = state.access[digest] else { return nil }
            guard now < access.expiresAt else {
                state.access[digest] = nil
                return nil
            }
            return state.sessions[access.session]
        }
        guard let session else {
            throw FailureMessage(.sessionExpired, "the access token is unknown or has expired")
        }
        return session
    }

    /// Whether a session is still open.
    func isOpen(_ session: Session) -> Bool {
        state.withLock { $0.sessions[session.digest] != nil }
    }

    /// Revokes a session. Repeating is harmless.
    ///
    /// - Throws: The revocation cannot be stored; the session stays open.
    func revoke(_ session: Session) async throws {
        try await save(without: [session.digest])
    }

    // MARK: Rate limit of credentials

    /// Whether another attempt with a credential of an account is permitted now.
    func mayGuess(_ account: AccountName, now: Timestamp) -> Bool {
        state.withLock { state in
            guard let guesses = state.wrongGuesses[account] else { return true }
            guard now.milliseconds - guesses.since.milliseconds < 60_000 else {
                state.wrongGuesses[account] = nil
                return true
            }
            return guesses.count < Self.guessesPerMinute
        }
    }

    /// Counts a wrong credential of an existing account.
    func noteWrongGuess(_ account: AccountName, now: Timestamp) {
        state.withLock { state in
            let known = state.wrongGuesses[account] ?? (0, now)
            state.wrongGuesses[account] = (known.count + 1, known.since)
        }
    }

    // MARK: Private helpers

    private static func grantAccess(
        to session: TokenDigest, in state: inout State, now: Timestamp
    ) -> (String, Timestamp) {
        if state.access.count >= accessLimit {
            state.access = state.access.filter { now < $0.value.expiresAt }
            if state.access.count >= accessLimit { state.access.removeAll() }
        }
        let token = freshToken()
        let expiresAt = now.advanced(bySeconds: accessSeconds)
        state.access[TokenDigest(of: token)] = Access(session: session, expiresAt: expiresAt)
        return (token, expiresAt)
    }

    private static func end(_ digests: [TokenDigest], in state: inout State) {
        for digest in digests { state.sessions[digest] = nil }
        state.access = state.access.filter { !digests.contains($0.value.session) }
    }

    /// Writes the changed sessions. Concurrent callers share one write. The sessions in `ending`
    /// end after the write, and stay open if it fails.
    private func save(without ending: [TokenDigest]) async throws {
        try await loop.submit { [self] in
            let bytes = state.withLock { state -> [UInt8]? in
                guard state.isDirty || ending.contains(where: { state.sessions[$0] != nil }) else {
                    return nil
                }
                state.isDirty = false
                var kept = state
                Self.end(ending, in: &kept)
                return Self.encoded(kept)
            }
            guard let bytes else { return }
            do throws(DiskFailure) {
                try files.replace(Self.file, with: bytes)
            } catch {
                state.withLock { $0.isDirty = true }
                throw FailureMessage(
                    .serviceUnavailable, "cannot store the session: \(error.reason)")
            }
            if !ending.isEmpty { state.withLock { Self.end(ending, in: &$0) } }
        }.get()
    }

    private static func encoded(_ state: State) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("sessions")
        writer.beginArray()
        for session in state.sessions.values.sorted(by: { $0.number < $1.number }) {
            writer.element()
            writer.beginObject()
            writer.name("account")
            writer.string(session.account.string)
            writer.name("digest")
            writer.string(session.digest.description)
            writer.name("openedAt")
            writer.string(session.openedAt.description)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.raw("\n")
        return writer.bytes
    }

    /// 256 random bits as characters that are valid in a header.
    static func freshToken() -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return String(
            decoding: (0..<43).map { _ in letters[Int(generator.next() & 63)] }, as: UTF8.self)
    }
}

/// The SHA-256 digest of a token, which identifies the token but cannot replace it.
struct TokenDigest: Sendable, Hashable, CustomStringConvertible {
    /// 64 hexadecimal digits.
    let description: String

    init(of token: String) {
        description = SHA256.hash(data: Array(token.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    init?(_ digits: String) {
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else { return nil }
        description = digits
    }
}

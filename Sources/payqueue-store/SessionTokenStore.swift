import Crypto
import NIOCore
import PaymentCore
import PaymentStorage
import StoreMessages
import StrictJSON
import Synchronization

/// Gives sessions to accounts. Tokens are random; only their SHA-256 is kept, access tokens in memory
/// for a quarter of an hour, refresh tokens on disk until they are revoked.
///
/// A refresh token stays the same for its life, so that an answer lost on the way loses no session.
final class SessionTokenStore: Sendable {
    /// A session, by the digest of its refresh token.
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

    /// How long an access token is good for, in seconds.
    static let accessSeconds: Int64 = 900
    /// Most sessions of one account; a further one ends the oldest.
    static let sessionsPerAccount = 64
    /// Most access tokens in all; those that end first go first.
    static let accessLimit = 100_000
    /// Most wrong credentials for an account in a minute.
    static let guessesPerMinute = 10

    private static let file = "sessions.json"
    private let state: Mutex<State>
    private let files: SmallFiles
    private let loop: any EventLoop

    /// Reads the sessions that were kept.
    ///
    /// - Parameters:
    ///   - files: Where they are kept.
    ///   - loop: Where files are written.
    /// - Throws: The file is there and cannot be read.
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

    /// How many sessions there are.
    var count: Int { state.withLock { $0.sessions.count } }

    /// How many sessions each account has.
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

    /// Opens a session for an account that has proved itself.
    ///
    /// - Returns: The tokens; the session is on disk.
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
            // Its tokens are given to no client.
            state.withLock { Self.end([digest], in: &$0) }
            throw error
        }
        return SessionGrant(
            account: account, country: country, accessToken: access, expiresAt: expiresAt,
            refreshToken: refresh)
    }

    /// Returns another access token for a refresh token.
    ///
    /// - Throws: The session was revoked, or never was.
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

    /// The session that an access token belongs to.
    ///
    /// - Throws: The token is unknown or has ended.
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

    /// Whether a session is still there.
    func isOpen(_ session: Session) -> Bool {
        state.withLock { $0.sessions[session.digest] != nil }
    }

    /// Ends a session for good. Doing it again is harmless.
    ///
    /// - Throws: That cannot be kept; the session continues.
    func revoke(_ session: Session) async throws {
        try await save(without: [session.digest])
    }

    // MARK: Guessing

    /// Whether a client may still try credentials of an account.
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

    /// Counts a wrong credential of an account that there is.
    func noteWrongGuess(_ account: AccountName, now: Timestamp) {
        state.withLock { state in
            let known = state.wrongGuesses[account] ?? (0, now)
            state.wrongGuesses[account] = (known.count + 1, known.since)
        }
    }

    // MARK: What only this file needs

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

    /// Writes what has changed; a caller during a write waits for it. Sessions that are
    /// to end do so when that is on disk, and not if it cannot be written.
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

    /// 256 random bits in letters that may stand in a header.
    static func freshToken() -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return String(
            decoding: (0..<43).map { _ in letters[Int(generator.next() & 63)] }, as: UTF8.self)
    }
}

/// The SHA-256 of a token: enough to know it again, not enough to use it.
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

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
/// Each session is a file of its own, named by its digest, so that a login writes the same amount
/// whatever the number of sessions. A refresh token stays the same for its lifetime, so that a lost
/// answer does not lose the session.
final class SessionTokenStore: Sendable {
    /// A session, identified by the digest of its refresh token.
    struct Session: Sendable, Hashable {
        var digest: TokenDigest
        var account: AccountName
        var openedAt: Timestamp
        /// The position in the order of logins.
        fileprivate var number: UInt64 = 0
    }

    private struct Access {
        var session: TokenDigest
        var expiresAt: Timestamp
    }

    private struct State {
        var sessions: [TokenDigest: Session] = [:]
        /// The sessions of each account in the order of logins.
        var ofAccount: [AccountName: [TokenDigest]] = [:]
        var access: [TokenDigest: Access] = [:]
        /// The access tokens in the order of their expiry, from `firstIssued`; some no longer exist.
        var issued: [TokenDigest] = []
        var firstIssued = 0
        var lastNumber: UInt64 = 0

        mutating func insert(_ session: Session) {
            sessions[session.digest] = session
            ofAccount[session.account, default: []].append(session.digest)
        }

        /// Ends a session; its access tokens are refused from then on, because they name it.
        mutating func end(_ digest: TokenDigest) {
            guard let session = sessions.removeValue(forKey: digest) else { return }
            let left = (ofAccount[session.account] ?? []).filter { $0 != digest }
            ofAccount[session.account] = left.isEmpty ? nil : left
        }
    }

    /// The lifetime of an access token, in seconds.
    static let accessSeconds: Int64 = 900
    /// The maximum number of sessions of one account; a further session ends the oldest.
    static let sessionsPerAccount = 64
    /// The maximum number of access tokens; the first to expire are removed first.
    static let standardAccessLimit = 100_000

    /// The file of all sessions in earlier versions.
    private static let formerFile = "sessions.json"
    private static let suffix = ".json"
    private let state: Mutex<State>
    private let files: SmallFiles
    private let loop: any EventLoop
    private let accessLimit: Int

    /// Reads the stored sessions.
    ///
    /// - Parameters:
    ///   - files: The directory of the sessions.
    ///   - loop: The loop on which files are written.
    ///   - accessLimit: The maximum number of access tokens.
    /// - Throws: A file cannot be read, or a former file cannot be replaced.
    init(
        files: SmallFiles, loop: any EventLoop, accessLimit: Int = standardAccessLimit
    ) throws {
        self.accessLimit = accessLimit
        self.files = files
        self.loop = loop
        var found: [Session] = []
        if let bytes = try files.read(Self.formerFile) {
            let former = try MessageFields(parsing: bytes).objects("sessions").enumerated()
            for (index, fields) in former {
                let session = try Self.session(fields, number: UInt64(index) + 1)
                try files.replace(Self.name(of: session.digest), with: Self.encoded(session))
            }
            try files.remove(Self.formerFile)
        }
        for name in try files.names() {
            guard let digest = TokenDigest(String(name.dropLast(Self.suffix.count))),
                name == Self.name(of: digest), let bytes = try files.read(name)
            else { continue }
            let session: Session
            do {
                let fields = try MessageFields(parsing: bytes)
                session = try Self.session(
                    fields, number: try fields.required("number") { UInt64($0) })
            } catch {
                throw StartFailure.configuration(
                    "the session file '\(name)' is damaged: \(error); remove it, and its account "
                        + "logs in again")
            }
            guard session.digest == digest else { continue }
            found.append(session)
        }
        var state = State()
        for session in found.sorted(by: { $0.number < $1.number }) {
            state.insert(session)
            state.lastNumber = max(state.lastNumber, session.number)
        }
        self.state = Mutex(state)
    }

    /// The number of sessions.
    var count: Int { state.withLock { $0.sessions.count } }

    /// The number of sessions of each account.
    var counts: [AccountName: Int] { state.withLock { $0.ofAccount.mapValues(\.count) } }

    /// The sessions of an account, newest first.
    func sessions(of account: AccountName) -> [Session] {
        state.withLock { state in
            (state.ofAccount[account] ?? []).reversed().compactMap { state.sessions[$0] }
        }
    }

    /// Opens a session for an authenticated account.
    ///
    /// - Returns: The tokens. The session is already on disk.
    func open(
        _ account: AccountName, country: CountryCode, now: Timestamp
    ) async throws -> SessionGrant {
        let refresh = Self.freshToken()
        let session = state.withLock { state in
            state.lastNumber += 1
            return Session(
                digest: TokenDigest(of: refresh), account: account, openedAt: now,
                number: state.lastNumber)
        }
        // The client does not receive the tokens of an unsaved session.
        try await write { [files] () throws(DiskFailure) in
            try files.replace(Self.name(of: session.digest), with: Self.encoded(session))
        }
        let (access, expiresAt, surplus) = state.withLock { state in
            state.insert(session)
            let (access, expiresAt) = grantAccess(to: session.digest, in: &state, now: now)
            let own = state.ofAccount[account] ?? []
            return (access, expiresAt, own.dropLast(Self.sessionsPerAccount))
        }
        // If the disk fails now, the next login ends them.
        for digest in surplus { try? await end(digest) }
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
            let (access, expiresAt) = grantAccess(to: digest, in: &state, now: now)
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
        guard isOpen(session) else { return }
        try await end(session.digest)
    }

    // MARK: Private helpers

    private func grantAccess(
        to session: TokenDigest, in state: inout State, now: Timestamp
    ) -> (String, Timestamp) {
        while let oldest = state.issued.dropFirst(state.firstIssued).first {
            let isOver = state.access[oldest].map { $0.expiresAt <= now } ?? true
            guard isOver || state.issued.count - state.firstIssued >= accessLimit else { break }
            state.access[oldest] = nil
            state.firstIssued += 1
        }
        if state.firstIssued > state.issued.count / 2 {
            state.issued.removeFirst(state.firstIssued)
            state.firstIssued = 0
        }
        let token = Self.freshToken()
        let digest = TokenDigest(of: token)
        let expiresAt = now.advanced(bySeconds: Self.accessSeconds)
        state.access[digest] = Access(session: session, expiresAt: expiresAt)
        state.issued.append(digest)
        return (token, expiresAt)
    }

    /// Ends a session, first on disk.
    private func end(_ digest: TokenDigest) async throws {
        try await write { [files] () throws(DiskFailure) in
            try files.remove(Self.name(of: digest))
        }
        state.withLock { $0.end(digest) }
    }

    /// Changes files on their loop.
    private func write(_ body: @escaping @Sendable () throws(DiskFailure) -> Void) async throws {
        try await loop.submit {
            do throws(DiskFailure) {
                try body()
            } catch {
                throw FailureMessage(
                    .serviceUnavailable, "cannot store the session: \(error.reason)")
            }
        }.get()
    }

    private static func name(of digest: TokenDigest) -> String { "\(digest)\(suffix)" }

    private static func session(_ fields: MessageFields, number: UInt64) throws -> Session {
        Session(
            digest: try fields.required("digest") { TokenDigest($0) },
            account: try fields.required("account") { AccountName($0) },
            openedAt: try fields.required("openedAt") { Timestamp($0) }, number: number)
    }

    private static func encoded(_ session: Session) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("account")
        writer.string(session.account.string)
        writer.name("digest")
        writer.string(session.digest.description)
        writer.name("number")
        writer.string("\(session.number)")
        writer.name("openedAt")
        writer.string(session.openedAt.description)
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

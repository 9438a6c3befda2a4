import PaymentCore

/// A caller's login, from the call to its answer.
struct PendingLogin {
    let account: AccountName
    let credential: OpaqueText?
    let origin: Origin?
    let caller: any LoginCaller
    let answer: @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    /// Whether a logout has come since.
    var isCancelled = false

    /// The user whose turn it takes.
    var user: UInt32 { origin?.uid ?? 0 }
}

/// The logins that wait for each other: one is under way, so that store and queue agree on the order of
/// sessions. Users take turns, so that many logins of one user delay those of another by the one that is
/// under way.
struct LoginLine {
    /// The login that is under way.
    private(set) var current: PendingLogin?
    private var waiting = UserRing<PendingLogin>()

    /// Adds a login, and takes out those of its user whose callers are gone: a client that logs in and
    /// cancels again and again must not make the line longer.
    ///
    /// - Returns: The logins taken out.
    mutating func append(_ login: PendingLogin) -> [PendingLogin] {
        let gone = waiting.remove(of: login.user) { $0.caller.isGone }
        waiting.offer(login, of: login.user)
        return gone
    }

    /// Takes the next login; nil if one is under way or none waits.
    mutating func begin() -> PendingLogin? {
        guard current == nil else { return nil }
        current = waiting.next()?.work
        return current
    }

    /// Takes out the login that is under way, because it has ended.
    mutating func end() -> PendingLogin? {
        defer { current = nil }
        return current
    }

    /// Cancels all: takes out those that wait, and marks the one that is under way.
    ///
    /// - Returns: The logins taken out.
    mutating func cancelAll() -> [PendingLogin] {
        current?.isCancelled = true
        var cancelled: [PendingLogin] = []
        while let (login, _) = waiting.next() { cancelled.append(login) }
        return cancelled
    }
}

/// The caller of a login, as the engine sees it. Used on the engine's loop.
public protocol LoginCaller: Sendable {
    /// Whether the caller has gone or has cancelled. A login that has not begun by then does not begin.
    var isGone: Bool { get }
    /// Whether the caller has cancelled. A login that is under way opens no session then, unless an
    /// account is in session, which the login has replaced at the store already.
    var hasCancelled: Bool { get }
}

/// A caller that never cancels.
public struct UncancellableCaller: LoginCaller {
    /// Never.
    public let isGone = false
    /// Never.
    public let hasCancelled = false

    /// Creates the caller.
    public init() {}
}

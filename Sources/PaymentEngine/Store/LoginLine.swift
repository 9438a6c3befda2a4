import PaymentCore

/// A caller's login, from the call to its answer.
struct PendingLogin {
    let account: AccountName
    let credential: OpaqueText?
    let origin: Origin?
    let caller: any LoginCaller
    let answer: @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    /// Whether a logout has cancelled it since.
    var isCancelled = false

    /// The user whose turn it takes.
    var user: UInt32 { origin?.uid ?? 0 }
}

/// The queue of logins. One login is in progress at a time, so that store and queue agree on the order
/// of sessions. Users take turns: many logins of one user delay those of another by the one in progress
/// only.
struct LoginLine {
    /// The login that is under way.
    private(set) var current: PendingLogin?
    private var waiting = UserRing<PendingLogin>()

    /// Adds a login, and removes the logins of its user whose callers are gone. A client that logs in
    /// and cancels repeatedly must not make the queue longer.
    ///
    /// - Returns: The removed logins.
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

    /// Removes the login in progress, because it has ended.
    mutating func end() -> PendingLogin? {
        defer { current = nil }
        return current
    }

    /// Cancels all logins: removes those that wait, and marks the one in progress.
    ///
    /// - Returns: The removed logins.
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
    /// Whether the caller has cancelled. A login in progress then opens no session. If another account
    /// is in session, the login stands, because it has already replaced that session at the store.
    var hasCancelled: Bool { get }
}

/// A caller that never cancels.
public struct UncancellableCaller: LoginCaller {
    /// Always false.
    public let isGone = false
    /// Always false.
    public let hasCancelled = false

    /// Creates the caller.
    public init() {}
}

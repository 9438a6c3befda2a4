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
}

/// The logins that wait for each other: the first is under way, so that store and queue agree on the
/// order of sessions.
struct LoginLine {
    private var logins: [PendingLogin] = []

    /// The login that is under way.
    var current: PendingLogin? { logins.first }

    /// Adds a login.
    ///
    /// - Returns: Whether it is the only one and may begin.
    mutating func append(_ login: PendingLogin) -> Bool {
        logins.append(login)
        return logins.count == 1
    }

    /// Takes out the first logins whose callers are gone. Called before one begins: a login without a
    /// caller must not delay the next.
    ///
    /// - Returns: The logins taken out.
    mutating func removeGone() -> [PendingLogin] {
        let gone = logins.prefix { $0.caller.isGone }
        logins.removeFirst(gone.count)
        return Array(gone)
    }

    /// Takes out the login that is under way, because it has ended.
    mutating func removeFirst() -> PendingLogin {
        logins.removeFirst()
    }

    /// Cancels all: takes out those that wait, and marks the one that is under way.
    ///
    /// - Returns: The logins taken out.
    mutating func cancelAll() -> [PendingLogin] {
        guard !logins.isEmpty else { return [] }
        let waiting = logins.dropFirst()
        logins.removeLast(waiting.count)
        logins[0].isCancelled = true
        return Array(waiting)
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

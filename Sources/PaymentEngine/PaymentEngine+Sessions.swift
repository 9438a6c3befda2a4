public import PaymentCore

/// A login that somebody waits for.
struct PendingLogin {
    let account: AccountName
    let credential: OpaqueText?
    let origin: Origin?
    let caller: any LoginCaller
    let answer: @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    /// Whether somebody has logged out since.
    var isCancelled = false
}

/// The calls that wait for a login, as the engine sees it. Used on the engine's loop.
public protocol LoginCaller: Sendable {
    /// Whether the caller is there no longer, or has taken it back. A login that has not begun by then
    /// does not.
    var isGone: Bool { get }
    /// Whether the caller has taken it back. A login that is under way opens no session then, unless
    /// somebody is in session, whose place it has taken at the store already.
    var hasCancelled: Bool { get }
}

/// One who waits to the end, whatever happens.
public struct PatientCaller: LoginCaller {
    /// Never.
    public let isGone = false
    /// Never.
    public let hasCancelled = false

    /// Makes one.
    public init() {}
}

/// Opening sessions: one after another, so that store and queue agree on who came last.
extension PaymentEngine {
    /// Opens a session at the store and then in the queue. Answers when both are done. One login waits
    /// for the other; a logout meanwhile has the last word and cancels them.
    ///
    /// - Parameters:
    ///   - account: The account to log in.
    ///   - credential: What proves it, if the account has one.
    ///   - origin: Who asks.
    ///   - caller: Whether the login is still wanted when its turn comes.
    ///   - answer: Called once, within a turn; after a caller that is gone, too.
    public func logIn(
        account: AccountName, credential: OpaqueText?, origin: Origin?,
        caller: any LoginCaller = PatientCaller(),
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) {
        logins.append(
            PendingLogin(
                account: account, credential: credential, origin: origin, caller: caller,
                answer: answer))
        if logins.count == 1 { beginLogin() }
    }

    /// Answers those who wait for their turn; the one that is under way ends by itself.
    func cancelLogins() {
        guard !logins.isEmpty else { return }
        let waiting = logins.dropFirst()
        logins.removeLast(waiting.count)
        logins[0].isCancelled = true
        for login in waiting { login.answer(.failure(.cancelled)) }
    }

    private func beginLogin() {
        dropLoginsOfNobody()
        guard let login = logins.first else { return }
        gateway.logIn(account: login.account, credential: login.credential) { [self] result in
            switch result {
            case .success(let session):
                // What was asked before says nothing about this session.
                sessionAnswered = sessionAsks
                sessionsOpened += 1
                learnAbout(session)
            case .failure(let failure): endLogin(.failure(.store(failure)))
            }
        }
    }

    /// Logins that nobody waits for any more hold up nobody.
    private func dropLoginsOfNobody() {
        let gone = logins.prefix { $0.caller.isGone }
        logins.removeFirst(gone.count)
        for login in gone { login.answer(.failure(.cancelled)) }
    }

    /// Fetches the catalogue before the session is announced: a client may buy then. If the store
    /// does not answer, it is asked again later.
    private func learnAbout(_ session: Session) {
        gateway.facts(of: session.account) { [self] facts in
            requireCatalogue(of: session.country) { [self] _ in
                open(session, try? facts.get())
            }
        }
    }

    private func open(_ session: Session, _ facts: AccountFacts?) {
        // Where somebody is in session the store has changed over by now, and it stands.
        guard let login = logins.first, !login.isCancelled,
            queue.session != nil || !login.caller.hasCancelled
        else {
            // There was no session yet that the logout could have ended, or it has ended this one.
            gateway.logOut(account: session.account)
            return endLogin(.failure(.cancelled))
        }
        guard !hasStopped else { return endLogin(.failure(.cancelled)) }
        // What held for the account before says nothing about this one. A store that does not say so
        // now still refuses the order itself.
        paymentsAllowed = facts?.paymentsAllowed ?? true
        introduced = facts?.introduced
        queue.decideSession(session, events: &events)
        let changes = !events.isEmpty
        let sequence = recordEvents(origin: login.origin, time: sources.wallClock())
        if changes {
            loginDesk.lastLogin = (login.origin, sequence)
            // What failed because a session had ended need not wait any longer.
            _ = effects.endAllWaits()
            sessionDidChange()
        } else {
            sessionIsGoodAgain()
        }
        endLogin(.success((session, sequence)))
    }

    private func endLogin(_ result: Result<(Session, SequenceNumber), EngineRefusal>) {
        let login = logins.removeFirst()
        // Before the answer, which may bring another.
        beginLogin()
        login.answer(result)
    }
}

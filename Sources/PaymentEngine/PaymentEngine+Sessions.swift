public import PaymentCore

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
        caller: any LoginCaller = UncancellableCaller(),
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) {
        let login = PendingLogin(
            account: account, credential: credential, origin: origin, caller: caller,
            answer: answer)
        if logins.append(login) { beginLogin() }
    }

    /// Answers those who wait for their turn; the one that is under way ends by itself.
    func cancelLogins() {
        for login in logins.cancelAll() { login.answer(.failure(.cancelled)) }
    }

    private func beginLogin() {
        for gone in logins.removeGone() { gone.answer(.failure(.cancelled)) }
        guard let login = logins.current else { return }
        gateway.logIn(account: login.account, credential: login.credential) { [self] result in
            switch result {
            case .success(let session):
                facts.sessionOpened()
                learnAbout(session)
            case .failure(let failure): endLogin(.failure(.store(failure)))
            }
        }
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
        guard let login = logins.current, !login.isCancelled,
            queue.session != nil || !login.caller.hasCancelled
        else {
            // There was no session yet that the logout could have ended, or it has ended this one.
            gateway.logOut(account: session.account)
            return endLogin(.failure(.cancelled))
        }
        guard !hasStopped else { return endLogin(.failure(.cancelled)) }
        self.facts.use(facts)
        queue.decideSession(session, events: &events)
        let changes = !events.isEmpty
        let sequence = recordEvents(origin: login.origin, time: sources.wallClock())
        if changes {
            pipeline.running.login = (login.origin, sequence)
            // What failed because a session had ended need not wait any longer.
            _ = calls.endAllWaits()
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

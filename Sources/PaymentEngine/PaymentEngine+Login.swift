public import PaymentCore

/// Calls that first let somebody log in.
///
/// One question is open for all of them. A login ends it; by what is true at the end of the turn,
/// because a logout may follow. Answers are given once, within a turn, as those of ``add(_:origin:)``.
extension PaymentEngine {
    /// Whether a call that needs an account would ask for one: nobody is logged in, and an agent
    /// is there to ask.
    public var asksForLogin: Bool {
        queue.session == nil && subscriptionHub.hasAgent(.login)
    }

    /// Accepts a payment, after somebody has logged in if an agent can ask for that.
    ///
    /// The immediate answers are a refusal that does not depend on the account, and the
    /// transaction that the key names.
    ///
    /// - Parameters:
    ///   - request: What to buy.
    ///   - origin: Who asks.
    ///   - answer: Called once, perhaps before this returns.
    /// - Returns: What to give the waiting up by.
    @discardableResult
    public func addAfterLogin(
        _ request: AddRequest, origin: Origin,
        answer: @escaping @Sendable (Result<AddReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        let ticket = loginDesk.issue()
        guard asksForLogin, let (product, country) = wouldAccept(request, origin) else {
            addNow(request, origin, answer)
            return ticket
        }
        guard !journal.isShortOfSpace else {
            answer(.failure(.outOfSpace))
            return ticket
        }
        let work = LoginDesk.Work.add(request.asShown(product, in: country), answer)
        wait(LoginDesk.Caller(ticket: ticket, origin: origin, work: work))
        return ticket
    }

    /// Lets a call go on after somebody has logged in if an agent can ask for that, and at once
    /// otherwise.
    ///
    /// - Parameters:
    ///   - origin: Who asks.
    ///   - answer: Called once, perhaps before this returns, when the call may go on; there may be
    ///     nobody in session all the same.
    /// - Returns: What to give the waiting up by.
    @discardableResult
    public func goOnAfterLogin(
        origin: Origin, answer: @escaping @Sendable (Result<Void, EngineRefusal>) -> Void
    ) -> WaitTicket {
        let ticket = loginDesk.issue()
        guard asksForLogin else {
            answer(.success(()))
            return ticket
        }
        wait(LoginDesk.Caller(ticket: ticket, origin: origin, work: .other(answer)))
        return ticket
    }

    /// Accepts a restore, after somebody has logged in if an agent can ask for that. What its key
    /// names is said at once.
    ///
    /// - Parameters:
    ///   - request: What to restore.
    ///   - origin: Who asks.
    ///   - answer: Called once, perhaps before this returns.
    /// - Returns: What to give the waiting up by.
    @discardableResult
    public func restoreAfterLogin(
        _ request: RestoreRequest, origin: Origin,
        answer: @escaping @Sendable (Result<RestoreReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        var draft: [Event] = []
        guard case .accepted? = try? queue.decide(request, context(origin), events: &draft) else {
            restoreNow(request, origin, answer)
            return loginDesk.issue()
        }
        // The desk keeps it, which is the engine's own.
        return goOnAfterLogin(origin: origin) { [unowned self] result in
            switch result {
            case .success: restoreNow(request, origin, answer)
            case .failure(let refusal): answer(.failure(refusal))
            }
        }
    }

    private func restoreNow(
        _ request: RestoreRequest, _ origin: Origin,
        _ answer: @Sendable (Result<RestoreReply, EngineRefusal>) -> Void
    ) {
        let result: Result<RestoreReply, EngineRefusal>
        do throws(EngineRefusal) {
            result = .success(try restore(request, origin: origin))
        } catch {
            result = .failure(error)
        }
        answer(result)
    }

    /// Has the agents ask somebody to log in.
    ///
    /// - Parameters:
    ///   - origin: Who asks.
    ///   - answer: Called once, perhaps before this returns, with the session and the record of it;
    ///     with the running session if there is one. Nobody to ask is nobody who logs in.
    /// - Returns: What to give the waiting up by.
    @discardableResult
    public func logInByAgent(
        origin: Origin,
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) -> WaitTicket {
        let ticket = loginDesk.issue()
        if let session = queue.session {
            answer(.success((session, queue.head)))
        } else if subscriptionHub.hasAgent(.login) {
            wait(LoginDesk.Caller(ticket: ticket, origin: origin, work: .logIn(answer)))
        } else {
            answer(.failure(.loginDiscarded))
        }
        return ticket
    }

    /// Ends a waiting without an answer; the question goes when nobody waits for it any more, unless it
    /// was opened because the store had ended a session.
    public func giveUp(_ ticket: WaitTicket) {
        loginDesk.callers.removeAll { $0.ticket == ticket }
        if let id = loginDesk.question, loginDesk.callers.isEmpty,
            id != queue.endedSession?.question
        {
            loginDesk.question = nil
            closeQuestion(id, because: .withdrawn)
        }
        if let id = loginDesk.undecided.first(where: { $0.value.ticket == ticket })?.key {
            loginDesk.undecided[id] = nil
            closeQuestion(id, because: .withdrawn)
        }
    }

    /// At the end of a turn: lets the callers go on if somebody is logged in, or if nobody is left
    /// who could ask for that. Then their work is accepted and waits.
    func settleLogin() {
        askAgentsAboutEndedSession()
        guard let id = loginDesk.question else { return }
        if queue.session != nil {
            let origin = loginDesk.lastLogin.origin
            closeQuestion(id, true, because: .answered, origin: origin)
            for caller in loginDesk.close() { proceed(caller) }
        } else if !subscriptionHub.hasAgent(.login) {
            closeQuestion(id, because: .agentGone)
            for caller in loginDesk.close() { acceptUnowned(caller) }
        } else if let question = queue.openQuestion(id) {
            // Its time was up while an account was in session, within this turn.
            clocks.startUnlessRunning(question)
        }
    }

    /// Tells those who wait for a question how it ended; nil when it came to nothing.
    func callersHear(of question: Question, _ value: Bool?) {
        switch question.kind {
        case .login where loginDesk.question == question.id:
            for caller in loginDesk.close() {
                if value == true { acceptUnowned(caller) } else { caller.refuse(.loginDiscarded) }
            }
        case .afterLogin:
            guard let caller = loginDesk.undecided.removeValue(forKey: question.id) else { return }
            guard value == true, case .add(let request, let answer) = caller.work else {
                return caller.refuse(value == nil ? .loginDiscarded : .rejectedAfterLogin)
            }
            addNow(request, caller.origin, answer)
        default: break
        }
    }

    /// Refuses the calls that wait for an answer after a login that has been undone.
    func dropHiddenAfterLogin() {
        for id in loginDesk.undecided.keys {
            guard let question = queue.openQuestion(id), !queue.isVisible(question) else {
                continue
            }
            closeQuestion(id, because: .sessionChanged)
            callersHear(of: question, nil)
        }
    }

    private func wait(_ caller: LoginDesk.Caller) {
        loginDesk.callers.append(caller)
        guard loginDesk.question == nil else { return }
        openLoginQuestion(origin: caller.origin)
    }

    /// Has the agents ask somebody to log in.
    func openLoginQuestion(origin: Origin?) {
        let context = context(nil)
        loginDesk.question = queue.decideLoginQuestion(
            patienceMs: timeouts.login.wholeMilliseconds, context, events: &events)
        recordEvents(origin: origin, time: context.now)
    }

    private func proceed(_ caller: LoginDesk.Caller) {
        guard let session = queue.session else { return acceptUnowned(caller) }
        switch caller.work {
        case .add(let request, let answer):
            guard queue.policy.afterLogin == .ask,
                let (product, country) = wouldAccept(request, caller.origin)
            else { return addNow(request, caller.origin, answer) }
            let context = context(nil)
            let id = queue.decideAfterLoginQuestion(product, in: country, context, events: &events)
            loginDesk.undecided[id] = caller
            recordEvents(origin: caller.origin, time: context.now)
        case .other(let answer):
            answer(.success(()))
        case .logIn(let answer):
            answer(.success((session, loginDesk.lastLogin.sequence)))
        }
    }

    /// No account is logged in, no agent will be asked: work is accepted and belongs to the next
    /// account.
    private func acceptUnowned(_ caller: LoginDesk.Caller) {
        switch caller.work {
        case .add(let request, let answer): addNow(request, caller.origin, answer)
        case .other(let answer): answer(.success(()))
        case .logIn(let answer): answer(.failure(.loginDiscarded))
        }
    }

    private func addNow(
        _ request: AddRequest, _ origin: Origin,
        _ answer: @Sendable (Result<AddReply, EngineRefusal>) -> Void
    ) {
        let result: Result<AddReply, EngineRefusal>
        do throws(EngineRefusal) {
            result = .success(try add(request, origin: origin))
        } catch {
            result = .failure(error)
        }
        answer(result)
    }

    /// The acceptance of a request now; nil if it would be refused or is a repetition.
    private func wouldAccept(
        _ request: AddRequest, _ origin: Origin
    ) -> (Product, CountryCode)? {
        var draft: [Event] = []
        guard case .accepted? = try? queue.decide(request, context(origin), events: &draft),
            case .transaction(_, let transaction)? = draft.last
        else { return nil }
        return (transaction.payment.product.product, transaction.country)
    }

    private func closeQuestion(
        _ id: QuestionID, _ value: Bool? = nil, because reason: QuestionClosing.Reason,
        origin: Origin? = nil
    ) {
        let context = context(origin)
        queue.decideClosing(of: id, value, because: reason, context, events: &events)
        recordEvents(origin: origin, time: context.now)
    }
}

public import PaymentCore

/// Calls that wait for a login.
///
/// One question is open for all of them. Whether a login ends it is decided at the end of the turn,
/// because a logout may follow. Each call is answered once, within a turn, as by ``Commands``.
///
/// Proof: see ``QueueWriter``; callers are Sendable and name it.
public final class LoginRouting: @unchecked Sendable {
    private let writer: QueueWriter
    private let hub: SubscriptionHub
    private let clocks: QuestionClocks
    private let commands: Commands
    private let patience: Duration
    private var calls = LoginCalls()

    init(
        hub: SubscriptionHub, clocks: QuestionClocks, commands: Commands, patience: Duration
    ) {
        writer = hub.writer
        self.hub = hub
        self.clocks = clocks
        self.commands = commands
        self.patience = patience
    }

    /// Whether a call that needs an account opens a login question: there is no session, and an agent
    /// can ask.
    public var asksForLogin: Bool { writer.queue.session == nil && hub.hasAgent(.login) }

    /// Whether ``addAfterLogin(_:origin:answer:)`` may have to wait for a person: for a login, or for the
    /// answer to the question after a login that a call with the same key has caused.
    public func asks(before request: AddRequest) -> Bool {
        asksForLogin || calls.question(sharing: request) != nil
    }

    /// Accepts a payment, after a login if an agent can ask for one.
    ///
    /// Refusals that do not depend on the account, and repetitions of a key, are answered at once.
    ///
    /// - Parameters:
    ///   - request: The payment.
    ///   - origin: The caller.
    ///   - answer: Called once, perhaps before this returns.
    /// - Returns: The ticket to cancel the wait by.
    @discardableResult
    public func addAfterLogin(
        _ request: AddRequest, origin: Origin,
        answer: @escaping @Sendable (Result<AddReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        if let question = calls.question(sharing: request) {
            let ticket = calls.issue()
            calls.wait(
                LoginCalls.Caller(ticket: ticket, origin: origin, work: .add(request, answer)),
                forAnswerTo: question)
            return ticket
        }
        guard asksForLogin, let (product, country) = wouldAccept(request, origin) else {
            answer(
                Result { () throws(EngineRefusal) in
                    try commands.add(request, origin: origin)
                })
            return calls.issue()
        }
        do throws(EngineRefusal) {
            try writer.checkRoomForWork(of: origin.uid)
        } catch {
            answer(.failure(error))
            return calls.issue()
        }
        return wait(origin, .add(request.asShown(product, in: country), answer))
    }

    /// Lets a call continue after a login if an agent can ask for one, and at once otherwise.
    ///
    /// - Parameters:
    ///   - origin: The caller.
    ///   - answer: Called once, perhaps before this returns, when the call may continue; there may
    ///     still be no session.
    /// - Returns: The ticket to cancel the wait by.
    @discardableResult
    public func continueAfterLogin(
        origin: Origin, answer: @escaping @Sendable (Result<Void, EngineRefusal>) -> Void
    ) -> WaitTicket {
        guard asksForLogin else {
            answer(.success(()))
            return calls.issue()
        }
        return wait(origin, .other(answer))
    }

    /// Accepts a restore, after a login if an agent can ask for one. A repetition, and a refusal that
    /// does not depend on the account, are answered at once.
    ///
    /// - Parameters:
    ///   - request: The restore.
    ///   - origin: The caller.
    ///   - answer: Called once, perhaps before this returns.
    /// - Returns: The ticket to cancel the wait by.
    @discardableResult
    public func restoreAfterLogin(
        _ request: RestoreRequest, origin: Origin,
        answer: @escaping @Sendable (Result<RestoreReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        let restore: @Sendable () -> Void = { [commands] in
            answer(
                Result { () throws(EngineRefusal) in
                    try commands.restore(request, origin: origin)
                })
        }
        var draft: [Event] = []
        let decision = (try? writer.closed(request.closedKeys)).flatMap { closed in
            try? writer.queue.decide(
                request, writer.context(origin, closed: closed), events: &draft)
        }
        guard case .accepted? = decision else {
            restore()
            return calls.issue()
        }
        return continueAfterLogin(origin: origin) { result in
            switch result {
            case .success: restore()
            case .failure(let refusal): answer(.failure(refusal))
            }
        }
    }

    /// Checks that there is a session, or a login agent for the login question.
    ///
    /// - Throws: `noLoginAgent`: there is neither a session nor a login agent.
    public func requireAgentOrSession() throws(EngineRefusal) {
        guard writer.queue.session != nil || hub.hasAgent(.login) else { throw .noLoginAgent }
    }

    /// Requests a login from the login agents. Fails as ``requireAgentOrSession()`` does.
    ///
    /// - Parameters:
    ///   - origin: The caller.
    ///   - answer: Called once, perhaps before this returns, with the session and the record of it;
    ///     with the running session if there is one.
    /// - Returns: The ticket to cancel the wait by.
    @discardableResult
    public func logInByAgent(
        origin: Origin,
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) -> WaitTicket {
        do throws(EngineRefusal) {
            try requireAgentOrSession()
        } catch {
            answer(.failure(error))
            return calls.issue()
        }
        guard let session = writer.queue.session else { return wait(origin, .logIn(answer)) }
        answer(.success((session, writer.queue.head)))
        return calls.issue()
    }

    /// Ends a wait without an answer. The question is withdrawn when no call waits for it any more,
    /// unless it was opened because the store had ended a session.
    public func cancel(_ ticket: WaitTicket) {
        for id in calls.cancel(ticket, keeping: writer.queue.endedSession?.question) {
            closeQuestion(id, because: .withdrawn)
        }
    }

    // MARK: The end of a turn

    /// Resumes the callers of the login question at the end of a turn. With a session they continue in
    /// it. Without a login agent their work is accepted and waits for the next login; a `login` call
    /// is refused.
    ///
    /// If the store has ended a session, it opens one login question because of that.
    func settle() {
        if let ended = writer.queue.endedSession, ended.question == nil, calls.question == nil,
            hub.hasAgent(.login)
        {
            openQuestion(origin: nil)
        }
        guard let id = calls.question else { return }
        if writer.queue.session != nil {
            let login = writer.pipeline.running.login
            closeQuestion(id, true, because: .answered, origin: login?.origin)
            for caller in calls.close() {
                proceed(caller, login?.sequence ?? writer.queue.head)
            }
        } else if !hub.hasAgent(.login) {
            closeQuestion(id, because: .agentGone)
            calls.close().forEach(acceptUnowned)
        } else if let question = writer.queue.openQuestion(id) {
            // The question has no clock if its deadline passed within this turn while an account was
            // in session.
            clocks.startUnlessRunning(question)
        }
    }

    /// Resumes the callers of a question that has ended; `value` is nil if there was no answer.
    func resumeCallers(of question: Question, _ value: Bool?) {
        switch question.kind {
        case .login where calls.question == question.id:
            for caller in calls.close() {
                if value == true { acceptUnowned(caller) } else { caller.refuse(.loginDiscarded) }
            }
        case .afterLogin:
            for caller in calls.takeCallers(of: question.id) {
                if value == true {
                    acceptUnowned(caller)
                } else {
                    caller.refuse(value == nil ? .loginDiscarded : .rejectedAfterLogin)
                }
            }
        default: break
        }
    }

    /// Refuses the calls that wait for an answer after a login, if their question is hidden because
    /// the session has changed since.
    func refuseHidden() {
        for id in calls.undecidedQuestions {
            guard let question = writer.queue.openQuestion(id), !writer.queue.isVisible(question)
            else { continue }
            closeQuestion(id, because: .sessionChanged)
            resumeCallers(of: question, nil)
        }
    }

    // MARK: Steps

    private func wait(_ origin: Origin, _ work: LoginCalls.Work) -> WaitTicket {
        let ticket = calls.issue()
        if calls.wait(LoginCalls.Caller(ticket: ticket, origin: origin, work: work)) {
            openQuestion(origin: origin)
        }
        return ticket
    }

    private func openQuestion(origin: Origin?) {
        let patienceMs = patience.wholeMilliseconds
        calls.opened(
            writer.write(origin: origin) { queue, context, events in
                queue.decideLoginQuestion(patienceMs: patienceMs, context, events: &events)
            })
    }

    /// Continues a call in the session that its login has opened.
    private func proceed(_ caller: LoginCalls.Caller, _ sequence: SequenceNumber) {
        // The answer of an earlier caller may have logged out.
        guard let session = writer.queue.session else { return acceptUnowned(caller) }
        switch caller.work {
        case .add(let request, _):
            if let question = calls.question(sharing: request) {
                return calls.wait(caller, forAnswerTo: question)
            }
            // The question shows the price in the country of the account. If the product is not sold there, or the
            // catalogue of that country is not known, it shows what was shown before the login.
            guard writer.queue.policy.afterLogin == .ask,
                let (product, country) = wouldAccept(request.asNew, caller.origin)
                    ?? wouldAccept(request, caller.origin)
            else { return acceptUnowned(caller) }
            let id = writer.write(origin: caller.origin) { queue, context, events in
                queue.decideAfterLoginQuestion(product, in: country, context, events: &events)
            }
            calls.wait(caller, forAnswerTo: id)
        case .other(let answer): answer(.success(()))
        case .logIn(let answer): answer(.success((session, sequence)))
        }
    }

    /// Accepts the work of a call in the present state. Without a session the work belongs to the next
    /// account.
    private func acceptUnowned(_ caller: LoginCalls.Caller) {
        switch caller.work {
        case .add(let request, let answer):
            answer(
                Result { () throws(EngineRefusal) in
                    try commands.add(request, origin: caller.origin)
                })
        case .other(let answer): answer(.success(()))
        case .logIn(let answer): answer(.failure(.loginDiscarded))
        }
    }

    /// The product and country of a request that would be accepted now; nil if it would be refused or is
    /// a repetition.
    private func wouldAccept(
        _ request: AddRequest, _ origin: Origin
    ) -> (Product, CountryCode)? {
        guard let closed = try? writer.closed(request.closedKeys) else { return nil }
        var draft: [Event] = []
        let context = writer.context(origin, closed: closed)
        let decision = try? writer.queue.decide(request, context, events: &draft)
        guard case .accepted? = decision, case .transaction(_, let transaction)? = draft.last else {
            return nil
        }
        return (transaction.payment.product.product, transaction.country)
    }

    private func closeQuestion(
        _ id: QuestionID, _ value: Bool? = nil, because reason: QuestionClosing.Reason,
        origin: Origin? = nil
    ) {
        writer.write(origin: origin) { queue, context, events in
            queue.decideClosing(of: id, value, because: reason, context, events: &events)
        }
    }
}

public import PaymentCore

/// Opens and ends sessions at the store and in the queue, and requests the facts about the account in
/// session. Logins run one after another, so that store and queue agree on their order. Users take
/// turns, and a user with many wrong logins must wait.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class SessionController: @unchecked Sendable {
    private let access: StoreAccess
    private let writer: QueueWriter
    private let catalogues: CatalogueController
    private var logins = LoginLine()
    private var wrongLogins = Throttle()

    init(_ access: StoreAccess, _ catalogues: CatalogueController) {
        self.access = access
        self.catalogues = catalogues
        writer = access.writer
    }

    // MARK: Logins

    /// Opens a session at the store and then in the queue, and answers when both are done. Logins run
    /// one after another. A later logout cancels those that wait or are in progress.
    ///
    /// - Parameters:
    ///   - account: The account to log in.
    ///   - credential: The credential of the account, if it has one.
    ///   - origin: The client.
    ///   - caller: Shows whether the login is still wanted when its turn comes.
    ///   - answer: Called once, within a turn, even if the caller is gone.
    public func logIn(
        account: AccountName, credential: OpaqueText?, origin: Origin?,
        caller: any LoginCaller = UncancellableCaller(),
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) {
        let login = PendingLogin(
            account: account, credential: credential, origin: origin, caller: caller,
            answer: answer)
        for gone in logins.append(login) { gone.answer(.failure(.cancelled)) }
        beginLogin()
    }

    /// Ends the session; a repeated call changes nothing. The session at the store is discarded at
    /// once, and ended there when the store can be reached. Work of the account resumes after its next
    /// login.
    ///
    /// - Parameter origin: The client.
    /// - Returns: The position as of which no account is in session.
    @discardableResult
    public func logOut(origin: Origin?) -> SequenceNumber {
        let account = writer.queue.session?.account
        for login in logins.cancelAll() { login.answer(.failure(.cancelled)) }
        // The store's session is discarded before the record is durable, so that a login directly
        // after it finds it discarded. After a crash between the two, an account is in session that
        // must log in again.
        if let account { access.gateway.logOut(account: account) }
        writer.write(origin: origin) { queue, _, events in
            queue.decideSession(nil, events: &events)
        }
        let sequence = writer.queue.head
        if account != nil { access.observer?.sessionDidChange(.changed) }
        return sequence
    }

    /// Begins the login whose turn it is, unless one is under way.
    private func beginLogin() {
        while let login = logins.begin() {
            guard let refusal = refusal(of: login) else { return ask(for: login) }
            _ = logins.end()
            login.answer(.failure(refusal))
        }
    }

    /// The reason why a login does not begin; nil if it does.
    private func refusal(of login: PendingLogin) -> EngineRefusal? {
        if login.caller.isGone { return .cancelled }
        guard let user = login.origin?.uid else { return nil }
        return wrongLogins.wait(of: user, at: writer.loop.now).map { .tooManyAttempts(wait: $0) }
    }

    private func ask(for login: PendingLogin) {
        access.send(
            .logIn(login.account, credential: login.credential) { [self] result in
                switch result {
                case .success(let session):
                    writer.facts.session.sessionOpened()
                    learnAbout(session)
                case .failure(let failure):
                    if let user = login.origin?.uid, failure.isWrongLogin {
                        wrongLogins.noteWrong(by: user, at: writer.loop.now)
                    }
                    endLogin(.failure(.store(failure)))
                }
            })
    }

    /// Requests the facts and the catalogue before the session is announced, because clients may buy
    /// from then on. If the store does not return the catalogue, it is requested again later.
    private func learnAbout(_ session: Session) {
        access.send(
            .facts(session.account) { [self] facts in
                catalogues.require(session.country) { [self] _ in open(session, try? facts.get()) }
            })
    }

    private func open(_ session: Session, _ facts: AccountFacts?) {
        // If an account is in session, the store has already replaced its session, and the login
        // stands.
        guard let login = logins.current, !login.isCancelled,
            writer.queue.session != nil || !login.caller.hasCancelled
        else {
            // The login is cancelled, so the session that it opened at the store is discarded.
            access.gateway.logOut(account: session.account)
            return endLogin(.failure(.cancelled))
        }
        guard writer.isRunning else { return endLogin(.failure(.cancelled)) }
        writer.facts.session.use(facts)
        let former = writer.queue.session
        writer.write(origin: login.origin) { queue, _, events in
            queue.decideSession(session, events: &events)
        }
        let sequence = writer.queue.head
        access.observer?.sessionDidChange(
            former == session
                ? .confirmed : .opened(origin: login.origin, sequence: sequence))
        endLogin(.success((session, sequence)))
    }

    private func endLogin(_ result: Result<(Session, SequenceNumber), EngineRefusal>) {
        let login = logins.end()
        // The next login begins before the answer, because the answer may add another one.
        beginLogin()
        login?.answer(result)
    }

    // MARK: Facts

    /// How many sessions the store has ended since the start.
    public var sessionsEnded: UInt64 { writer.facts.session.sessionsEnded }

    /// Whether the store lets the account in session buy.
    public var paymentsAllowed: Bool { writer.facts.session.paymentsAllowed }

    /// A product of the catalogue, as it is shown to the account in session.
    public func shown(_ product: Product) -> Product {
        writer.queue.session == nil
            ? product : product.shown(introduced: writer.facts.session.introduced)
    }

    /// Applies facts about the account in session that the store has reported without a request for
    /// them: whether it may buy, and its country. Nil leaves a fact unchanged.
    public func storeChanged(paymentsAllowed: Bool?, country: CountryCode?) {
        guard writer.isRunning else { return }
        if let paymentsAllowed { writer.facts.session.paymentsAllowed = paymentsAllowed }
        guard let country else { return }
        move(to: country)
        askAgain()
    }

    /// Applies the facts about the account in session that are known without a request.
    ///
    /// - Returns: Whether any are known.
    @discardableResult
    public func useKnown() -> Bool {
        guard writer.isRunning, let account = writer.queue.session?.account,
            let known = access.gateway.knownFacts(of: account)
        else { return false }
        writer.facts.session.dropQuestions()
        use(known)
        return true
    }

    /// Asks the store about the account in session.
    func ask(about account: AccountName) {
        guard !useKnown() else { return }
        let question = writer.facts.session.ask()
        let answer = access.inSession(of: account) {
            [self] (result: Result<AccountFacts, StoreFailure>) in
            guard writer.isRunning, writer.queue.session?.account == account,
                let known = try? result.get(), writer.facts.session.answer(question)
            else { return }
            use(known)
        }
        access.send(.facts(account, answer))
    }

    /// Requests the facts about the account in session after one of its orders has changed, because
    /// the order may have used an introductory offer. Without introductory offers it requests nothing.
    func ordersDidChange(of account: AccountName) {
        let sold = writer.facts.catalogues[writer.currentCountry]?.products ?? []
        if sold.contains(where: { $0.introductoryPrice != nil }) { ask(about: account) }
    }

    /// Notes that the account in session was charged an introductory offer.
    func introduce(_ group: OpaqueText) {
        writer.facts.session.introduce(group)
        askAgain()
    }

    /// Repeats a pending request about the account in session, because its answer may be older than
    /// facts that the store has reported since.
    private func askAgain() {
        guard writer.facts.session.isAwaited else { return }
        writer.facts.session.dropQuestions()
        if let account = writer.queue.session?.account { ask(about: account) }
    }

    private func use(_ known: AccountFacts) {
        writer.facts.session.use(known)
        if let country = known.country { move(to: country) }
    }

    /// Moves the account in session to another country. A node that may not record does nothing,
    /// because the owner of the log receives the same fact.
    private func move(to country: CountryCode) {
        guard writer.mayRecord, var session = writer.queue.session, session.country != country
        else { return }
        session.country = country
        writer.write { queue, _, events in queue.decideSession(session, events: &events) }
        access.observer?.sessionDidChange(.changed)
    }
}

extension StoreFailure {
    /// Whether the store does not know the account or the credential.
    fileprivate var isWrongLogin: Bool { kind == .badCredential || kind == .unknownAccount }
}

public import PaymentCore

/// The store's side of the engine: the calls of clients and the events of the store.
extension PaymentEngine {
    /// The store's health.
    public var storeHealth: StoreHealth { store.access.health }

    /// How many sessions the store has ended since the start.
    public var sessionEnds: UInt64 { writer.facts.session.sessionsEnded }

    /// Whether the store lets the account in session buy.
    public var paymentsAllowed: Bool { writer.facts.session.paymentsAllowed }

    /// When the store is asked next while it does not answer, if that is known.
    public var nextStoreTry: Timestamp? { store.access.nextTry }

    /// Takes note that something changed at the store. It may be told more often than it is so.
    public func storeDidChange(_ change: StoreChange) {
        writer.loop.preconditionOnLoop()
        store.storeDidChange(change)
    }

    /// Takes note of what the store says about the account in session without having been asked:
    /// whether it may buy, and where it is. Nil leaves a fact as it was.
    public func storeChanged(paymentsAllowed: Bool?, country: CountryCode?) {
        store.sessions.storeChanged(paymentsAllowed: paymentsAllowed, country: country)
    }

    /// Takes note of what is known of the account in session without asking the store.
    ///
    /// - Returns: Whether anything is.
    @discardableResult
    public func useKnownFacts() -> Bool { store.sessions.useKnown() }

    // MARK: Catalogues

    /// Makes a catalogue known; what waited for it resumes.
    public func use(_ catalogue: Catalogue) {
        writer.loop.preconditionOnLoop()
        store.catalogues.use(catalogue)
    }

    /// Makes known in which country prices are shown without a session, where the store had not said so
    /// when the engine was made.
    public func use(defaultCountry country: CountryCode) {
        writer.loop.preconditionOnLoop()
        store.catalogues.use(defaultCountry: country)
    }

    /// Puts in force what the store is known to sell now, where that needs no request.
    public func useKnownCatalogues() {
        writer.loop.preconditionOnLoop()
        if writer.isRunning { store.catalogues.useKnown() }
    }

    /// The catalogue of a country, if it is known.
    public func catalogue(of country: CountryCode) -> Catalogue? {
        writer.facts.catalogues[country]
    }

    /// Tells the catalogues of a country apart that this process has used one after another: places in
    /// one mean nothing in the next. 0 while none was known.
    public func edition(of country: CountryCode) -> UInt64 {
        writer.facts.catalogues.edition(of: country)
    }

    /// A product of the catalogue as the account in session is shown it.
    public func shown(_ product: Product) -> Product {
        queue.session == nil
            ? product : product.shown(introduced: writer.facts.session.introduced)
    }

    /// Asks the store for the catalogue of a country unless it is known.
    public func loadCatalogue(of country: CountryCode) { store.catalogues.load(country) }

    /// Answers with the catalogue of a country, asking the store for it unless it is known.
    ///
    /// - Parameters:
    ///   - country: The country.
    ///   - answer: Called once, before this returns if the catalogue is known.
    public func requireCatalogue(
        of country: CountryCode, answer: @escaping StoreAnswer<Catalogue>
    ) {
        store.catalogues.require(country, answer: answer)
    }

    /// The reason why it is not known what is sold.
    public var whyNoCatalogue: StoreFailure { store.catalogues.whyUnknown }

    /// Takes note that the store did not say what it sells, or where it sells at all.
    public func noteUnknownCatalogue(_ failure: StoreFailure) { store.catalogues.note(failure) }

    // MARK: Session

    /// Opens a session at the store and then in the queue. Answers when both are done. One login waits
    /// for the other; a logout meanwhile has the last word and cancels them.
    ///
    /// - Parameters:
    ///   - account: The account to log in.
    ///   - credential: What proves it, if the account has one.
    ///   - origin: The client.
    ///   - caller: Says whether the login is still wanted when its turn comes.
    ///   - answer: Called once, within a turn; after a caller that is gone, too.
    public func logIn(
        account: AccountName, credential: OpaqueText?, origin: Origin?,
        caller: any LoginCaller = UncancellableCaller(),
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) {
        store.sessions.logIn(
            PendingLogin(
                account: account, credential: credential, origin: origin, caller: caller,
                answer: answer))
    }

    /// Ends the session; the same again changes nothing. The store's session is forgotten at once, and
    /// ended there if the store can be reached. What waits for the account resumes when it is back.
    ///
    /// - Parameter origin: The client.
    /// - Returns: The position as of which no account is in session.
    @discardableResult
    public func logOut(origin: Origin?) -> SequenceNumber { store.sessions.logOut(origin: origin) }

    /// Assumes a country without a session; nil takes it back.
    ///
    /// - Parameters:
    ///   - country: The country, or nil.
    ///   - origin: The client.
    /// - Returns: The position as of which it holds.
    /// - Throws: There is no room to keep it.
    @discardableResult
    public func assume(
        _ country: CountryCode?, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        try store.catalogues.assume(country, origin: origin)
    }

    // MARK: Purchases

    /// Asks the store for purchases that the queue does not know. Several wishes at a time are one.
    ///
    /// - Parameter whenDone: Called once when a run that began after this call has come to a good
    ///   end, within the turn of its last record, or when the session is over. What fails is tried
    ///   again for as long as the account is in session.
    public func reconcile(whenDone: (@Sendable () -> Void)? = nil) {
        writer.loop.preconditionOnLoop()
        store.reconciliation.want(caller: whenDone)
    }

    /// Asks the store what the account in session is entitled to now.
    ///
    /// - Parameter answer: Called once: before this returns without a session, otherwise when the store
    ///   has answered or failed. Purchases come oldest first, of each chain the newest.
    public func entitlements(
        answer: @escaping @Sendable (Result<[StorePurchase], EngineRefusal>) -> Void
    ) {
        writer.loop.preconditionOnLoop()
        store.listing.entitlements(answer: answer)
    }

    /// Asks the store for a page of the signed history of the account in session. No agent is asked for
    /// a login.
    ///
    /// - Parameters:
    ///   - query: Which page.
    ///   - user: The user id of the caller. Users take turns.
    ///   - answer: Called once: before this returns without a session, otherwise when the store has
    ///     answered or failed.
    public func signedHistory(
        _ query: HistoryQuery = HistoryQuery(), of user: UInt32,
        answer: @escaping @Sendable (Result<SignedHistory, EngineRefusal>) -> Void
    ) {
        writer.loop.preconditionOnLoop()
        store.listing.signedHistory(query, of: user, answer: answer)
    }

    /// Asks the store for its public keys, which belong to no account.
    ///
    /// - Parameter answer: Called once, when the store has answered or failed.
    public func storeKeys(
        answer: @escaping @Sendable (Result<[StoreKey], EngineRefusal>) -> Void
    ) {
        writer.loop.preconditionOnLoop()
        store.listing.keys(answer: answer)
    }
}

extension PaymentEngine: StoreObserver {
    /// Routes a change of session that the store's answers have brought.
    func sessionDidChange(_ news: SessionNews) {
        switch news {
        case .confirmed: return store.sessionIsConfirmed()
        case .opened(let origin, let sequence):
            writer.pipeline.running.login = (origin, sequence)
            // Calls that failed because a session had ended are made again at once.
            store.orders.endAllWaits()
        case .changed: break
        }
        writer.pipeline.running.changesSession = true
        store.sessionDidChange()
    }

    /// Lets the owner of the engine show the store's state.
    func storeHealthDidChange() {
        turn.hooks.didChange?()
    }
}

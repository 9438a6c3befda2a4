import Logging
public import PaymentCore

/// Sessions and catalogues.
extension PaymentEngine {
    /// Ends the session; the same again changes nothing. The store's session is forgotten at once, and
    /// ended there if the store can be reached. What waits for the account goes on when it is back.
    ///
    /// - Parameter origin: Who asks.
    /// - Returns: The position as of which nobody is logged in.
    @discardableResult
    public func logOut(origin: Origin?) -> SequenceNumber {
        let account = queue.session?.account
        cancelLogins()
        queue.decideSession(nil, events: &events)
        let hadSession = !events.isEmpty
        // Before the record is durable, so that a login right behind it finds it done. A crash between
        // the two leaves an account in session that has to log in again.
        if let account { gateway.logOut(account: account) }
        let sequence = recordEvents(origin: origin, time: sources.wallClock())
        if hadSession { sessionDidChange() }
        return sequence
    }

    /// Assumes a country while nobody is logged in; nil takes it back.
    ///
    /// - Parameters:
    ///   - country: The country, or nil.
    ///   - origin: Who asks.
    /// - Returns: The position as of which it holds.
    /// - Throws: There is no room to keep it.
    @discardableResult
    public func assume(
        _ country: CountryCode?, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        queue.decideAssumedCountry(country, events: &events)
        try dropUnlessThereIsRoom()
        let sequence = recordEvents(origin: origin, time: sources.wallClock())
        if let country { loadCatalogue(of: country) }
        return sequence
    }

    /// Asks the store for the catalogue of a country unless it is known.
    public func loadCatalogue(of country: CountryCode) {
        guard catalogues[country] == nil else { return }
        if let known = gateway.knownCatalogue(of: country) { return use(known) }
        if catalogues.want(country) { askForCatalogue(of: country) }
    }

    private func askForCatalogue(of country: CountryCode) {
        gateway.catalogue(of: country) { [self] result in
            switch result {
            case .success(let catalogue):
                catalogues.endQuestion(country)
                noteStoreAnswer(nil)
                catalogues.failure = nil
                use(catalogue)
            case .failure(let failure):
                noteUnknownCatalogue(failure)
                loop.schedule(after: .seconds(5)) { [self] in
                    catalogues.endQuestion(country)
                    // By now it may be known, or no longer be the country in use.
                    if country == currentCountry { loadCatalogue(of: country) }
                }.keep()
            }
        }
    }

    /// Answers with the catalogue of a country, asking the store for it unless it is known.
    ///
    /// - Parameters:
    ///   - country: The country.
    ///   - answer: Called once, before this returns if the catalogue is known.
    public func requireCatalogue(
        of country: CountryCode,
        answer: @escaping @Sendable (Result<Catalogue, StoreFailure>) -> Void
    ) {
        if let catalogue = catalogues[country] { return answer(.success(catalogue)) }
        gateway.catalogue(of: country) { [self] result in
            if case .success(let catalogue) = result { use(catalogue) }
            answer(result)
        }
    }

    func sessionDidChange() {
        pipeline.running.changesSession = true
        if let country = currentCountry { loadCatalogue(of: country) }
        resumeEffects()
        dropEndedRestore()
        reconcile()
    }

    /// Why it cannot be said what is sold.
    public var whyNoCatalogue: StoreFailure {
        (storeHealth.isUp ? nil : storeHealth.lastFailure) ?? catalogues.failure
            ?? StoreFailure(.connectionError, "the store has not answered")
    }

    /// The store did not say what is sold, or where it sells at all.
    public func noteUnknownCatalogue(_ failure: StoreFailure) {
        noteStoreAnswer(failure)
        catalogues.failure = failure
    }
}

extension EngineTimer {
    /// Lets the timer run; says that nobody will cancel it.
    func keep() {}
}

extension PaymentEngine {
    /// Takes note of what the store says about the account in session without having been asked:
    /// whether it may buy, and where it is. Nil leaves a thing as it was.
    public func storeChanged(paymentsAllowed: Bool?, country: CountryCode?) {
        guard !hasStopped else { return }
        if let paymentsAllowed { facts.paymentsAllowed = paymentsAllowed }
        guard let country else { return }
        move(to: country)
        askAboutSessionAgain()
    }

    /// Takes note of what is known of the account in session without asking the store.
    ///
    /// - Returns: Whether anything is.
    @discardableResult
    public func useKnownFacts() -> Bool {
        guard !hasStopped, let account = queue.session?.account,
            let known = gateway.knownFacts(of: account)
        else { return false }
        facts.dropQuestions()
        use(known)
        return true
    }

    /// Puts in force what the store says of the account in session.
    func use(_ known: AccountFacts) {
        facts.use(known)
        if let country = known.country { move(to: country) }
    }

    /// A product of the catalogue as the account in session is shown it.
    public func shown(_ product: Product) -> Product {
        queue.session == nil ? product : product.shown(introduced: facts.introduced)
    }

    /// The account in session is in another country, if it is.
    func move(to country: CountryCode) {
        guard !hasStopped, var session = queue.session, session.country != country else { return }
        session.country = country
        queue.decideSession(session, events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
        sessionDidChange()
    }
}

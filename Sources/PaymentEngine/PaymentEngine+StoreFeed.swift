public import PaymentCore

/// The events that the store sends by itself.
extension PaymentEngine {
    /// Takes note that something changed at the store. It may be told more often than it is so.
    public func storeDidChange(_ change: StoreChange) {
        loop.preconditionOnLoop()
        guard !hasStopped, !hasFailed else { return }
        switch change {
        case .orders(let account):
            guard account == queue.session?.account else { return }
            askAboutApprovals()
            reconcile()
            // One of them may have been charged an introductory offer.
            if hasOffers { askAboutSession(account) }
        case .account(let account):
            guard let session = queue.session, account == nil || account == session.account else {
                return
            }
            askAboutSession(session.account)
        case .catalogue:
            reloadCatalogue()
        case .availability(let failure):
            let changed = storeHealth.announce(failure, at: sources.wallClock())
            if changed { storeHealthDidChange() }
            if failure == nil { storeIsBack() }
        }
    }

    /// When the store is asked next while it does not answer, if that is known.
    public var nextStoreTry: Timestamp? {
        guard !storeHealth.isUp else { return nil }
        return storeHealth.nextTryAt ?? gateway.timeUntilProbe.map(timestamp(after:))
    }

    /// Asks at once for everything that failed while the store was away, in order of acceptance.
    private func storeIsBack() {
        retryAtOnce()
        if queue.session != nil { reconcile() }
    }

    /// The account in session has logged in again: what the store refused because it had ended the
    /// session is asked for at once.
    func sessionIsGoodAgain() {
        retryAtOnce()
        if reconciliation.failures > 0 { reconcile() }
    }

    private func retryAtOnce() {
        let waited = calls.endAllWaits()
        for effect in queue.pendingEffects() where waited.contains(effect.transaction) {
            performWhenCommitted(effect)
        }
    }

    /// Asks for the outcome of everything that waits for an approval: the store knows whether
    /// somebody has decided.
    func askAboutApprovals() {
        calls.retryAll()
        for effect in queue.deferredEffects() { performWhenCommitted(effect) }
    }

    /// Puts in force what the store is known to sell now, where that can be said without asking it.
    public func useKnownCatalogues() {
        loop.preconditionOnLoop()
        guard !hasStopped, !hasFailed else { return }
        for country in catalogues.countries {
            if let known = gateway.knownCatalogue(of: country) { use(known) }
        }
    }

    /// Tells observers that the store sells something else than before.
    func productsDidChange() {
        guard !hasStopped, !hasFailed else { return }
        queue.decideProductsChanged(events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
    }

    private func askAboutSession(_ account: AccountName) {
        guard !useKnownFacts() else { return }
        let question = facts.ask()
        let answer = inSession(of: account) { [self] (result: Result<AccountFacts, StoreFailure>) in
            guard !hasStopped, queue.session?.account == account, let known = try? result.get(),
                facts.answer(question)
            else { return }
            use(known)
        }
        gateway.facts(of: account, answer: answer)
    }

    /// Asks again what is asked about the account in session and not answered: the answer may have been
    /// made before what the store has told by other means since, and is not used.
    func askAboutSessionAgain() {
        guard facts.isAwaited else { return }
        facts.dropQuestions()
        if let account = queue.session?.account { askAboutSession(account) }
    }

    /// Whether anything is sold here with an introductory offer.
    private var hasOffers: Bool {
        catalogues[currentCountry]?.products.contains { $0.introductoryPrice != nil } ?? false
    }

    /// Asks for what is sold here now. What is sold elsewhere is asked for when it is needed; until
    /// the answer comes, what was known here holds.
    private func reloadCatalogue() {
        catalogueReload?.cancel()
        catalogues.forgetAll(but: currentCountry)
        guard let country = currentCountry else { return }
        gateway.catalogue(of: country) { [self] result in
            guard !hasStopped, !hasFailed else { return }
            switch result {
            case .success(let catalogue):
                noteStoreAnswer(nil)
                use(catalogue)
            case .failure(let failure):
                noteStoreAnswer(failure)
                catalogueReload?.cancel()
                catalogueReload = loop.schedule(after: .seconds(5)) { [self] in
                    reloadCatalogue()
                }
            }
        }
    }
}

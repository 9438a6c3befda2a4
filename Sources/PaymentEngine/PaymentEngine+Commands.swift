import Logging
public import PaymentCore

/// Why the engine does not do what a client asked.
public enum EngineRefusal: Error, Sendable, Hashable {
    /// The rules say no.
    case refused(Refusal)
    /// There is no room to keep it.
    case outOfSpace
    /// It cannot be decided without the store, which does not answer.
    case store(StoreFailure)
    /// The waiting call was cancelled, or its connection is gone.
    case cancelled
    /// It needs an account in session.
    case notLoggedIn
    /// No account logged in when a login was requested.
    case loginDiscarded
    /// It was turned down after the login that it had caused.
    case rejectedAfterLogin
    /// The page that was asked for is none, or is gone.
    case pageExpired
}

/// The result of `add`.
public struct AddReply: Sendable, Hashable {
    /// The transaction.
    public var transaction: Transaction
    /// The condition that it waits for.
    public var waitingFor: WaitingFor?
    /// The record that accepted it, or the position as of which the answer is true.
    public var sequence: SequenceNumber
    /// Whether the key named it before.
    public var isDuplicate: Bool
    /// How it left the queue, if it did.
    public var removed: Finish?
}

/// The calls of clients. Each answer belongs to the running turn and leaves when that is durable.
extension PaymentEngine {
    /// Accepts a payment.
    ///
    /// - Parameters:
    ///   - request: What to buy.
    ///   - origin: Who asks.
    /// - Returns: The transaction, new or known by its key.
    /// - Throws: Nothing was kept.
    public func add(_ request: AddRequest, origin: Origin) throws(EngineRefusal) -> AddReply {
        let context = context(origin)
        let decision: AddDecision
        do throws(Refusal) {
            decision = try writer.ask { queue throws(Refusal) in
                try queue.decide(request, context, events: &writer.events)
            }
        } catch {
            throw refusal(error)
        }
        switch decision {
        case .accepted(let id):
            guard !journal.isShortOfSpace else {
                events.removeAll(keepingCapacity: true)
                throw .outOfSpace
            }
            guard case .transaction(_, let transaction)? = events.last, transaction.id == id else {
                preconditionFailure("transaction \(id) was accepted but does not exist")
            }
            let sequence = recordEvents(origin: origin, time: context.now)
            return AddReply(
                transaction: transaction, waitingFor: queue.waitingFor(transaction),
                sequence: sequence, isDuplicate: false)
        case .duplicate(let id):
            return repeatedReply(id)
        }
    }

    /// Looks whether ``add(_:origin:)`` would be accepted or repeated now; changes nothing.
    ///
    /// - Throws: What it would be refused for.
    public func check(_ request: AddRequest, origin: Origin) throws(EngineRefusal) {
        var draft: [Event] = []
        let decision: AddDecision
        do throws(Refusal) {
            decision = try queue.decide(request, context(origin), events: &draft)
        } catch {
            throw refusal(error)
        }
        if case .accepted = decision, journal.isShortOfSpace { throw .outOfSpace }
    }

    /// Looks whether a restore would be accepted, joined or repeated now; changes nothing.
    ///
    /// - Throws: What it would be refused for.
    public func check(_ request: RestoreRequest) throws(EngineRefusal) {
        var draft: [Event] = []
        do throws(Refusal) {
            _ = try queue.decide(request, context(nil), events: &draft)
        } catch {
            throw .refused(error)
        }
        if !draft.isEmpty, journal.isShortOfSpace { throw .outOfSpace }
    }

    /// Takes the client's word that the goods of a transaction are delivered.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - origin: Who says so.
    /// - Returns: What came of it, and the position as of which that is true.
    /// - Throws: The transaction is unknown.
    public func finish(
        _ id: TransactionID, origin: Origin
    ) throws(EngineRefusal) -> (disposition: FinishDisposition, sequence: SequenceNumber) {
        let context = context(origin)
        let disposition: FinishDisposition
        do throws(Refusal) {
            disposition = try queue.decideFinish(id, context, events: &events)
        } catch {
            throw .refused(error)
        }
        // Its own record comes first; questions that end with it have records behind that.
        return (disposition, recordEvents(origin: origin, time: context.now, own: 0))
    }

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

    /// Forgets what was finished before a moment: keys, ids, snapshots. Orders are kept for ever.
    public func forget(before: Timestamp) {
        refreshNamesInUse()
        queue.decideForget(before: before, events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
    }

    /// Asks the store for the catalogue of a country unless it is known.
    public func loadCatalogue(of country: CountryCode) {
        guard catalogues[country] == nil else { return }
        if let known = gateway.knownCatalogue(of: country) { return use(known) }
        // Whoever wants the same meanwhile has it, too, when it comes.
        guard cataloguesWanted.insert(country).inserted else { return }
        askForCatalogue(of: country)
    }

    private func askForCatalogue(of country: CountryCode) {
        gateway.catalogue(of: country) { [self] result in
            switch result {
            case .success(let catalogue):
                cataloguesWanted.remove(country)
                noteStoreAnswer(nil)
                catalogueFailure = nil
                use(catalogue)
            case .failure(let failure):
                noteUnknownCatalogue(failure)
                loop.schedule(after: .seconds(5)) { [self] in
                    cataloguesWanted.remove(country)
                    // Somebody else may have learnt it meanwhile, or nobody may want it any more.
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
        needsReview = true
        if let country = currentCountry { loadCatalogue(of: country) }
        resumeEffects()
        dropEndedRestore()
        reconcile()
    }

    /// How the transaction stands that a key named before.
    private func repeatedReply(_ id: TransactionID) -> AddReply {
        guard let transaction = queue.transaction(id) else {
            preconditionFailure("a key names transaction \(id), which does not exist")
        }
        let removed = queue.finish(of: id)
        return AddReply(
            transaction: transaction,
            waitingFor: removed == nil ? queue.waitingFor(transaction) : nil,
            sequence: queue.head, isDuplicate: true, removed: removed)
    }

    /// A product is only unknown when the catalogue is known.
    private func refusal(_ refusal: Refusal) -> EngineRefusal {
        guard case .unknownProduct = refusal,
            currentCountry.flatMap({ catalogues[$0] }) == nil
        else { return .refused(refusal) }
        let failure = whyNoCatalogue
        return .store(
            StoreFailure(failure.kind, "the catalogue is not known yet: \(failure)"))
    }

    /// Why it cannot be said what is sold.
    public var whyNoCatalogue: StoreFailure {
        (storeHealth.isUp ? nil : storeHealth.lastFailure) ?? catalogueFailure
            ?? StoreFailure(.connectionError, "the store has not answered")
    }

    /// The store did not say what is sold, or where it sells at all.
    public func noteUnknownCatalogue(_ failure: StoreFailure) {
        noteStoreAnswer(failure)
        catalogueFailure = failure
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
        if let paymentsAllowed { self.paymentsAllowed = paymentsAllowed }
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
            let facts = gateway.knownFacts(of: account)
        else { return false }
        sessionAnswered = sessionAsks
        use(facts)
        return true
    }

    /// Puts in force what the store says of the account in session.
    func use(_ facts: AccountFacts) {
        introduced = facts.introduced
        paymentsAllowed = facts.paymentsAllowed
        if let country = facts.country { move(to: country) }
    }

    /// A product of the catalogue as the account in session is shown it.
    public func shown(_ product: Product) -> Product {
        queue.session == nil ? product : product.shown(introduced: introduced)
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

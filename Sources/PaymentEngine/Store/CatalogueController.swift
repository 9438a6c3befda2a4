public import PaymentCore

/// Learns from the store what it sells.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class CatalogueController: @unchecked Sendable {
    private let access: StoreAccess
    private let writer: QueueWriter
    /// Whether a catalogue has replaced another one while nothing could be recorded.
    private var hasUnannounced = false

    /// How long after a failure a catalogue is asked for again.
    private static let retryDelay = Duration.seconds(5)

    init(_ access: StoreAccess) {
        self.access = access
        writer = access.writer
    }

    /// The catalogue of a country, if it is known.
    public subscript(country: CountryCode?) -> Catalogue? { writer.facts.catalogues[country] }

    /// Tells the catalogues of a country apart that this process has used one after another: places in
    /// one mean nothing in the next. 0 while none was known.
    public func edition(of country: CountryCode) -> UInt64 {
        writer.facts.catalogues.edition(of: country)
    }

    /// Keeps a catalogue, and announces it if it replaces another one. What waited for it resumes. A node that
    /// follows announces it when it owns the log.
    public func use(_ catalogue: Catalogue) {
        if writer.facts.catalogues.use(catalogue) {
            hasUnannounced = true
            announce()
        }
        writer.scheduleTurnEnd()
    }

    /// Announces that a catalogue has replaced another one, unless that has been done or nothing may be
    /// recorded.
    func announce() {
        guard hasUnannounced, writer.mayRecord else { return }
        hasUnannounced = false
        writer.write { queue, _, events in queue.decideProductsChanged(events: &events) }
    }

    /// Keeps the country of prices without a session, where the store had not named it when the engine
    /// was made.
    public func use(defaultCountry country: CountryCode) {
        writer.facts.catalogues.failure = nil
        guard writer.facts.catalogues.defaultCountry != country else { return }
        writer.facts.catalogues.defaultCountry = country
        load(country)
        writer.scheduleTurnEnd()
    }

    /// Keeps what the store is known to sell now, where that needs no request.
    public func useKnown() {
        guard writer.isRunning else { return }
        for country in writer.facts.catalogues.countries {
            if let known = access.gateway.knownCatalogue(of: country) { use(known) }
        }
    }

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
        let sequence = try writer.write(for: origin) { queue, _, events in
            queue.decideAssumedCountry(country, events: &events)
        }.sequence
        if let country { load(country) }
        return sequence
    }

    /// Asks for the catalogue of a country unless it is known, again and again while the country is in
    /// use.
    public func load(_ country: CountryCode) {
        guard writer.facts.catalogues[country] == nil else { return }
        if let known = access.gateway.knownCatalogue(of: country) { return use(known) }
        if writer.facts.catalogues.want(country) { ask(for: country) }
    }

    /// The wait after a failed question is over.
    func retryIsDue(_ country: CountryCode) {
        writer.facts.catalogues.endQuestion(country)
        // A catalogue that could not be asked for again is out of date by the time it is needed.
        guard country == writer.currentCountry else {
            return writer.facts.catalogues.forgetAll(but: writer.currentCountry)
        }
        if writer.facts.catalogues[country] == nil { load(country) } else { reload() }
    }

    /// Answers with the catalogue of a country, asking the store for it unless it is known.
    ///
    /// - Parameters:
    ///   - country: The country.
    ///   - answer: Called once, before this returns if the catalogue is known.
    public func require(_ country: CountryCode, answer: @escaping StoreAnswer<Catalogue>) {
        if let catalogue = writer.facts.catalogues[country] { return answer(.success(catalogue)) }
        access.send(
            .catalogue(country) { [self] result in
                if case .success(let catalogue) = result { use(catalogue) }
                answer(result)
            })
    }

    /// Asks again for the catalogue of the country in use, and forgets the others until they are
    /// needed. Until the answer the known one holds.
    func reload() {
        writer.facts.catalogues.forgetAll(but: writer.currentCountry)
        if let country = writer.currentCountry { ask(for: country) }
    }

    /// Notes a question for catalogue or default country that has failed.
    public func note(_ failure: StoreFailure) {
        access.note(failure)
        writer.facts.catalogues.failure = failure
    }

    /// The reason why it is not known what is sold.
    public var whyUnknown: StoreFailure {
        (access.health.isUp ? nil : access.health.lastFailure)
            ?? writer.facts.catalogues.failure
            ?? StoreFailure(.connectionError, "the store has not answered")
    }

    private func ask(for country: CountryCode) {
        access.send(
            .catalogue(country) { [self] result in
                switch result {
                case .success(let catalogue):
                    access.deadlines.cancel(.catalogue(country))
                    writer.facts.catalogues.endQuestion(country)
                    writer.facts.catalogues.failure = nil
                    access.note(nil)
                    use(catalogue)
                case .failure(let failure):
                    note(failure)
                    access.deadlines.set(.catalogue(country), after: Self.retryDelay)
                }
            })
    }
}

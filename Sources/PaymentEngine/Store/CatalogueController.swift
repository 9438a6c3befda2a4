public import PaymentCore

/// Fetches the catalogues from the store and keeps them up to date.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class CatalogueController: @unchecked Sendable {
    private let access: StoreAccess
    private let writer: QueueWriter
    /// Whether a catalogue has replaced another one while nothing could be recorded.
    private var hasUnannounced = false

    /// The delay after a failure before a catalogue is requested again.
    private static let retryDelay = Duration.seconds(5)

    init(_ access: StoreAccess) {
        self.access = access
        writer = access.writer
    }

    /// The catalogue of a country, if it is known.
    public subscript(country: CountryCode?) -> Catalogue? { writer.facts.catalogues[country] }

    /// The edition number of a country's catalogue in this process. It changes with each new
    /// catalogue, because a position in one catalogue is not valid in the next. 0 while none was
    /// known.
    public func edition(of country: CountryCode) -> UInt64 {
        writer.facts.catalogues.edition(of: country)
    }

    /// Stores a catalogue, and announces it if it replaces a different one. Work that waited for it
    /// resumes. A follower announces it when it owns the log.
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

    /// Stores the country of prices without a session, if the store had not named it when the engine
    /// was created.
    public func use(defaultCountry country: CountryCode) {
        writer.facts.catalogues.failure = nil
        guard writer.facts.catalogues.defaultCountry != country else { return }
        writer.facts.catalogues.defaultCountry = country
        load(country)
        writer.scheduleTurnEnd()
    }

    /// Stores the catalogues that the store provides without a request, in place of the known ones.
    public func useKnown() {
        guard writer.isRunning else { return }
        for country in writer.facts.catalogues.countries {
            if let known = access.gateway.knownCatalogue(of: country) { use(known) }
        }
    }

    /// Sets the country to assume without a session; nil removes it.
    ///
    /// - Parameters:
    ///   - country: The country, or nil.
    ///   - origin: The client.
    /// - Returns: The position as of which it holds.
    /// - Throws: There is no room to record it.
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

    /// Requests the catalogue of a country unless it is known. A failed request is repeated while the
    /// country is in use.
    public func load(_ country: CountryCode) {
        guard writer.facts.catalogues[country] == nil else { return }
        if let known = access.gateway.knownCatalogue(of: country) { return use(known) }
        if writer.facts.catalogues.want(country) { ask(for: country) }
    }

    /// Handles the end of the wait after a failed request.
    func retryIsDue(_ country: CountryCode) {
        writer.facts.catalogues.endQuestion(country)
        // The request failed, so a known catalogue may be out of date when it is needed again.
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

    /// Requests the catalogue of the country in use again, and forgets the others until they are
    /// needed. The known catalogue stays in use until the answer.
    func reload() {
        writer.facts.catalogues.forgetAll(but: writer.currentCountry)
        if let country = writer.currentCountry { ask(for: country) }
    }

    /// Notes a failed request for a catalogue or for the default country.
    public func note(_ failure: StoreFailure) {
        access.note(failure)
        writer.facts.catalogues.failure = failure
    }

    /// The reason why the catalogue is not known.
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

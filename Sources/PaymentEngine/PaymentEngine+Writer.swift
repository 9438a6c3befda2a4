import Logging
public import PaymentCore

/// Short names for the parts of the writer.
extension PaymentEngine {
    /// The state of the queue, the running batch included.
    public internal(set) var queue: PaymentQueue {
        _read { yield writer.queue }
        _modify { yield &writer.queue }
    }

    /// The last record that is committed.
    public internal(set) var durableHead: SequenceNumber {
        get { writer.durableHead }
        set { writer.durableHead = newValue }
    }

    /// Whether the store lets the account in session buy.
    public internal(set) var paymentsAllowed: Bool {
        get { writer.facts.paymentsAllowed }
        set { writer.facts.paymentsAllowed = newValue }
    }

    var introduced: Set<OpaqueText>? {
        get { writer.facts.introduced }
        set { writer.facts.introduced = newValue }
    }

    var catalogues: [CountryCode: Catalogue] {
        _read { yield writer.facts.catalogues }
        _modify { yield &writer.facts.catalogues }
    }

    var defaultCountry: CountryCode? {
        get { writer.facts.defaultCountry }
        set { writer.facts.defaultCountry = newValue }
    }

    var events: [Event] {
        _read { yield writer.events }
        _modify { yield &writer.events }
    }

    var pipeline: TurnPipeline {
        _read { yield writer.pipeline }
        _modify { yield &writer.pipeline }
    }

    var journal: any RecordLog { writer.journal }
    var loop: any EngineLoop { writer.loop }
    var sources: EngineSources { writer.sources }
    var logger: Logger { writer.logger }
    var hasFailed: Bool { writer.state == .failed }
    var hasStopped: Bool { writer.state == .stopped }

    /// The country that products are shown in now.
    public var currentCountry: CountryCode? { writer.currentCountry }

    func context(_ origin: Origin?) -> DecisionContext { writer.context(origin) }

    func scheduleTurnEnd() { writer.scheduleTurnEnd() }

    @discardableResult
    func recordEvents(origin: Origin?, time: Timestamp, own: Int? = nil) -> SequenceNumber {
        writer.recordEvents(origin: origin, time: time, own: own)
    }

    func dropUnlessThereIsRoom() throws(EngineRefusal) { try writer.dropUnlessThereIsRoom() }

    /// Stops for good because the log, or that of the embedded store, cannot be relied on any more.
    public func fail(_ failure: JournalFailure) { writer.fail(failure) }
}

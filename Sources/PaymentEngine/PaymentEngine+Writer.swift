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
    public var paymentsAllowed: Bool { facts.paymentsAllowed }

    var facts: SessionFacts {
        _read { yield writer.facts.session }
        _modify { yield &writer.facts.session }
    }

    var catalogues: Catalogues {
        _read { yield writer.facts.catalogues }
        _modify { yield &writer.facts.catalogues }
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

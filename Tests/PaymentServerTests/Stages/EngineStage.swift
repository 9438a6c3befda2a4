import PaymentCore
import PaymentEngine
import PaymentTesting

/// The engine alone with its store: no connection, no thread, time that moves when nothing else
/// does.
final class EngineStage: Stage {
    let store: SteppedStore
    private(set) var loop = ManualLoop()
    private(set) var engine: PaymentEngine
    /// Whether what the store tells is kept for later: replies come before the events of a call.
    var holdsChanges = false
    private var journal: RecordingJournal
    private var heldChanges: [StoreChange] = []

    init() throws {
        store = try SteppedStore()
        journal = RecordingJournal()
        engine = Self.engine(PaymentQueue(), journal, store, loop)
        listen()
        begin()
    }

    /// Tells the engine what was kept.
    func releaseChanges() {
        holdsChanges = false
        let changes = heldChanges
        heldChanges = []
        for change in changes { engine.store.didChange(change) }
    }

    private func take(_ change: StoreChange) {
        guard holdsChanges else { return engine.store.didChange(change) }
        if !heldChanges.contains(change) { heldChanges.append(change) }
    }

    private func listen() {
        let stage = WeakStage(self)
        store.sandbox.listen { change in
            stage.value?.store.loop.execute { stage.value?.take(change) }
        }
    }

    func client() -> Client {
        Client(EngineWire(self))
    }

    func restart(germanPrice: String?) throws {
        engine.stop()
        if let germanPrice {
            try store.reopen(germanPrice: germanPrice)
            listen()
        }
        try kill()
    }

    func kill() throws {
        loop.stop()
        loop = ManualLoop()
        journal = RecordingJournal(durable: journal.durable)
        var queue = PaymentQueue()
        for record in journal.durable { try queue.apply(record) }
        queue.didLoad(upTo: journal.head)
        engine = Self.engine(queue, journal, store, loop)
        begin()
    }

    func pass(seconds: Int) {
        for _ in 0..<(seconds * 4) { advance() }
    }

    func forgetLog() {
        journal.trim(upTo: journal.head)
    }

    /// Runs everything that is ready, here and at the store.
    func runUntilIdle() {
        repeat {
            store.loop.runUntilIdle()
            loop.runUntilIdle()
        } while store.loop.readyCount > 0
    }

    /// Lets a quarter of a second pass.
    func advance() {
        store.loop.advance(by: .milliseconds(250))
        loop.advance(by: .milliseconds(250))
        runUntilIdle()
    }

    private func begin() {
        engine.store.catalogues.load(Samples.germany)
        engine.start()
        runUntilIdle()
    }

    private static func engine(
        _ queue: PaymentQueue, _ journal: RecordingJournal, _ store: SteppedStore,
        _ loop: ManualLoop
    ) -> PaymentEngine {
        // The identifiers of a later life must be others than those of the life before.
        let seed = UInt64(journal.durable.count) + 1
        return PaymentEngine(
            queue: queue, journal: journal, store: .remote(store.gateway(for: loop)), loop: loop,
            sources: Samples.sources(seed: seed), defaultCountry: Samples.germany,
            log: Samples.log, onFailure: { _ in })
    }
}

/// The stage, where the store tells it something.
///
/// Proof: see ``StageBox``.
private final class WeakStage: @unchecked Sendable {
    weak let value: EngineStage?

    init(_ value: EngineStage) {
        self.value = value
    }
}

public import PaymentCore

/// Calls a ``LocalStore`` in the turns of the engine. The records of the store, and the events that an
/// answer causes, go into the running batch. A purchase and its order therefore share one commit.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
final class LocalStoreGateway: StoreGateway, @unchecked Sendable {
    /// The maximum wait for the store's own work, so that a change of the real clock is noticed.
    private static let longestSleep = Duration.seconds(600)

    private let store: any LocalStore
    private let writer: QueueWriter
    private let deadlines: Deadlines
    private let meter = StoreMeter()
    private let onOrder: OrderListener?
    /// The time of the deadline that is set for the store's own work.
    private var wakesAt: Timestamp?
    /// Whether a piece of that work is scheduled.
    private var isRinging = false
    /// An upper bound of the bytes of one piece of that work.
    private static let ownWorkBytes: Int64 = 256 << 10
    /// The wait for room for that work.
    private static let roomDelay = Duration.seconds(1)

    init(
        _ store: any LocalStore, onOrder: OrderListener?, writer: QueueWriter, deadlines: Deadlines
    ) {
        self.store = store
        self.onOrder = onOrder
        self.writer = writer
        self.deadlines = deadlines
    }

    /// The name of the store.
    var name: String { store.name }

    /// Schedules the store's own work, including the events that became due while no process ran.
    func start() {
        look()
        setClock()
    }

    /// Calls the store after the work that is ready now. The store may answer within that call, and the
    /// sender must have finished its own work before.
    ///
    /// Orders, pages of lists and logins often form a sequence, in which each starts as soon as the
    /// previous one is done. They wait for the next poll of the sockets, so that no client waits for the
    /// whole sequence. Requests of these kinds keep their order among themselves, and so do the others.
    func send(_ request: StoreRequest) {
        switch request {
        case .submit, .complete, .purchases, .logIn:
            writer.loop.executeAfterInput { [self] in perform(request) }
        case .catalogue, .facts, .signedHistory, .keys:
            writer.loop.execute { [self] in perform(request) }
        }
    }

    /// Calls the store now. The answer comes before this returns, unless the store delays it.
    func perform(_ request: StoreRequest) {
        let began = writer.loop.now
        switch request {
        case .submit(let order, let answer):
            ask({ store, now in store.submit(order, at: now) }) { [self] result in
                note(order.transaction, writer.loop.now - began)
                answer(result)
            }
        case .complete(let order, let account, let answer):
            ask({ store, now in store.complete(order: order, account: account, at: now) }, answer)
        case .logIn(let account, let credential, let answer):
            ask(
                { store, now in store.logIn(account: account, credential: credential, at: now) },
                answer)
        case .catalogue(let country, let answer):
            ask({ store, now in store.catalogue(of: country, at: now) }, answer)
        case .facts(let account, let answer):
            ask({ store, now in store.facts(of: account, at: now) }, answer)
        case .purchases(let selection, let account, let page, let answer):
            ask(
                { store, now in store.purchases(selection, of: account, page: page, at: now) },
                answer)
        case .signedHistory(let account, let query, let answer):
            ask({ store, now in store.signedHistory(of: account, query, at: now) }) { [self] work in
                finish(work, answer)
            }
        case .keys(let answer):
            ask({ store, now in store.keys(at: now) }) { [self] work in finish(work, answer) }
        }
    }

    /// The catalogue of a country; nil while the store does not provide it.
    func knownCatalogue(of country: CountryCode) -> Catalogue? {
        store.knownCatalogue(of: country)
    }

    /// Facts about an account.
    func knownFacts(of account: AccountName) -> AccountFacts? { store.knownFacts(of: account) }

    /// Determines whether the store may make records that the queue did not request. It may not while the
    /// log cannot be written or room is short.
    func look() {
        let room = writer.journal.room
        store.isHeld =
            writer.isReadOnly || room.isShort || room.availableBytes < Self.ownWorkBytes
    }

    /// Records the effects of a call of the store in the running turn.
    func take(_ effects: LocalEffects, at time: Timestamp) {
        for record in effects.records { writer.record(record, time: time) }
        writer.pipeline.running.note(effects.changes)
        if !effects.changes.isEmpty { writer.scheduleTurnEnd() }
        setClock()
    }

    /// Performs the store's own work that is due. While room is short the work waits: its records are in
    /// no claim, and would take the room of accepted work.
    func clockIsDue() {
        guard writer.isRunning else { return }
        look()
        guard !store.isHeld else { return deadlines.set(.storeClock, after: Self.roomDelay) }
        wakesAt = nil
        let now = writer.time
        take(store.catchUp(at: now), at: now)
    }

    private func ask<Value: Sendable>(
        _ call: (any LocalStore, Timestamp) -> LocalStep<Value>,
        _ answer: @escaping StoreAnswer<Value>
    ) {
        guard writer.isRunning else {
            return answer(.failure(StoreFailure(.serviceUnavailable, "the queue has stopped")))
        }
        let now = writer.time
        // The store performs its due events before it answers, unless it is held.
        if writer.isReadOnly || (store.wakeAt.map { $0 <= now } ?? false) { look() }
        let step = call(store, now)
        take(step.effects, at: now)
        meter.end(step.latency)
        guard step.latency > .zero else { return answer(step.answer) }
        _ = writer.loop.schedule(after: step.latency) { [writer] in
            if writer.isRunning { answer(step.answer) }
        }
    }

    /// Reports the time that the store took to answer an order. It does so after the commit, because the
    /// receiver gets the record of the transaction only then.
    private func note(_ transaction: TransactionID, _ duration: Duration) {
        guard let onOrder else { return }
        writer.pipeline.running.afterCommit.append { onOrder(transaction, duration) }
        writer.scheduleTurnEnd()
    }

    /// Computes the rest of an answer on another thread.
    private func finish<Value: Sendable>(
        _ work: Result<any LocalWork<Value>, StoreFailure>, _ answer: @escaping StoreAnswer<Value>
    ) {
        switch work {
        case .failure(let failure): answer(.failure(failure))
        case .success(let work):
            // Unstructured, because the turn must not wait. The task ends with the work, which calls
            // nothing but the store's keys.
            Task { [loop = writer.loop] in
                let result: Result<Value, StoreFailure>
                do throws(StoreFailure) {
                    result = .success(try await work.run())
                } catch {
                    result = .failure(error)
                }
                loop.execute { answer(result) }
            }
        }
    }

    /// Schedules the store's own work after the next poll of the sockets.
    private func ring() {
        guard !isRinging else { return }
        isRinging = true
        writer.loop.executeAfterInput { [self] in
            isRinging = false
            clockIsDue()
        }
    }

    /// Sets the deadline to the time of the store's next own work. A follower does no such work.
    private func setClock() {
        guard !writer.isReadOnly, store.wakeAt != wakesAt else { return }
        wakesAt = store.wakeAt
        deadlines.cancel(.storeClock)
        guard let wakesAt else { return }
        let rest = wakesAt.milliseconds - writer.time.milliseconds
        // Years of renewals are many pieces of work, and the sockets are read between them.
        guard rest > 0 else { return ring() }
        deadlines.set(.storeClock, after: min(.milliseconds(rest), Self.longestSleep))
    }
}

/// Receives, on the loop, the time that the store took to answer an order. For a local store it is called
/// after the commit of the answer.
public typealias OrderListener = @Sendable (TransactionID, Duration) -> Void

/// The way to the store.
public enum StoreWay {
    /// The store is called through a gateway, and answers later.
    case remote(any StoreGateway)
    /// The store runs in the turns of the engine, and its records are in the engine's log.
    case local(any LocalStore, onOrder: OrderListener? = nil)
}

extension PaymentEngine: LocalStoreTurns {
    /// Runs a call of the local store in the running turn.
    public func run<Value: Sendable>(
        _ call: @escaping @Sendable (Timestamp) -> (Value, LocalEffects),
        whenCommitted done: @escaping @Sendable (Value?) -> Void
    ) {
        writer.loop.execute { [self] in
            guard writer.isRunning, let local = store.local else { return done(nil) }
            local.look()
            let now = writer.time
            let (value, effects) = call(now)
            local.take(effects, at: now)
            writer.pipeline.running.afterCommit.append { done(value) }
            writer.scheduleTurnEnd()
        }
    }
}

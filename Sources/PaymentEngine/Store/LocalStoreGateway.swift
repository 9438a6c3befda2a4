public import PaymentCore

/// Asks a ``LocalStore`` in the turns of the engine. The records of the store go into the running batch,
/// and so do the events that an answer brings. So a purchase and its order share one commit.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
final class LocalStoreGateway: StoreGateway, @unchecked Sendable {
    /// The longest wait for the store's own work. A real clock that was set is noticed after that.
    private static let longestSleep = Duration.seconds(600)

    private let store: any LocalStore
    private let writer: QueueWriter
    private let deadlines: Deadlines
    private let meter = StoreMeter()
    private let onOrder: OrderListener?
    /// The time of the deadline that is set for the store's own work.
    private var wakesAt: Timestamp?
    /// Whether a piece of that work is on its way.
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

    /// Has the store do what is due since the process before ended.
    func start() {
        look()
        setClock()
    }

    /// Asks the store behind the work that is ready now: the answer may come within that call, and the
    /// sender is still at work.
    ///
    /// Orders, pages of lists and logins follow one another, each as soon as the one before is done. They wait
    /// for the next poll of the sockets, so that no client waits for the last of them. Requests of these kinds
    /// keep their order among themselves, and so do the others.
    func send(_ request: StoreRequest) {
        switch request {
        case .submit, .complete, .purchases, .logIn:
            writer.loop.executeAfterInput { [self] in perform(request) }
        case .catalogue, .facts, .signedHistory, .keys:
            writer.loop.execute { [self] in perform(request) }
        }
    }

    /// Asks the store now. The answer comes before this returns, unless the store delays it.
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

    /// The catalogue of a country; nil while the store does not tell it.
    func knownCatalogue(of country: CountryCode) -> Catalogue? {
        store.knownCatalogue(of: country)
    }

    /// Facts about an account.
    func knownFacts(of account: AccountName) -> AccountFacts? { store.knownFacts(of: account) }

    /// Looks whether the store may make records that the queue did not ask for: nothing can be recorded in a log
    /// that another node owns, and there may be no room.
    func look() {
        let room = writer.journal.room
        store.isHeld =
            writer.isReadOnly || room.isShort || room.availableBytes < Self.ownWorkBytes
    }

    /// Takes what a call has done that did not come from the queue.
    func take(_ effects: LocalEffects, at time: Timestamp) {
        for record in effects.records { writer.record(record, time: time) }
        writer.pipeline.running.note(effects.changes)
        if !effects.changes.isEmpty { writer.scheduleTurnEnd() }
        setClock()
    }

    /// The store has something to do by itself. On a full disk it waits, because its records are in no claim
    /// and would take the room of accepted work.
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
        // The store does what is due before it answers.
        if writer.isReadOnly || (store.wakeAt.map { $0 <= now } ?? false) { look() }
        let step = call(store, now)
        take(step.effects, at: now)
        meter.end(step.latency)
        guard step.latency > .zero else { return answer(step.answer) }
        _ = writer.loop.schedule(after: step.latency) { [writer] in
            if writer.isRunning { answer(step.answer) }
        }
    }

    /// Reports how long the store took to answer an order, after the commit: the receiver knows the transaction
    /// from that.
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

    /// Has the store's own work done behind the input that is ready.
    private func ring() {
        guard !isRinging else { return }
        isRinging = true
        writer.loop.executeAfterInput { [self] in
            isRinging = false
            clockIsDue()
        }
    }

    /// Keeps the deadline at the time of the store's own work. A node that follows does none.
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

/// Receives, on the loop, how long the store took to answer an order; from a local store after the commit of the
/// answer.
public typealias OrderListener = @Sendable (TransactionID, Duration) -> Void

/// The way to the store.
public enum StoreWay {
    /// The store is asked through a gateway, and answers later.
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

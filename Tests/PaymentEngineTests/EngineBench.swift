import PaymentCore
import PaymentEngine
import PaymentTesting

/// An engine on the bench, with a loop, a journal and a store that do what they are told.
final class EngineBench {
    let loop = ManualLoop()
    let journal: RecordingJournal
    let gateway: ScriptedGateway
    let engine: PaymentEngine
    /// The log of the engine.
    let log = NotedLog()
    private let noted = Noted()

    /// Proof: a test makes it and uses it on its own thread.
    private final class Noted: @unchecked Sendable {
        var failures: [JournalFailure] = []
        var onFailure: () -> Void = {}
    }

    /// Starts an engine on what a journal holds.
    ///
    /// - Parameters:
    ///   - durable: The records of an earlier life.
    ///   - store: What the store holds.
    ///   - knowsCatalogues: Whether the engine is told what is sold before it starts.
    ///   - purchases: What becomes of questions for purchases.
    ///   - history: Takes what was closed in the earlier life; nil leaves it in memory.
    ///   - shop: A store in the turns of the engine, in place of the gateway.
    ///   - timeouts: The time limits of persons and of the store.
    ///   - isReadOnly: Whether the journal is only read.
    ///   - isFollowing: Whether the journal is only read because another owner appends.
    init(
        durable: [Record] = [], store: StoreModel = StoreModel(), knowsCatalogues: Bool = true,
        purchases: ScriptedGateway.PurchaseAnswers = .none, history: MemoryHistory? = nil,
        shop: LocalShop? = nil, timeouts: EngineTimeouts = EngineTimeouts(),
        isReadOnly: Bool = false, isFollowing: Bool = false
    ) {
        journal = RecordingJournal(durable: durable)
        journal.isReadOnly = isReadOnly || isFollowing
        journal.isFollowing = isFollowing
        gateway = ScriptedGateway(loop: loop, store: store)
        gateway.purchaseAnswers = purchases
        var queue = PaymentQueue()
        do {
            for record in durable { try queue.apply(record) }
            if let history { queue = try queue.archived(to: history) }
        } catch {
            preconditionFailure("the bench cannot replay: \(error)")
        }
        engine = PaymentEngine(
            queue: queue, journal: journal, history: history ?? MemoryHistory(),
            store: shop.map { StoreWay.local($0) } ?? .remote(gateway), loop: loop,
            sources: Samples.sources(seed: UInt64(durable.count)), defaultCountry: Samples.germany,
            log: log.logger, timeouts: timeouts,
            onFailure: { [noted] in
                noted.failures.append($0)
                noted.onFailure()
            })
        if knowsCatalogues {
            for country in [Samples.germany, Samples.france, Samples.norway] {
                engine.store.catalogues.use(Samples.catalogue(of: country))
            }
        }
        engine.start()
        run()
    }

    /// An engine whose store answers at once, with anna logged in and an observer that is not
    /// looked at.
    static func busy() -> EngineBench {
        let bench = EngineBench()
        bench.logIn()
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        return bench
    }

    /// What a journal failure was reported as, once per report.
    var failures: [JournalFailure] { noted.failures }

    /// Called for each reported failure.
    var onFailure: () -> Void {
        get { noted.onFailure }
        set { noted.onFailure = newValue }
    }

    /// A new life on what is durable, with the store as it is now.
    func restarted(history: MemoryHistory? = nil) -> EngineBench {
        loop.stop()
        return EngineBench(
            durable: journal.durable, store: gateway.store, purchases: gateway.purchaseAnswers,
            history: history)
    }

    func run() {
        loop.runUntilIdle()
    }

    @discardableResult
    func add(_ product: ProductIdentifier = Samples.coins, key: OpaqueText? = nil) -> AddReply {
        do throws(EngineRefusal) {
            let request = AddRequest(productIdentifier: product, key: key)
            return try engine.commands.add(request, origin: Samples.origin)
        } catch {
            preconditionFailure("the bench is refused: \(error)")
        }
    }

    /// Accepts many payments in one turn and ends it.
    @discardableResult
    func addMany(_ count: Int, _ product: ProductIdentifier = Samples.coins) -> [TransactionID] {
        let ids = (0..<count).map { _ in add(product).transaction.id }
        run()
        return ids
    }

    @discardableResult
    func finish(_ id: TransactionID) -> FinishDisposition? {
        try? engine.commands.finish(id, origin: Samples.origin).disposition
    }

    /// Logs an account in at a store that answers only this.
    func logIn(_ account: AccountName = Samples.anna) {
        let wasAnswering = gateway.isAnswering
        gateway.isAnswering = true
        engine.store.sessions.logIn(account: account, credential: nil, origin: Samples.origin) {
            _ in
        }
        while engine.queue.session?.account != account { _ = loop.runOne() }
        gateway.isAnswering = wasAnswering
        run()
    }

    func subscribe(
        _ target: RecordingTarget, _ request: SubscriptionRequest = SubscriptionRequest()
    ) -> Subscription {
        engine.subscriptions.subscribe(request, target: target)
    }

    func state(_ id: TransactionID) -> TransactionState? {
        engine.queue.transaction(id)?.state
    }
}

extension PaymentEngine {
    /// Subscribes to everything from now on.
    @discardableResult
    func start(observer target: RecordingTarget) -> Subscription {
        subscriptions.subscribe(SubscriptionRequest(), target: target)
    }
}

/// A reply that waits for its commit.
final class Replier: Barrier {
    private(set) var isReleased = false
    var onRelease: () -> Void = {}

    func turnIsCommitted() {
        isReleased = true
        onRelease()
    }
}

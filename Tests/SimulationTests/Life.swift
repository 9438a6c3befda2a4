import PaymentCore
import PaymentEngine
import PaymentTesting

/// One process of the daemon, from its start to its end.
///
/// Proof: the simulation runs on one thread.
final class Life: @unchecked Sendable {
    let number: Int
    let loop: ManualLoop
    let engine: PaymentEngine
    let journal: WatchedJournal
    /// The way to the store; nil if the store runs in the turns of the engine.
    let gateway: SimulatedGateway?
    var readers: [Reader] = []
    /// Calls that wait for an answer, with what takes them back.
    var calls: [(number: UInt64, ticket: WaitTicket?)] = []
    /// Whether the engine said that it cannot go on.
    private(set) var hasFailed = false
    private(set) var isOver = false
    /// What the next commit comes to.
    var nextFate = WatchedJournal.Fate.kept
    private let failure: Failure

    /// Proof: the simulation runs on one thread.
    private final class Failure: @unchecked Sendable {
        var report: () -> Void = {}
    }

    init(number: Int, opened: OpenedMedium, world: World, chance: SeededChance) {
        self.number = number
        let loop = ManualLoop(dice: SeededGenerator(seed: world.dice.next()))
        self.loop = loop
        journal = WatchedJournal(opened.journal)
        let way: StoreWay
        if world.settings.isEmbedded {
            gateway = nil
            way = .local(
                SimulatedLocalStore(
                    world.store, dice: SeededGenerator(seed: world.dice.next()),
                    onSubmit: { [unowned world] in world.checkSubmission($0, isSent: false) },
                    onComplete: { [unowned world] in world.checkLocalCompletion($0, $1) }))
        } else {
            let gateway = SimulatedGateway(
                world.store,
                onSubmit: { [unowned world] in world.checkSubmission($0, isSent: true) },
                onComplete: { [unowned world] in world.checkCompletion($0, $1) })
            self.gateway = gateway
            way = .remote(gateway)
        }
        let failure = Failure()
        self.failure = failure
        engine = PaymentEngine(
            queue: opened.queue, journal: journal, history: world.medium.history, store: way,
            loop: loop,
            sources: EngineSources(
                wallClock: { chance.tick() }, randomBits: { (chance.next(), chance.next()) }),
            defaultCountry: Samples.germany, log: Samples.log,
            timeouts: EngineTimeouts(
                login: .seconds(3), payment: .seconds(3), restore: .seconds(5)),
            onFailure: { _ in failure.report() })
        failure.report = { [unowned self] in hasFailed = true }
        world.store.connect(life: number) { [unowned loop] answer in
            loop.execute { [box = Unshared(answer)] in box.value() }
        }
        watch(world)
    }

    private func watch(_ world: World) {
        journal.onAppend = { [unowned world] in world.noteAppended($0) }
        journal.onDurable = { [unowned world] in world.noteDurable($0) }
        journal.beforeFailure = { [unowned world] in world.medium.armFailure(&world.dice) }
        journal.fate = { [unowned self, unowned world] in
            defer { nextFate = .kept }
            if world.settings.defect == .syncIsSkipped, world.dice.chance(20) { return .forgotten }
            return nextFate
        }
        if world.settings.lateness > 0 {
            journal.later = { [unowned self, unowned world] in
                commitLater($0, hops: 1 + world.lateness.below(world.settings.lateness))
            }
        }
        journal.hidesGaps = world.settings.defect == .gapIsSilent
        journal.distort = { [unowned world] in world.distorted($0) }
    }

    private func commitLater(_ commit: @escaping () -> Void, hops: Int) {
        loop.execute { [unowned self, commit = Unshared(commit)] in
            if hops > 1 { commitLater(commit.value, hops: hops - 1) } else { commit.value() }
        }
    }

    /// The process is gone: nothing of it happens any more.
    func end() {
        isOver = true
        loop.stop()
        // A subscription holds its reader as well: many thousand seeds run in one process.
        for reader in readers { reader.subscription = nil }
    }

    func open(_ request: SubscriptionRequest, world: World) {
        var known = request
        if let name = request.name {
            guard (try? engine.commands.admit(name, user: nil)) != nil else { return }
            known.after = request.after ?? world.model.observers[name]?.position
        }
        let reader = Reader(
            known, head: engine.queue.head, user: 1000 + UInt32(readers.count % 2))
        reader.sessionMark = world.sessionChanges
        reader.onDelivery = { [unowned self, unowned world] delivery, reader in
            guard !isOver else { return }
            world.check(delivery, reader)
            world.askTogether(delivery, reader)
        }
        reader.arrives = { [unowned world] in world.arrives($0) }
        reader.strays = { [unowned world] in world.stray() }
        var taken = request
        if world.settings.defect == .onlookersCount { taken.isPassive = false }
        if world.settings.defect == .agentsAreIgnored { taken.agents = [] }
        reader.subscription = engine.subscriptions.subscribe(taken, target: reader)
        engine.turn.join(HeldReply { reader.isAcknowledged = true })
        readers.append(reader)
    }

    func close(_ reader: Reader) {
        if let subscription = reader.subscription { engine.subscriptions.unsubscribe(subscription) }
        reader.subscription = nil
        readers.removeAll { $0 === reader }
    }
}

/// Carries a value into a closure that the compiler takes for one of another thread.
///
/// Proof: the simulation runs on one thread.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

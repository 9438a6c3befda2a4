import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentTesting

/// A daemon, its clients, its disk and its store, all in one thread, driven by a seed.
///
/// Proof: the simulation runs on one thread.
final class World: @unchecked Sendable {
    /// What the run is like.
    struct Settings {
        var steps = 1000
        /// How many turns of the loop a commit takes at most; 0 for commits that are done at once.
        var lateness = 0
        var defect: Defect?
        /// Whether the store runs in the turns of the engine, and what it does is in the log.
        var isEmbedded = false
        var limits: Limits = {
            var limits = Limits()
            limits.ordersInFlight = 4
            limits.unfinishedTransactions = 60
            limits.unfinishedRestores = 6
            limits.namedObservers = 4
            // The first user reaches the limits, and the others their shares.
            limits.exemptUser = 1000
            return limits
        }()
    }

    let settings: Settings
    var dice: SeededGenerator
    private(set) var medium: any Medium
    let store = SimulatedStore()
    /// What was found, a sentence each; the run ends with the first.
    private(set) var findings: [String] = []
    /// How often something went wrong, as planned.
    var faults = 0
    /// How many steps were taken.
    var stepCount = 0

    /// Everything that a commit has reported as durable.
    private(set) var log: [Record] = []
    /// The model of everything appended, durable or not.
    var model = Model()
    var life: Life?
    var lives = 0
    private let chance: SeededChance
    /// Decides how late commits are; dice of their own, so that a seed is the same run otherwise.
    var lateness: SeededGenerator

    /// Payments that a client was told are accepted.
    var acknowledged: Set<TransactionID> = []
    /// Finishes that a client was told of.
    var finishAcknowledged: Set<TransactionID> = []
    /// What a key was used for by the first call that was acknowledged.
    var keysAcknowledged: [OpaqueText: TransactionID] = [:]
    /// Where removals were told.
    var removalsTold: [TransactionID: SequenceNumber] = [:]
    /// Every id that any call or delivery named.
    var seenIDs: [TransactionID] = []
    /// How often the session has changed.
    var sessionChanges = 0
    /// Accounts whose sessions the store has ended since they logged in last.
    var mayEnd: Set<AccountName> = []
    /// Restores that a client was told are accepted.
    var restoresAcknowledged: Set<RestoreID> = []
    /// Where ends were told, of restores and of questions, and orders that were taken back.
    var endsTold: [RestoreID: SequenceNumber] = [:]
    var closingsTold: [QuestionID: SequenceNumber] = [:]
    var revocationsTold: [OrderID: SequenceNumber] = [:]
    /// Questions that were closed, in that order.
    var closedQuestions: [QuestionID] = []
    /// The agents that were asked last, and when.
    var asks: [QuestionID: Ask] = [:]
    /// The records of the answers that were yes.
    var agreements: [QuestionID: SequenceNumber] = [:]
    /// How far named observers were told that they have come.
    var namesAcknowledged: [OpaqueText: SequenceNumber] = [:]
    /// The policy that was acknowledged last, and those that were set since.
    var policies = [GatePolicy()]
    /// How many requests clients have made.
    var requests: UInt64 = 0
    /// The state that the last process left behind, if all of it was durable.
    private var lastQueue: PaymentQueue?
    /// Positions that clients have stored.
    var cursors: [SequenceNumber] = []

    init(seed: UInt64, settings: Settings = Settings(), medium: (any Medium)? = nil) {
        self.settings = settings
        dice = SeededGenerator(seed: seed)
        chance = SeededChance(seed: seed ^ 0xC0FFEE)
        lateness = SeededGenerator(seed: seed ^ 0x1A7E)
        let recording = RecordingMedium(limits: settings.limits, seed: seed ^ 0xD15C)
        self.medium = medium ?? recording
        if medium == nil, settings.defect == nil, seed.isMultiple(of: 2) {
            self.medium = DiskMedium(
                limits: settings.limits, seed: seed ^ 0xD15C,
                store: { [unowned self] in
                    guard settings.isEmbedded else { return NoStoreImage() }
                    return SandboxImage(state: store.state)
                },
                live: { [unowned self] in life?.engine })
        }
        store.isEmbedded = settings.isEmbedded
        store.defect = settings.defect
        store.forgetsRefusals = seed % 8 == 3
        if seed.isMultiple(of: 3) { store.pageSize = 3 }
        store.onFinding = { [unowned self] in find("the store: \($0)") }
        store.onCharge = { [unowned self] in checkCharge($0, $1) }
        recording.corrupt = { [unowned self] in corrupted($0) }
    }

    deinit {
        life?.end()
        store.disconnect()
    }

    func find(_ finding: @autoclosure () -> String) {
        if findings.isEmpty, !medium.isOff { findings.append(finding()) }
    }

    /// Runs the seed to its end, or to the first finding.
    func run() {
        begin()
        while stepCount < settings.steps, findings.isEmpty {
            stepCount += 1
            step()
            recoverIfDead()
            compareViews()
            if stepCount % 100 == 0 { compareQueue() }
        }
        if findings.isEmpty { settle() }
    }

    /// Starts a process on what the medium holds.
    func begin() {
        let opened: OpenedMedium
        do {
            opened = try medium.open()
        } catch {
            return find("the daemon does not start: \(error)")
        }
        if lives > 0 { checkRecovered(opened.replayed) }
        if settings.isEmbedded,
            let finding = store.recover(opened.store, durable: lastStoreDurable)
        {
            return find(finding)
        }
        guard findings.isEmpty else { return }
        let withClosed = medium.history.last == 0
        if let lastQueue, comparesRecovery,
            lastQueue.items(withClosed: withClosed) != opened.queue.items(withClosed: withClosed)
        {
            return find("a start comes to another state than the process had that ended")
        }
        lives += 1
        let life = Life(number: lives, opened: opened, world: self, chance: chance)
        self.life = life
        compareQueue()
        checkAcknowledged()
        life.engine.start()
    }

    /// Ends the process at once, as a kill does.
    func kill() {
        guard let life else { return }
        lastQueue = life.journal.pending.isEmpty ? life.engine.queue : nil
        life.end()
        self.life = nil
        medium.processDied(&dice)
        let pending = life.journal.pending
        lastPending = pending
        lastStoreDurable = life.journal.storeDurable
        for reader in life.readers where reader.isAcknowledged {
            cursors.append(reader.checker.last)
        }
    }

    /// How many events of the embedded store the process that died last had made durable.
    private var lastStoreDurable = 0
    /// What the process that died last had not made durable.
    var lastPending: [Record] = []

    /// Brings the daemon back when it died in a turn.
    func recoverIfDead() {
        guard let life, life.hasFailed || medium.isOff, findings.isEmpty else { return }
        faults += 1
        kill()
        // What is on its way may arrive while nobody is there to hear the answer.
        for _ in 0..<dice.below(4) { store.deliverOne(&dice, isFaulty: true) }
        begin()
    }

    func noteDurable(_ records: [Record]) {
        log += records
    }

    func noteSurvivors(_ records: [Record]) {
        log += records
        rebuildModel()
    }

    func rebuildModel() {
        model = Model()
        for record in log {
            if let finding = model.take(record) { return find("replay: \(finding)") }
        }
    }

    /// Planted damage to what a restart finds.
    private func corrupted(_ records: [Record]) -> [Record] {
        switch settings.defect {
        case .lastRecordIsLost: return Array(records.dropLast())
        case .keysAreLost:
            return records.map { record in
                guard case .transaction(.added, let transaction) = record.event else {
                    return record
                }
                var copy = record
                copy.event = .transaction(.added(key: nil), transaction)
                return copy
            }
        default:
            return records.filter { !isLost($0.event) }
        }
    }

    private func isLost(_ event: Event) -> Bool {
        switch (settings.defect, event) {
        case (.removalsAreLost, .transaction(.removed, _)), (.endsAreLost, .restoreEnded),
            (.revocationsAreLost, .entitlementsRevoked), (.answersAreLost, .questionClosed),
            (.policyIsLost, .policyChanged), (.namesAreLost, .acknowledged):
            true
        default: false
        }
    }

    /// Whether the checks compare what was recovered with what was durable. Not while a defect is
    /// planted: then the behaviour has to give it away.
    var comparesRecovery: Bool { settings.defect == nil }

    func replaceLog(_ records: [Record]) {
        log = records
        rebuildModel()
    }
}

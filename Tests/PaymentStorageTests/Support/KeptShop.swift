import PaymentCore
import PaymentStorage
import PaymentTesting

/// A journal with its queue, whose transactions are added, withdrawn and moved to files.
struct KeptShop {
    enum Status { case open, closed, unknown }

    let rig: StorageRig
    let journal: LocalLog
    private(set) var queue: PaymentQueue
    private(set) var history: Archives
    /// The states of all transactions after each committed record.
    private(set) var states: [SequenceNumber: [UInt64: Status]] = [:]
    private var latest: [UInt64: Status] = [:]
    /// Whether the queue has a record whose commit failed.
    private(set) var isBehind = false

    static var policy: JournalPolicy {
        var policy = StorageRig.smallPolicy
        policy.archives.mergeBelowBytes = 2048
        policy.archives.fileBytes = 4096
        policy.archives.indexes = 2
        return policy
    }

    /// The same, with little of the log kept, so that archive files alone have what is closed.
    static var trimmingPolicy: JournalPolicy {
        var policy = policy
        policy.segmentBytes = 2048
        policy.firstPrefilledBytes = 1024
        policy.retention = RetentionPolicy(keepBytes: 2048, keepSeconds: 1 << 30)
        return policy
    }

    static func id(_ number: UInt64) -> TransactionID { Samples.transactionID(number) }

    init(_ rig: StorageRig) throws {
        self.rig = rig
        let replay = QueueReplay(limits: Limits())
        let (journal, _) = try LocalLog.open(
            in: rig.stateDirectory(), settings: rig.settings, replay)
        self.journal = journal
        queue = replay.takeQueue(head: journal.head)
        history = journal.openedHistory
        if history.needsIndex { history = try journal.archiveBuilder.index(history) }
        guard queue.head == 0 else { return }
        let session = Session(account: "demo", country: Samples.country("DE"))
        try record([
            .started(incarnation: 1), .productRecorded(Samples.coins),
            .sessionChanged(from: nil, to: session),
        ])
    }

    /// Adds, withdraws and moves: three checkpoints, the second with work behind it.
    mutating func work() throws {
        for number in UInt64(1)...5 { try add(number) }
        for number in UInt64(1)...4 { try withdraw(number) }
        try checkpoint()
        for number in UInt64(6)...9 { try add(number) }
        for number in UInt64(6)...7 { try withdraw(number) }
        try checkpoint()
        try withdraw(8)
        for number in UInt64(10)...12 { try add(number) }
        try withdraw(11)
        try checkpoint()
        try withdraw(12)
    }

    mutating func add(_ number: UInt64, of user: UInt32? = nil) throws {
        latest[number] = .open
        let origin = user.map { Origin(uid: $0, client: nil, connection: 1, request: 1) }
        try record(
            [
                .transaction(
                    .added(key: OpaqueText("key \(number)")),
                    Samples.transaction(number, .waiting, revision: 1))
            ], origin)
    }

    mutating func withdraw(_ number: UInt64) throws {
        latest[number] = .closed
        try record([
            .transaction(
                .removed(.withdrawn), Samples.transaction(number, .waiting, revision: 2))
        ])
    }

    /// Buys and finishes.
    mutating func buy(_ number: UInt64) throws {
        try add(number)
        var bought = Samples.transaction(number, .purchased, revision: 2)
        bought.order = Samples.orderID(number)
        var completing = bought
        completing.state = .completing
        completing.revision = 3
        var finished = bought
        finished.revision = 4
        latest[number] = .closed
        try record([
            .transaction(.purchased, bought), .transaction(.completing, completing),
            .transaction(.removed(.finished), finished),
        ])
    }

    /// Forgets everything that was closed so far.
    mutating func forget() throws {
        for (number, status) in latest where status == .closed { latest[number] = nil }
        try record([.forgotten(before: Samples.time.advanced(bySeconds: 1))])
    }

    /// Buys, withdraws, moves and forgets, so that there are several archive files, a ledger, and work
    /// behind the last of two checkpoints.
    mutating func workLong() throws {
        for number in UInt64(1)...6 { try buy(number) }
        try add(7)
        try withdraw(7)
        try checkpoint()
        try forget()
        for number in UInt64(8)...14 { try buy(number) }
        try checkpoint()
        for number in UInt64(15)...19 { try buy(number) }
        try add(20)
        try checkpoint()
        for number in UInt64(21)...23 { try buy(number) }
        try withdraw(20)
        try add(24)
    }

    mutating func checkpoint() throws {
        guard let ticket = try journal.log.beginSnapshot() else { return }
        let checkpoint = try LocalLog.writeCheckpoint(
            ticket, of: queue, after: history, by: journal.archiveBuilder)
        history = checkpoint.history
        queue.removeClosed(checkpoint.moved)
        try journal.log.snapshotWasWritten(checkpoint.receipt)?.perform()
        try LocalLog.removeOldArchives(history, by: journal.archiveBuilder)
    }

    func status(of number: UInt64) throws -> Status {
        let keys: [ClosedKey] = [.key(OpaqueText("key \(number)")), .transaction(Self.id(number))]
        let facts = try queue.closedFacts(keys, in: history)
        if queue.finish(of: Self.id(number)) == nil, queue.transaction(Self.id(number)) != nil {
            return .open
        }
        guard facts[keys[0]]?.transaction?.id == Self.id(number),
            facts[keys[1]]?.transaction?.id == Self.id(number)
        else { return .unknown }
        return .closed
    }

    private mutating func record(_ events: [Event], _ origin: Origin? = nil) throws {
        isBehind = true
        for event in events {
            let sequence = journal.append(event, time: Samples.time, origin: origin)
            try queue.apply(
                Record(sequence: sequence, time: Samples.time, origin: origin, event: event))
        }
        try journal.log.commit()
        isBehind = false
        states[queue.head] = latest
    }
}

extension SnapshotItem {
    /// As version 2 of the format kept it.
    var asVersionTwo: SnapshotItem {
        switch self {
        case .counters(let incarnation, _): .counters(incarnation: incarnation)
        case .finished(let transaction, let key, let finish, _):
            .finished(transaction, key: key, finish)
        default: self
        }
    }
}

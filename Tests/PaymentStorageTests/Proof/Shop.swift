import PaymentCore
import PaymentStorage
import PaymentTesting

/// One life of a process: a start, and everything that it writes into its state directory.
///
/// The failure of a commit ends the life, as it ends the daemon. All other failures are kept, and the life
/// goes on.
struct Shop {
    /// A piece of work.
    enum Step: Hashable {
        /// A batch of new payments.
        case add(Int)
        /// The next state of so many open transactions: an order, the answer of the store, a finish.
        case advance(Int)
        /// The withdrawal of the newest payment that has no order.
        case withdraw
        /// A mark behind the last batch.
        case idle
        /// Closed things to files, what is open to a snapshot, and the removal of what is not needed.
        case checkpoint
        /// Retention of everything that was closed until now.
        case forget
        /// A backup.
        case backup
        /// Old records from the log.
        case read
        /// The end of the process with a clean stop.
        case close
    }

    private static let session = Session(account: "demo", country: Samples.country("DE"))

    let journal: LocalLog
    /// What the start found.
    let report: RecoveryReport
    private let world: MemoryDiskWorld
    private(set) var queue: PaymentQueue
    private(set) var history: Archives
    /// The failures that did not end the life.
    private(set) var failures: [any Error] = []

    static let policy: JournalPolicy = {
        var policy = StorageRig.smallPolicy
        policy.segmentBytes = 4096
        policy.firstPrefilledBytes = 2048
        policy.retention = RetentionPolicy(keepBytes: 4096, keepSeconds: 1 << 30)
        policy.archives.mergeBelowBytes = 2048
        policy.archives.fileBytes = 4096
        policy.archives.indexes = 2
        return policy
    }()

    /// Starts on a disk. The files that are needed for lookups are made as well.
    init(on world: MemoryDiskWorld) throws {
        let rig = StorageRig(world: world, policy: Self.policy)
        let replay = QueueReplay(limits: Limits())
        let (journal, report) = try LocalLog.open(
            in: rig.stateDirectory(), settings: rig.settings, replay)
        self.journal = journal
        self.report = report
        self.world = world
        queue = replay.takeQueue(head: journal.head)
        history = journal.openedHistory
        if history.needsIndex { history = try journal.archiveBuilder.index(history) }
    }

    /// Records that the process has started, and in a new store what it needs.
    mutating func begin(_ ledger: inout ShopLedger) throws {
        append(.started(incarnation: queue.incarnation + 1), &ledger)
        if queue.session == nil {
            append(.productRecorded(Samples.coins), &ledger)
            append(.sessionChanged(from: nil, to: Self.session), &ledger)
        }
        try commit(&ledger)
    }

    /// Does a piece of work.
    ///
    /// - Throws: The log can be written no more.
    mutating func run(_ step: Step, _ ledger: inout ShopLedger) throws {
        switch step {
        case .add(let count):
            for _ in 0..<count { add(ledger.nextNumber(), &ledger) }
            try commit(&ledger)
        case .advance(let count):
            for transaction in open.prefix(count) { advance(transaction, &ledger) }
            try commit(&ledger)
        case .withdraw:
            guard let last = open.last, last.state == .waiting else { return }
            close(last, .withdrawn, &ledger)
            try commit(&ledger)
        case .idle: try journal.markIdle()
        case .checkpoint: try checkpoint()
        case .forget: try forget(&ledger)
        case .backup: try backUp(&ledger)
        case .read:
            keep(
                Self.failure {
                    _ = try journal.records(after: journal.oldest - 1, count: 1000)
                })
        case .close: try journal.close()
        }
    }

    /// Fails if the log takes a record although a commit has failed.
    func writesAfterFailure() -> Bool {
        _ = journal.append(.started(incarnation: 1 << 40), time: Samples.time, origin: nil)
        return (try? journal.commit()) != nil
    }

    // MARK: Records

    /// The time of closing grows with the records, so that retention has an order.
    private func time(_ sequence: SequenceNumber) -> Timestamp {
        Samples.time.advanced(bySeconds: Int64(sequence))
    }

    @discardableResult
    private mutating func append(
        _ event: Event, _ ledger: inout ShopLedger, _ status: ShopLedger.Status? = nil,
        of number: UInt64 = 0
    ) -> SequenceNumber {
        let time = time(journal.log.nextSequence)
        let event = event.timed(time)
        let sequence = journal.append(event, time: time, origin: nil)
        do {
            try queue.apply(
                Record(sequence: sequence, time: time, origin: nil, event: event))
        } catch {
            preconditionFailure("the work has an impossible step: \(error)")
        }
        ledger.note(sequence, status, of: number)
        return sequence
    }

    private func commit(_ ledger: inout ShopLedger) throws {
        ledger.promise(after: world.operationCount)
        try journal.commit()
        ledger.acknowledge(after: world.operationCount)
    }

    private mutating func add(_ number: UInt64, _ ledger: inout ShopLedger) {
        append(
            .transaction(
                .added(key: Self.key(number)),
                Samples.transaction(number, time: time(journal.log.nextSequence))),
            &ledger, .open(.waiting, revision: 1), of: number)
    }

    private mutating func advance(_ last: Transaction, _ ledger: inout ShopLedger) {
        var next = last
        next.revision += 1
        let change: TransactionChange
        switch last.state {
        case .waiting: (change, next.state) = (.submitted(key: Self.key(last.number)), .submitted)
        case .submitted:
            (change, next.state) = (.purchased, .purchased)
            next.order = Samples.orderID(last.number)
        case .purchased: (change, next.state) = (.completing, .completing)
        default: return close(last, .finished, &ledger)
        }
        append(
            .transaction(change, next), &ledger, .open(next.state, revision: next.revision),
            of: last.number)
    }

    private mutating func close(
        _ last: Transaction, _ reason: RemovalReason, _ ledger: inout ShopLedger
    ) {
        var next = last
        next.revision += 1
        if last.state == .completing { next.state = .purchased }
        append(
            .transaction(.removed(reason), next), &ledger,
            .closed(hasOrder: next.order != nil), of: last.number)
    }

    // MARK: Maintenance

    private mutating func checkpoint() throws {
        guard let ticket = try journal.log.beginSnapshot() else { return }
        let failure = Self.failure {
            let checkpoint = try LocalLog.writeCheckpoint(
                ticket, of: queue, after: history, by: journal.archiveBuilder)
            history = checkpoint.history
            queue.removeClosed(checkpoint.moved)
            try journal.log.snapshotWasWritten(checkpoint.receipt)?.perform()
            try LocalLog.removeOldArchives(history, by: journal.archiveBuilder)
        }
        keep(failure)
    }

    private mutating func forget(_ ledger: inout ShopLedger) throws {
        let last = queue.head
        let sequence = append(.forgotten(before: time(last)), &ledger)
        ledger.noteForgotten(before: last, by: sequence)
        try commit(&ledger)
    }

    private mutating func backUp(_ ledger: inout ShopLedger) throws {
        let ticket = try journal.log.beginBackup()
        defer { journal.log.endBackup() }
        let failure = Self.failure {
            let report = try BackupWriter.write(ticket, at: Samples.time)
            ledger.noteBackup(report.path, after: world.operationCount)
        }
        keep(failure)
    }

    private mutating func keep(_ failure: (any Error)?) {
        if let failure { failures.append(failure) }
    }

    private static func failure(of work: () throws -> Void) -> (any Error)? {
        do { try work() } catch { return error }
        return nil
    }
}

extension Shop {
    static func key(_ number: UInt64) -> OpaqueText { OpaqueText("key-\(number)") }

    /// The open transactions in the order of acceptance.
    var open: [Transaction] {
        var result: [Transaction] = []
        queue.forEachUnfinished { transaction, _, _ in
            result.append(transaction)
            return true
        }
        return result
    }

    /// The place of a transaction, by everything that finds it.
    func status(of number: UInt64) throws -> ShopLedger.Status {
        let id = Samples.transactionID(number)
        let keys: [ClosedKey] = [
            .transaction(id), .key(Self.key(number)), .order(Samples.orderID(number)),
        ]
        let facts = try queue.closedFacts(keys, in: history)
        let isKeyUsed = queue.isKnown(Self.key(number), facts)
        if queue.finish(of: id) == nil, let transaction = queue.transaction(id) {
            return isKeyUsed ? .open(transaction.state, revision: transaction.revision) : .unknown
        }
        let order = facts[keys[2]]
        guard isKeyUsed else { return order == nil ? .unknown : .forgotten }
        guard let closed = facts[keys[0]]?.transaction, closed.id == id,
            facts[keys[1]]?.transaction?.id == id,
            (order?.transaction?.id == id) == (closed.order != nil)
        else { return .unknown }
        return .closed(hasOrder: closed.order != nil)
    }

    /// The numbers of all closed transactions that can be listed, sorted; one that is there twice is twice
    /// in the list.
    func closedNumbers() throws -> [UInt64] {
        var numbers: [UInt64] = []
        var position: SequenceNumber? = 0
        while let start = position {
            let page = try history.page(of: Self.session.account, after: start, limit: 16)
            numbers += queue.visible(page).entries.map(\.transaction.number)
            position = page.next
        }
        queue.snapshotItems { item in
            if case .finished(let transaction, _, _, _) = item {
                numbers.append(transaction.number)
            }
        }
        return numbers.sorted()
    }
}

extension Event {
    /// The event of a transaction at the time of its record, which is all that the log keeps of it.
    fileprivate func timed(_ time: Timestamp) -> Event {
        guard case .transaction(let change, var transaction) = self else { return self }
        transaction.updatedAt = time
        return .transaction(change, transaction)
    }
}

extension Transaction {
    /// The number that `Samples.transactionID` made the identifier of.
    fileprivate var number: UInt64 { id.value.low & 0xFFFF_FFFF }
}

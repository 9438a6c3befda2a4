import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// A queue on a small disk that other programs fill and empty as they like.
@Suite("A full disk", .ownThreads)
struct FullDiskTests {
    @Test(
        "never keeps accepted work from its end, nor a start, whatever others write",
        arguments: 1...60 as ClosedRange<UInt64>)
    func finishes(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var shop = try SmallShop(freeBytes: 150_000 + dice.below(400_000))
        for _ in 0..<300 { try shop.step(&dice) }
        let accepted = shop.accepted
        #expect(accepted > 3)

        shop.fillDisk()
        try shop.kill()
        while try shop.advance(&dice) { if dice.chance(3) { try shop.kill() } }
        try shop.kill()

        #expect(shop.queue.unfinishedCount == 0)
        for number in 1...accepted { #expect(try shop.isClosed(number), "\(number)") }
        shop.giveBack(1 << 20)
        for _ in 0..<3 { try shop.look() }
        #expect(try shop.add())
    }

    @Test(
        "that holds finished work alone makes room by itself",
        arguments: 1...20 as ClosedRange<UInt64>)
    func frees(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var shop = try SmallShop(freeBytes: 600_000)
        for _ in 1...4 {
            while try shop.add() {}
            while try shop.advance(&dice) {}
            for _ in 0..<4 { try shop.look() }
            #expect(try shop.add())
        }
        #expect(shop.accepted > 100)
    }

    @Test(
        "and a limit of file sizes refuse new work, and keep no accepted work from its end",
        arguments: 1...20 as ClosedRange<UInt64>)
    func limitedFiles(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var shop = try SmallShop(freeBytes: 4 << 20)
        for _ in 0..<150 + dice.below(100) { try shop.step(&dice) }
        // Nothing can be written beyond the limit, so the limit is above the end of the last segment.
        while shop.usedOfSegment > 6000 {
            if try !shop.add(), try !shop.advance(&dice) { break }
        }
        #expect(shop.usedOfSegment <= 6000)
        shop.setLongestFile(8192 + dice.below(8000))
        #expect(try !shop.add())
        for _ in 0..<3 { try shop.look() }
        #expect(try !shop.add())
        try shop.kill()
        while try shop.advance(&dice) { if dice.chance(3) { try shop.kill() } }
        #expect(shop.queue.unfinishedCount == 0)
        for number in 1...shop.accepted { #expect(try shop.isClosed(number), "\(number)") }
        shop.setLongestFile(.max)
        #expect(try shop.add())
    }

    @Test("takes no more from an add than a look at the numbers")
    func constantCost() throws {
        var shop = try SmallShop(freeBytes: 1 << 30)
        var calls: [Int] = []
        for _ in 0..<3 {
            let before = shop.callCount
            for _ in 0..<200 { #expect(try shop.add()) }
            calls.append(shop.callCount - before)
        }
        #expect(calls[2] <= calls[0] + 50)
    }
}

/// A queue whose transactions are advanced step by step, and the disk below it.
private struct SmallShop {
    private var rig: StorageRig
    private var journal: LocalLog
    private(set) var queue: PaymentQueue
    private var history: Archives
    /// The transactions that are not removed yet.
    private var open: [UInt64] = []
    private(set) var accepted: UInt64 = 0
    private var clock: Int64 = 0

    private static var policy: JournalPolicy {
        var policy = JournalPolicy(
            segmentBytes: 16 << 10, firstPrefilledBytes: 4096, reserveBytes: 4096,
            marginBytes: 16 << 10, indexEveryLines: 8, indexEveryBytes: 2048)
        policy.archives.mergeBelowBytes = 2048
        policy.archives.fileBytes = 16 << 10
        policy.archives.indexes = 4
        return policy
    }

    init(freeBytes: Int) throws {
        rig = StorageRig(world: MemoryDiskWorld(freeBytes: freeBytes), policy: Self.policy)
        (journal, queue, history) = try Self.open(rig)
        let session = Session(account: "demo", country: Samples.country("DE"))
        try record([
            .started(incarnation: 1), .productRecorded(Samples.coins),
            .sessionChanged(from: nil, to: session),
        ])
    }

    private static func open(_ rig: StorageRig) throws -> (LocalLog, PaymentQueue, Archives) {
        let replay = QueueReplay(limits: Limits())
        let (journal, _) = try LocalLog.open(
            in: rig.stateDirectory(), settings: rig.settings, replay)
        let queue = replay.takeQueue(head: journal.head)
        _ = journal.hasRoom(for: 0, beside: queue.spaceClaims)
        return (journal, queue, journal.openedHistory)
    }

    var callCount: Int { rig.world.callCount }

    mutating func step(_ dice: inout SeededGenerator) throws {
        switch dice.below(100) {
        case 0..<50: _ = try add()
        case 50..<70: _ = try advance(&dice)
        case 70..<85: try look()
        case 85..<92: take(freeBytes * dice.below(101) / 100)
        case 92..<96: giveBack(dice.below(60_000))
        default: try kill()
        }
    }

    private var freeBytes: Int {
        Int((try? MemoryDisk(world: rig.world).space().freeBytes) ?? 0)
    }

    /// Other programs write.
    private func take(_ bytes: Int) { rig.world.setFreeBytes(max(0, freeBytes - bytes)) }

    /// Other programs remove files.
    func giveBack(_ bytes: Int) { rig.world.setFreeBytes(freeBytes + bytes) }

    /// Other programs write to the last byte.
    func fillDisk() { rig.world.setFreeBytes(0) }

    /// The end of the lines in the last segment.
    var usedOfSegment: Int {
        let last = rig.world.files.filter { $0.key.hasPrefix("journal-") }.max { $0.key < $1.key }
        return last.map { file in
            file.value.lastIndex { $0 != UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
        } ?? 0
    }

    func setLongestFile(_ bytes: Int) { rig.world.setLongestFile(bytes) }

    /// The process dies and the next one starts.
    mutating func kill() throws {
        rig.world = rig.world.afterKill()
        rig.disk = MemoryDisk(world: rig.world)
        (journal, queue, history) = try Self.open(rig)
    }

    /// Accepts a payment if there is room for it.
    mutating func add() throws -> Bool {
        let number = accepted + 1
        let event = Samples.added(number)
        let needed = queue.spaceNeeded(by: [event], origin: nil)
        guard journal.hasRoom(for: needed, beside: queue.spaceClaims) else { return false }
        try record([event])
        accepted = number
        open.append(number)
        return true
    }

    /// Takes the next step of a transaction; false if there is none.
    mutating func advance(_ dice: inout SeededGenerator) throws -> Bool {
        guard !open.isEmpty else { return false }
        let index = dice.below(open.count)
        let number = open[index]
        guard var transaction = queue.transaction(Samples.transactionID(number)) else {
            throw PayloadLoss(number: number)
        }
        transaction.revision += 1
        let change: TransactionChange
        switch transaction.state {
        case .waiting:
            change = .submitted(key: OpaqueText("key-\(number)"))
            transaction.state = .submitted
            transaction.attempt += 1
        case .submitted:
            change = .purchased
            transaction.state = .purchased
            transaction.order = Samples.orderID(number)
            transaction.originalOrder = Samples.orderID(number)
            transaction.charge = Charge(price: Samples.coins.product.price)
        case .purchased:
            change = .completing
            transaction.state = .completing
        default:
            change = .removed(.finished)
            transaction.state = .purchased
            open.remove(at: index)
        }
        try record([.transaction(change, transaction)])
        return true
    }

    /// What the daemon does every second.
    mutating func look() throws {
        clock += 1000
        journal.log.checkSpace(monotonicMilliseconds: clock, beside: queue.spaceClaims)
        guard journal.log.isSnapshotDue else {
            try journal.log.trim()?.perform()
            return
        }
        guard let ticket = try journal.log.beginSnapshot() else { return }
        do {
            let checkpoint = try LocalLog.writeCheckpoint(
                ticket, of: queue, after: history, by: journal.archiveBuilder)
            history = checkpoint.history
            queue.removeClosed(checkpoint.moved)
            try journal.log.snapshotWasWritten(checkpoint.receipt)?.perform()
            try LocalLog.removeOldArchives(history, by: journal.archiveBuilder)
        } catch let failure as SnapshotFailure {
            // Others were faster; it is tried again.
            #expect(failure.isOutOfSpace, "\(failure)")
        }
    }

    func isClosed(_ number: UInt64) throws -> Bool {
        let key = ClosedKey.key(OpaqueText("key-\(number)"))
        let facts = try queue.closedFacts([key], in: history)
        return facts[key]?.transaction?.id == Samples.transactionID(number)
    }

    private mutating func record(_ events: [Event]) throws {
        for event in events {
            let sequence = journal.append(event, time: Samples.time, origin: nil)
            try queue.apply(
                Record(sequence: sequence, time: Samples.time, origin: nil, event: event))
        }
        try journal.commit()
    }
}

/// A transaction that was accepted is gone.
private struct PayloadLoss: Error {
    var number: UInt64
}

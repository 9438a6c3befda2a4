import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// What records take on the disk, compared with what was claimed for them.
@Suite("Claims of space", .ownThreads)
struct ClaimTests {
    @Test("No record takes more room than was asked for, whatever the life", arguments: 0..<60)
    func records(index: Int) throws {
        let world = World(seed: UInt64(2 * index + 1))
        world.run()
        let measure = try LineMeasure()
        var queue = PaymentQueue(limits: world.settings.limits)
        var ordinary = 0
        for record in try world.medium.open().replayed {
            let before = queue.spaceClaims.total
            let needed = queue.spaceNeeded(by: [record.event], origin: record.origin)
            let line = try measure.bytes(of: record)
            let isOrdinary = Self.isOrdinary(record, queue)
            try queue.apply(record)
            let growth = queue.spaceClaims.total - before
            #expect(line + growth <= needed, "\(record)")
            guard isOrdinary else { continue }
            ordinary += 1
            #expect(needed == 0, "\(line) bytes, \(growth) of claims: \(record)")
        }
        #expect(ordinary > 20)
    }

    @Test("Claims depend on the state alone: a snapshot has the same", arguments: 0..<20)
    func snapshots(index: Int) throws {
        let world = World(seed: UInt64(2 * index + 1))
        world.run()
        var queue = PaymentQueue(limits: world.settings.limits)
        for record in try world.medium.open().replayed { try queue.apply(record) }
        var loaded = PaymentQueue(limits: world.settings.limits)
        try queue.snapshotItems { try loaded.load($0) }
        loaded.didLoad(upTo: queue.head)
        #expect(loaded.spaceClaims == queue.spaceClaims)
        #expect(queue.spaceClaims.total > 0)
    }

    /// Whether a record is a step of accepted work that must never be refused.
    private static func isOrdinary(_ record: Record, _ queue: PaymentQueue) -> Bool {
        guard case .transaction(let change, let transaction) = record.event,
            (record.origin?.client?.byteCount ?? 0) + (record.origin?.trace?.byteCount ?? 0) <= 64
        else { return false }
        switch change {
        case .submitted, .completing, .removed: return true
        case .purchased: return transaction.charge?.offer != .alreadyOwned
        case .failed:
            guard case .failed(let failure) = transaction.state else { return false }
            return (failure.reason?.utf8.count ?? 0) <= 64
        case .added, .gated, .refreshed, .deferred, .appeared, .restored, .redelivered, .revoked:
            return false
        }
    }
}

/// Measures the lines of records in a real journal.
private final class LineMeasure {
    private let journal: LocalLog

    init() throws {
        let directory = try StateDirectory(
            disk: MemoryDisk(), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
        let policy = JournalPolicy(prefillsSegments: false, reserveBytes: 0)
        journal = try LocalLog.open(
            in: directory, settings: LogSettings(policy: policy, build: "payqueued test"),
            SeenReplay()
        ).journal
    }

    func bytes(of record: Record) throws -> Int {
        let before = journal.log.bytesKept
        _ = journal.append(record.event, time: record.time, origin: record.origin)
        if case .failed(let failure)? = journal.submit({ _ in }) { throw failure }
        return journal.log.bytesKept - before
    }
}

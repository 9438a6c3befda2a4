import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Prints what a start with open transactions costs on a real disk: `LOAD_ITEMS=1000000` sets how many.
/// One half of them is in a snapshot, the other half in the journal behind it.
@Suite("Figures of loading")
struct LoadFigures {
    private static let count = ProcessInfo.processInfo.environment["LOAD_ITEMS"].flatMap(Int.init)
    private let settings = LogSettings(
        policy: JournalPolicy(), environment: .system, build: "payqueued figures")

    @Test(
        "print the time to load open transactions, line by line and quickly",
        .enabled(if: count != nil, "LOAD_ITEMS is not set"))
    func figures() throws {
        let count = try #require(Self.count)
        let url = FileManager.default.temporaryDirectory
            .appending(path: "load-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try write(count, url.path)
        for round in 1...3 {
            for quickly in [false, true] {
                let replay = QueueReplay(limits: Limits())
                let directory = try directory(url.path)
                let time = try ContinuousClock().measure {
                    _ = try LocalLog.read(
                        in: directory, settings: settings, replay, quickly: quickly)
                }
                let queue = replay.takeQueue(head: 0)
                #expect(queue.unfinishedCount == count)
                print("round \(round), \(quickly ? "quickly" : "line by line"): \(time)")
            }
        }
    }

    private func directory(_ path: String) throws -> StateDirectory {
        try StateDirectory(
            path: path, identity: .current(program: "payqueued figures"), started: Samples.time)
    }

    private func write(_ count: Int, _ path: String) throws {
        let replay = QueueReplay(limits: Limits())
        let (journal, _) = try LocalLog.open(
            in: directory(path), settings: settings, replay)
        var queue = replay.takeQueue(head: journal.head)
        func add(_ event: Event, _ origin: Origin? = nil) throws {
            let sequence = journal.append(event, time: Samples.time, origin: origin)
            try queue.apply(
                Record(sequence: sequence, time: Samples.time, origin: origin, event: event))
        }
        try add(.productRecorded(Samples.coins))
        try add(
            .sessionChanged(from: nil, to: Session(account: "demo", country: Samples.country("DE")))
        )
        var random = SeededGenerator(seed: 1)
        for number in 0..<count {
            if number == count / 2 {
                try journal.commit()
                let ticket = try #require(try journal.log.beginSnapshot())
                let receipt = try LocalLog.writeSnapshot(ticket) { queue.snapshotItems($0) }
                try journal.log.snapshotWasWritten(receipt)?.perform()
            }
            var transaction = Samples.transaction(0)
            let id = TransactionID(
                UniqueID(randomHigh: random.next(), randomLow: random.next()))
            transaction = Transaction(
                id: id, account: transaction.account, payment: transaction.payment,
                state: .waiting, country: transaction.country, reason: .purchase, revision: 1,
                createdAt: Samples.time, updatedAt: Samples.time)
            let origin = Origin(uid: 1000, client: "shop", connection: 12, request: UInt64(number))
            transaction.origin = origin
            let key = OpaqueText("benchmark-purchase-number-\(1_000_000_000 + number)")
            try add(.transaction(.added(key: key), transaction), origin)
            if number % 256 == 0 { try journal.commit() }
        }
        try journal.commit()
        try journal.close()
    }
}

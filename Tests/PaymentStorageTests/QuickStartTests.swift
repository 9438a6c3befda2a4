import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A quick start")
struct QuickStartTests {
    private let account = Session(account: "demo", country: Samples.country("DE"))

    /// A store with many transactions that wait, and some that do not, in a snapshot and behind it.
    private func store(_ extra: (LocalLog) -> Void = { _ in }) throws -> StorageRig {
        let rig = StorageRig(policy: JournalPolicy(reserveBytes: 0))
        let journal = try rig.open().journal
        append(journal, .productRecorded(Samples.coins))
        append(journal, .sessionChanged(from: nil, to: account))
        for number in 1...1_500 { append(journal, number) }
        try journal.commit()
        let replay = QueueReplay(limits: Limits())
        _ = try LocalLog.read(
            in: StorageRig(world: rig.world.afterKill(), policy: rig.policy).stateDirectory(),
            settings: rig.settings, replay)
        let queue = replay.takeQueue(head: journal.head)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { queue.snapshotItems($0) }
        try journal.log.snapshotWasWritten(receipt)?.perform()
        for number in 1_501...3_000 {
            append(journal, number)
            if number % 500 == 0 {
                var transaction = Samples.transaction(UInt64(number), .submitted, revision: 2)
                transaction.attempt = 1
                append(journal, .transaction(.submitted(key: nil), transaction))
            }
        }
        extra(journal)
        try journal.commit()
        return StorageRig(world: rig.world.afterKill(), policy: rig.policy)
    }

    @discardableResult
    private func append(_ journal: LocalLog, _ event: Event) -> SequenceNumber {
        journal.append(event, time: Samples.time, origin: nil)
    }

    private func append(_ journal: LocalLog, _ number: Int) {
        var transaction = Samples.transaction(UInt64(number))
        if number % 7 == 0 { transaction.payment.appAccountToken = OpaqueText("token \(number)") }
        if number % 11 == 0 { transaction.country = Samples.country("US") }
        let origin =
            number % 3 == 0
            ? nil
            : Origin(
                uid: UInt32(number % 5), client: number % 2 == 0 ? "shop" : nil, connection: 1,
                request: UInt64(number))
        let key: OpaqueText? = number % 13 == 0 ? nil : OpaqueText(key(number))
        _ = journal.append(
            .transaction(.added(key: key), transaction),
            time: Samples.time.advanced(bySeconds: Int64(number)), origin: origin)
    }

    private func key(_ number: Int) -> String {
        switch number % 4 {
        case 0: Samples.transactionID(UInt64(number)).description
        case 1: "clé \(number)"
        default: "key \(number)"
        }
    }

    private func read(
        _ rig: StorageRig, quickly: Bool
    ) throws -> (queue: PaymentQueue, report: RecoveryReport) {
        let replay = QueueReplay(limits: Limits())
        let reading = try LocalLog.read(
            in: rig.stateDirectory(), settings: rig.settings, replay, quickly: quickly)
        let (journal, report) = try reading.open()
        return (replay.takeQueue(head: journal.head), report)
    }

    private func items(_ queue: PaymentQueue) -> [SnapshotItem] {
        var items: [SnapshotItem] = []
        queue.snapshotItems { items.append($0) }
        return items
    }

    @Test("builds the same queue as reading line by line")
    func sameQueue() throws {
        let rig = try store()
        let world = rig.world.afterKill()
        let slow = try read(rig, quickly: false)
        let quick = try read(StorageRig(world: world, policy: rig.policy), quickly: true)

        #expect(items(quick.queue) == items(slow.queue))
        #expect(quick.queue.unfinishedCount == 3_000)
        #expect(quick.queue.visibleCounts == slow.queue.visibleCounts)
        #expect(quick.queue.waitingCounts == slow.queue.waitingCounts)
        #expect(quick.queue.head == slow.queue.head)
        #expect(quick.queue.spaceClaims == slow.queue.spaceClaims)
        #expect(quick.report.events == slow.report.events)
        #expect(quick.report.lines == slow.report.lines)
    }

    @Test(
        "passes the lines of the embedded store on among the transactions",
        arguments: [true, false])
    func storeLines(isQuick: Bool) throws {
        let rig = try store { journal in
            for number in 3_001...3_300 {
                append(journal, number)
                guard number % 90 == 0 else { continue }
                journal.append(StoreRecord(Note(text: "\(number)")), time: Samples.time)
            }
        }
        let notes = NoteReplay()
        let replay = QueueReplay(limits: Limits(), store: notes)
        let reading = try LocalLog.read(
            in: rig.stateDirectory(), settings: rig.settings, replay, quickly: isQuick)
        let head = try reading.open().journal.head
        #expect(notes.texts == ["3060", "3150", "3240"])
        #expect(replay.takeQueue(head: head).unfinishedCount == 3_300)
    }

    @Test("is in doubt about a changed item of a snapshot, which reading line by line passes over")
    func changedItem() throws {
        let rig = try store()
        let (name, bytes) = try snapshot(of: rig)
        var changed = bytes
        let key = try #require(bytes.firstRange(of: Array("key 2\"".utf8)))
        changed[key.upperBound - 2] = UInt8(ascii: "4")
        #expect(throws: StorageError.self) {
            try read(try rig.replacing(name, with: changed), quickly: true)
        }
        let again = try read(try rig.replacing(name, with: changed), quickly: false)
        #expect(again.report.damagedSnapshots == [name])
        #expect(again.queue.unfinishedCount == 3_000)
    }

    @Test("is in doubt about a snapshot whose last line counts fewer lines")
    func changedCount() throws {
        let rig = try store()
        let (name, bytes) = try snapshot(of: rig)
        let count = try #require(bytes.firstRange(of: Array("{\"lines\":".utf8))).upperBound
        let end = try #require(bytes[count...].firstIndex(of: UInt8(ascii: ",")))
        for place in [count, end - 1] where bytes[place] > UInt8(ascii: "1") {
            var changed = bytes
            changed[place] -= 1
            #expect(throws: StorageError.self) {
                try read(try rig.replacing(name, with: changed), quickly: true)
            }
        }
    }

    @Test(
        "passes over a snapshot without its first or its last line", arguments: [true, false])
    func changedEnds(isQuick: Bool) throws {
        let rig = try store()
        let (name, bytes) = try snapshot(of: rig)
        let lastLine = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        let firstLine = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        let changes = [
            Array(bytes[...lastLine]), Array(bytes.dropLast()), Array(bytes[(firstLine + 1)...]),
            bytes + Array("{}\n".utf8), [],
        ]
        for changed in changes {
            let found = try read(try rig.replacing(name, with: changed), quickly: isQuick)
            #expect(found.report.damagedSnapshots == [name])
            #expect(found.queue.unfinishedCount == 3_000)
        }
    }

    @Test("compares the sum of a snapshot, which reading line by line compares too")
    func changedSum() throws {
        let rig = try store()
        let (name, bytes) = try snapshot(of: rig)
        let digit = try #require(bytes.firstRange(of: Array("\"sum\":\"".utf8))).upperBound
        var changed = bytes
        changed[digit] = bytes[digit] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        #expect(throws: StorageError.self) {
            try read(try rig.replacing(name, with: changed), quickly: true)
        }
        let again = try read(try rig.replacing(name, with: changed), quickly: false)
        #expect(again.report.damagedSnapshots == [name])
        changed[digit] = UInt8(ascii: "x")
        let without = try read(try rig.replacing(name, with: changed), quickly: true)
        #expect(without.report.damagedSnapshots == [name])
    }

    @Test(
        "verifies the digest of a snapshot of an earlier version, which has no sum",
        arguments: [true, false])
    func snapshotWithoutSum(isIntact: Bool) throws {
        let rig = try store()
        let (name, bytes) = try snapshot(of: rig)
        let sum = try #require(bytes.firstRange(of: Array(",\"sum\":".utf8)))
        var old = Array(bytes[..<sum.lowerBound]) + Array("}\n".utf8)
        if !isIntact {
            let key = try #require(old.firstRange(of: Array("key 2\"".utf8)))
            old[key.upperBound - 2] = UInt8(ascii: "4")
        }
        let found = try read(try rig.replacing(name, with: old), quickly: true)
        #expect(found.report.damagedSnapshots == (isIntact ? [] : [name]))
        #expect(found.report.snapshot == (isIntact ? name : nil))
        #expect(found.queue.unfinishedCount == 3_000)
    }

    private func snapshot(of rig: StorageRig) throws -> (name: String, bytes: [UInt8]) {
        try #require(
            rig.world.files.first { $0.key.hasPrefix("snapshot-") }.map { ($0.key, $0.value) })
    }

    @Test("finds each transaction by its key and identifier afterwards")
    func indexes() throws {
        var queue = try read(try store(), quickly: true).queue
        for number in [1, 2, 750, 1_500, 1_501, 2_999] {
            let known = Samples.transaction(UInt64(number))
            #expect(queue.transaction(known.id)?.id == known.id)
            var copy = queue
            #expect(throws: IllegalRecord.self) {
                try copy.apply(
                    Record(
                        sequence: copy.head + 1, time: Samples.time, origin: nil,
                        event: .transaction(
                            .added(key: OpaqueText(key(number))), Samples.transaction(9_999))))
            }
        }
        try queue.apply(
            Record(
                sequence: queue.head + 1, time: Samples.time, origin: nil,
                event: .transaction(.added(key: "unused"), Samples.transaction(9_999))))
    }

    @Test(
        "is in doubt about a second transaction with an id or a key, which reading line by line names"
    )
    func doubt() throws {
        let contradictions: [Event] = [
            .transaction(.added(key: "other"), Samples.transaction(1)),
            .transaction(.added(key: "other"), Samples.transaction(1_700)),
            .transaction(.added(key: "key 2"), Samples.transaction(9_999)),
            .transaction(.added(key: "key 1702"), Samples.transaction(9_999)),
            .transaction(.added(key: "other"), Samples.transaction(9_999, revision: 2)),
        ]
        for contradiction in contradictions {
            var place: SequenceNumber = 0
            let rig = try store { journal in
                place = append(journal, contradiction)
                for number in 3_001...3_200 { append(journal, number) }
            }
            let world = rig.world.afterKill()
            #expect(throws: StorageError.self) { try read(rig, quickly: true) }
            let again = StorageRig(world: world, policy: rig.policy)
            do {
                _ = try read(again, quickly: false)
                Issue.record("read in spite of \(contradiction)")
            } catch StorageError.refused(let refusal) {
                #expect(refusal.reason == .inconsistentRecord)
                #expect(refusal.firstInDoubt == place)
            }
        }
    }
}

extension StorageRig {
    /// A rig of the same files after a kill, with another content of one of them.
    fileprivate func replacing(_ name: String, with bytes: [UInt8]) throws -> StorageRig {
        var files = world.afterKill().files
        files[name] = bytes
        return StorageRig(world: try MemoryDiskWorld(files: files), policy: policy)
    }
}

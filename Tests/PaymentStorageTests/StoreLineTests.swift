import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Lines of the embedded store in the log of a queue.
@Suite("Lines of the store")
struct StoreLineTests {
    private func open(
        _ rig: StorageRig
    ) throws -> (journal: LocalLog, seen: SeenReplay, store: NoteReplay) {
        let store = NoteReplay()
        let seen = SeenReplay(store: store)
        let (journal, _) = try LocalLog.open(
            in: rig.stateDirectory(), settings: rig.settings, seen)
        return (journal, seen, store)
    }

    private func note(_ number: UInt64) -> StoreRecord { StoreRecord(Note(text: "\(number)")) }

    @Test("share the batch and the sync of the events beside them")
    func oneSync() throws {
        let rig = StorageRig()
        let (journal, _, _) = try open(rig)
        let before = rig.world.calls(.syncData)
        journal.append(note(1), time: Samples.time)
        let event = journal.append(.countryAssumed(nil), time: Samples.time, origin: nil)
        journal.append(note(2), time: Samples.time)
        #expect(journal.submit { _ in } == .committed)
        #expect(rig.world.calls(.syncData) == before + 1)
        #expect(event == 3)
        #expect(journal.head == event)
        let text = String(
            decoding: try #require(rig.world.files["journal-00000000000000000001.ndjson"]),
            as: UTF8.self)
        #expect(text.contains(#""s":2,"b":2,"t":"store.note","at":"#))
        #expect(text.contains(#""d":{"text":"1"}}"#))
        #expect(text.contains(#""s":4,"b":2,"t":"store.note","#))
    }

    @Test("are holes for readers of events")
    func holes() throws {
        let (journal, _, _) = try open(StorageRig())
        var events: [SequenceNumber] = []
        for number in 1...40 as ClosedRange<UInt64> {
            for _ in 0..<number % 4 { journal.append(note(number), time: Samples.time) }
            events.append(journal.append(.countryAssumed(nil), time: Samples.time, origin: nil))
            _ = journal.submit { _ in }
        }
        journal.append(note(99), time: Samples.time)
        _ = journal.submit { _ in }
        for count in [1, 7, 100] {
            var read: [SequenceNumber] = []
            while true {
                let page = try journal.records(after: read.last ?? 0, count: count)
                guard !page.isEmpty else { break }
                read += page.map(\.sequence)
            }
            #expect(read == events)
        }
        #expect(try journal.records(after: journal.head, count: 1).isEmpty)
    }

    @Test("are passed by the piece, so that no page reads more than 256 KiB of them")
    func longRun() throws {
        let (journal, _, _) = try open(StorageRig())
        let text = String(repeating: "x", count: 1000)
        func event() -> SequenceNumber {
            journal.append(.countryAssumed(nil), time: Samples.time, origin: nil)
        }
        let first = event()
        for _ in 0..<100 {
            for _ in 0..<10 { journal.append(StoreRecord(Note(text: text)), time: Samples.time) }
            _ = journal.submit { _ in }
        }
        let last = event()
        _ = journal.submit { _ in }
        var (position, pages) = (first, 0)
        while true {
            let page = try journal.page(after: position, count: 10)
            #expect(page.position > position)
            position = page.position
            pages += 1
            guard page.records.isEmpty else {
                #expect(page.records.map(\.sequence) == [last])
                break
            }
        }
        // The run has about 1.1 MB.
        #expect((4...7).contains(pages))
        #expect(try journal.page(after: last, count: 10).position == last)
    }

    @Test("are replayed in order among the events, behind the items of the snapshot")
    func replay() throws {
        let rig = StorageRig()
        let (journal, _, _) = try open(rig)
        journal.append(note(1), time: Samples.time)
        _ = journal.append(.countryAssumed(nil), time: Samples.time, origin: nil)
        _ = journal.submit { _ in }
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket, store: NoteImage(count: 2)) {
            $0(.counters(incarnation: 1))
        }
        _ = try journal.log.snapshotWasWritten(receipt)
        #expect(receipt.items == 3)
        journal.append(note(7), time: Samples.time)
        journal.append(note(8), time: Samples.time)
        _ = journal.submit { _ in }
        let head = journal.head
        try journal.close()

        let next = StorageRig(world: rig.world.afterKill())
        let (again, seen, store) = try open(next)
        #expect(again.head == head)
        #expect(seen.items == [.counters(incarnation: 1)])
        #expect(seen.records.isEmpty)
        #expect(store.items == ["0", "1"])
        #expect(store.texts == ["7", "8"])
        #expect(seen.loadedUpTo == head)
    }

    @Test("refuse a start that expects no store")
    func unexpected() throws {
        let rig = StorageRig()
        let (journal, _, _) = try open(rig)
        journal.append(note(1), time: Samples.time)
        _ = journal.submit { _ in }
        let refusal = try StorageRig(world: rig.world.afterKill()).refusal()
        #expect(refusal?.reason == .inconsistentRecord)
        #expect(refusal?.detail.contains("there is none") == true)
    }

    @Test("at the end are cut when torn, and are damage when a mark follows")
    func torn() throws {
        let rig = StorageRig()
        let (journal, _, _) = try open(rig)
        _ = journal.append(.countryAssumed(nil), time: Samples.time, origin: nil)
        _ = journal.submit { _ in }
        journal.append(note(1), time: Samples.time)
        _ = journal.submit { _ in }
        let name = "journal-00000000000000000001.ndjson"
        var bytes = try #require(rig.world.files[name])
        let place = try #require(
            bytes.indices.first { bytes[$0...].starts(with: Array(#""text":"1""#.utf8)) })
        bytes[place + 8] = UInt8(ascii: "2")

        let torn = StorageRig(world: rig.world.afterKill())
        torn.world.put(name, bytes)
        #expect(try open(torn).store.texts == [])

        try journal.markIdle()
        var marked = try #require(rig.world.files[name])
        marked[place + 8] = UInt8(ascii: "2")
        let damaged = StorageRig(world: rig.world.afterKill())
        damaged.world.put(name, marked)
        #expect(try damaged.refusal()?.reason == .badChecksum)
    }

    @Test("do not shorten the range that retention keeps, also after a start")
    func retention() throws {
        let policy = JournalPolicy(
            segmentBytes: 8192, firstPrefilledBytes: 2048, reserveBytes: 0, indexEveryLines: 8,
            indexEveryBytes: 2048,
            retention: RetentionPolicy(keepBytes: 12_000, keepSeconds: 1 << 30))
        var rig = StorageRig(policy: policy)
        func write(_ journal: LocalLog, _ numbers: ClosedRange<UInt64>) throws {
            for number in numbers {
                for _ in 0..<3 { journal.append(note(number), time: Samples.time) }
                try journal.commitNumbers(number...number)
                guard number.isMultiple(of: 20) else { continue }
                let ticket = try #require(try journal.log.beginSnapshot())
                let receipt = try LocalLog.writeSnapshot(ticket, store: NoteImage(count: 0)) {
                    $0(.counters(incarnation: number))
                }
                try journal.log.snapshotWasWritten(receipt)?.perform()
            }
        }
        var (journal, _, _) = try open(rig)
        try write(journal, 1...40)
        #expect(journal.log.bytesKept > 12_000)
        #expect(journal.oldest == 1)
        try journal.close()
        rig = StorageRig(world: rig.world.afterKill(), policy: policy)
        (journal, _, _) = try open(rig)
        try write(journal, 41...60)
        #expect(journal.oldest == 1)
        try write(journal, 61...400)
        #expect(journal.oldest > 1)
        let kept = try journal.records(after: journal.oldest - 1, count: 1000)
        #expect(kept.count > 50)
    }
}

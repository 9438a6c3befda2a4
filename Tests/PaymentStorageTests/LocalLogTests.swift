import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON
import Testing

@Suite("The journal of the queue")
struct LocalLogTests {
    @Test("gives no page beyond a line of an unknown type, unless the line is optional")
    func unknownTypes() throws {
        let journal = try StorageRig().open().journal
        func append(isOptional: Bool) throws {
            _ = journal.log.append(
                "hint", time: Samples.time, origin: nil, isOptional: isOptional
            ) { $0.raw("{}") }
            try journal.commit()
        }
        try journal.commitNumbers(1...2)
        try append(isOptional: true)
        try journal.commitNumbers(3...3)
        let page = try journal.page(after: 0, count: 9)
        #expect(page.records.numbers == [1, 2, 3])
        try append(isOptional: false)
        #expect(throws: JournalFailure.self) {
            try journal.page(after: page.position, count: 9)
        }
    }

    @Test("asks the disk whether it answers, also without new records")
    func probe() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        #expect(journal.probe { _ in } == .committed)
        rig.world.inject(MemoryDiskFault(.syncData, isLasting: true, .fail(errno: 5)))
        guard case .failed(let failure) = journal.probe({ _ in }) else {
            Issue.record("a disk that does not sync is no failure")
            return
        }
        #expect(failure.errno == 5)
    }

    @Test("of records of one type gives back the snapshot and the records behind it")
    func recordJournal() throws {
        let rig = StorageRig()
        func open(
            _ rig: StorageRig
        ) throws -> (journal: RecordJournal<Note>, loaded: [Note?], replayed: [Note]) {
            var (loaded, replayed): ([Note?], [Note]) = ([], [])
            let (journal, _) = try RecordJournal<Note>.open(
                in: rig.stateDirectory(), settings: rig.settings,
                load: { loaded.append(Note(typeWord: $0, payload: $1)) },
                replay: { note, _, _ in replayed.append(note) })
            return (journal, loaded, replayed)
        }
        let first = try open(rig).journal
        _ = first.append(Note(text: "old"), time: Samples.time)
        let ticket = try #require(try first.log.beginSnapshot())
        let receipt = try ticket.write(
            check: { _ in },
            items: { sink in sink.item("note") { Note(text: "kept").encodePayload(into: &$0) } })
        try first.log.snapshotWasWritten(receipt)?.perform()
        _ = first.append(Note(text: "new"), time: Samples.time)
        try first.commit()
        let again = try open(StorageRig(world: rig.world.afterKill()))
        #expect(again.loaded == [Note(text: "kept")])
        #expect(again.replayed == [Note(text: "new")])
    }
}

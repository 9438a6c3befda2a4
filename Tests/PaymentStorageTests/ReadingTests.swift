import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("Reading records back")
struct ReadingTests {
    /// Reads all pages after a position.
    private func numbers(
        _ journal: LocalLog, after position: SequenceNumber, page: Int
    ) throws -> [UInt64] {
        var position = position
        var numbers: [UInt64] = []
        while true {
            let records = try journal.records(after: position, count: page)
            guard let last = records.last else { return numbers }
            #expect(records.count <= page)
            numbers += records.numbers
            position = last.sequence
        }
    }

    @Test("page by page gives every record once, in order", arguments: [1, 7, 256])
    func pages(page: Int) throws {
        let journal = try StorageRig().open().journal
        for first in stride(from: 1, to: 1000, by: 9) as StrideTo<UInt64> {
            try journal.commitNumbers(first...first + 8)
        }
        #expect(try numbers(journal, after: 0, page: page) == Array(1...999))
    }

    @Test("begins right behind any position")
    func positions() throws {
        let journal = try StorageRig().open().journal
        for number in 1...150 as ClosedRange<UInt64> {
            try journal.commitNumbers(number...number)
            if number.isMultiple(of: 10) { try journal.markIdle() }
        }
        let all = try journal.records(after: 0, count: 1000)
        #expect(all.count == 150)
        for position in 0...journal.head {
            let expected = all.filter { $0.sequence > position }.prefix(3)
            #expect(try journal.records(after: position, count: 3) == Array(expected))
        }
    }

    @Test("gives durable records only")
    func durableOnly() throws {
        let journal = try StorageRig().open().journal
        try journal.commitNumbers(1...2)
        _ = journal.append(.started(incarnation: 3), time: Samples.time, origin: nil)
        #expect(try numbers(journal, after: 0, page: 10) == [1, 2])
        try journal.commit()
        #expect(try numbers(journal, after: 0, page: 10) == [1, 2, 3])
    }

    @Test("goes on while the journal grows and changes segments")
    func growing() throws {
        let journal = try StorageRig().open().journal
        var seen: [UInt64] = []
        var position: SequenceNumber = 0
        for number in 1...400 as ClosedRange<UInt64> {
            try journal.commitNumbers(number...number)
            guard number.isMultiple(of: 3) else { continue }
            let records = try journal.records(after: position, count: 2)
            seen += records.numbers
            position = records.last?.sequence ?? position
        }
        seen += try numbers(journal, after: position, page: 50)
        #expect(seen == Array(1...400))
    }

    @Test("works after a restart, also for what a snapshot stands for")
    func afterRestart() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...100 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        let ticket = try #require(try journal.log.beginSnapshot())
        _ = try LocalLog.writeSnapshot(ticket) { $0(.counters(incarnation: 100)) }
        try journal.commitNumbers(101...120)
        let next = try StorageRig(world: rig.world.afterKill()).open()
        #expect(next.records.numbers == Array(101...120))
        #expect(try numbers(next.journal, after: 0, page: 33) == Array(1...120))
    }

    @Test("says what is wrong when a kept file was damaged")
    func damage() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...250 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        let name = try #require(rig.world.files.keys.filter { $0.hasPrefix("journal-") }.min())
        var bytes = try #require(rig.world.files[name])
        bytes[1000] ^= 1
        rig.world.put(name, bytes)
        let failure = try #require(throws: JournalFailure.self) {
            try journal.records(after: 0, count: 100)
        }
        #expect(failure.description.contains(name))
        try journal.commitNumbers(251...251)
    }
}

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

    /// Damage to a kept segment.
    enum Damage: CaseIterable {
        case bit, sector, end, missing, lineGone
    }

    @Test("goes on behind damage to a kept file and names it", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...250 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        let all = try journal.records(after: 0, count: 300).map(\.sequence)
        let segments = rig.world.files.keys.filter { $0.hasPrefix("journal-") }.sorted()
        let name = segments[1]
        var bytes = try #require(rig.world.files[name])
        switch damage {
        case .bit: bytes[1000] ^= 1
        case .sector: bytes.replaceSubrange(1024..<1536, with: [UInt8](repeating: 0, count: 512))
        case .end: bytes.removeLast(bytes.count / 2)
        case .missing: break
        case .lineGone:
            let start = try #require(bytes[1000...].firstIndex(of: 10)) + 1
            let end = try #require(bytes[start...].firstIndex(of: 10))
            bytes.removeSubrange(start...end)
        }
        rig.world.put(name, bytes)
        if damage == .missing { rig.world.drop(name) }
        for _ in 1...2 {
            let (seen, gaps) = try read(journal, after: 0, page: 7)
            let lost = all.filter { !seen.contains($0) }
            #expect(seen == all.filter { !lost.contains($0) })
            #expect(gaps.count == 1 && lost.allSatisfy { gaps[0].contains($0) })
            #expect(lost.count == (damage == .bit ? 1 : lost.count) && !lost.isEmpty)
            #expect(seen.contains { $0 > gaps[0].upperBound })
            let found = try #require(journal.log.damage.first)
            #expect(journal.log.damage.count == 1 && found.file == name)
            #expect(found.first == gaps[0].lowerBound && found.last == gaps[0].upperBound)
        }
        // A reader may stand anywhere.
        for position in all {
            let (seen, gaps) = try read(journal, after: position, page: 300)
            #expect(gaps.allSatisfy { $0.lowerBound > position })
            #expect(
                seen
                    == all.filter { number in
                        number > position && !gaps.contains { $0.contains(number) }
                            && !journal.log.damage.contains { damage in
                                damage.first.map { $0 <= number } == true
                                    && damage.last.map { $0 >= number } == true
                            }
                    })
        }
        try journal.commitNumbers(251...251)
        #expect(try journal.records(after: all[249], count: 9).numbers == [251])
    }

    /// Reads all pages after a position, and goes on behind what cannot be read.
    private func read(
        _ journal: LocalLog, after position: SequenceNumber, page: Int
    ) throws -> (seen: [SequenceNumber], gaps: [ClosedRange<SequenceNumber>]) {
        var position = position
        var seen: [SequenceNumber] = []
        var gaps: [ClosedRange<SequenceNumber>] = []
        while true {
            let (records, gap) = try readPage(journal, after: position, page)
            seen += records
            if let gap { gaps.append(gap) }
            guard let last = gap?.upperBound ?? records.last else { return (seen, gaps) }
            position = last
        }
    }

    private func readPage(
        _ journal: LocalLog, after position: SequenceNumber, _ count: Int
    ) throws -> ([SequenceNumber], gap: ClosedRange<SequenceNumber>?) {
        do throws(JournalFailure) {
            return (try journal.records(after: position, count: count).map(\.sequence), nil)
        } catch {
            guard let gap = error.unreadable else { throw error }
            return ([], gap)
        }
    }
}

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

    @Test("goes on behind the seal of a segment, also if something else follows that")
    func behindTheSeal() throws {
        let (rig, journal) = try longJournal()
        let all = try journal.records(after: 0, count: 300).map(\.sequence)
        let name = rig.world.segments[1]
        rig.world.put(name, try #require(rig.world.files[name]) + Array("x".utf8))
        let (seen, gaps) = try read(journal, after: 0, page: 7)
        #expect(seen == all && gaps.isEmpty && journal.log.damage.isEmpty)
        let report = JournalVerifier.verify(MemoryDisk(world: rig.world), isDeep: true)
        #expect(!report.findings.isEmpty)
    }

    /// Damage to a kept segment.
    enum Damage: CaseIterable {
        case bit, sector, end, wholeLines, missing, lineGone
    }

    @Test("goes on behind damage to a kept file and names it", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        let (rig, journal) = try longJournal()
        let all = try journal.records(after: 0, count: 300).map(\.sequence)
        let name = rig.world.segments[1]
        var bytes = try #require(rig.world.files[name])
        switch damage {
        case .bit: bytes[1000] ^= 1
        case .sector: bytes.replaceSubrange(1024..<1536, with: [UInt8](repeating: 0, count: 512))
        case .end: bytes.removeLast(bytes.count / 2)
        case .wholeLines:
            let end = try #require(bytes[..<(bytes.count / 2)].lastIndex(of: 10)) + 1
            bytes.removeSubrange(end...)
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

    @Test("lists damage in the order in which readers came to it first")
    func order() throws {
        let (rig, journal) = try longJournal()
        let names = Array(rig.world.segments[1...2])
        for name in names {
            var bytes = try #require(rig.world.files[name])
            bytes[1000] ^= 1
            rig.world.put(name, bytes)
        }
        let gaps = try read(journal, after: 0, page: 300).gaps
        #expect(gaps.count == 2 && journal.log.damage.map(\.file) == names)
        let (records, gap) = try readPage(journal, after: gaps[0].lowerBound - 1, 5)
        #expect(records == [] && gap == gaps[0])
        #expect(journal.log.damage.map(\.file) == names)
    }

    @Test(
        "fails, and takes nothing for lost, where another attempt may succeed",
        arguments: [(.open, 24, true), (.open, 5, false), (.read, 5, false)]
            as [(MemoryDiskFault.Call, Int32, Bool)])
    func anotherAttempt(call: MemoryDiskFault.Call, errno: Int32, isLasting: Bool) throws {
        let (rig, journal) = try longJournal()
        let name = rig.world.segments[1]
        let first = try #require(SequenceNumber(name.filter(\.isNumber)))
        rig.world.inject(
            MemoryDiskFault(call, isLasting: isLasting, namePrefix: name, .fail(errno: errno)))
        let failure = try #require(throws: JournalFailure.self) {
            try journal.page(after: first, count: 3)
        }
        #expect(failure.unreadable == nil && journal.log.damage.isEmpty)
        rig.world.removeFaults()
        #expect(try journal.page(after: first, count: 3).records.count == 3)
    }

    @Test("fails with the cause where the file that lines are added to cannot be read")
    func activeFile() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        rig.world.inject(MemoryDiskFault(.read, namePrefix: "journal-", .fail(errno: 5)))
        let failure = try #require(throws: JournalFailure.self) {
            try journal.page(after: 0, count: 9)
        }
        #expect(failure.errno == 5 && journal.log.damage.isEmpty)
        #expect(try journal.page(after: 0, count: 9).records.numbers == [1, 2, 3])
    }

    @Test("gives nothing behind the newest record, and sends no reader back")
    func beyondTheEnd() throws {
        let journal = try StorageRig().open().journal
        try journal.commitNumbers(1...3)
        for position in journal.head...journal.head + 5 {
            let page = try journal.page(after: position, count: 3)
            #expect(page.records == [] && page.position == position)
        }
    }

    /// A journal of several segments.
    private func longJournal() throws -> (rig: StorageRig, journal: LocalLog) {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...250 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        return (rig, journal)
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

import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("What a repair takes for a part of the store")
struct SalvageTests {
    private func store(_ events: UInt64 = 120) throws -> MemoryDiskWorld {
        try .unmarked(events: events)
    }

    /// The survey of a damaged store, and the events in the new one.
    private func repaired(
        _ world: MemoryDiskWorld
    ) throws -> (survey: JournalRepair.Survey, records: [Record]) {
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 7))
        return (survey, try StorageRig(world: target).open().records)
    }

    @Test("is not the lock file of another store, stopped or not", arguments: [false, true])
    func foreignLock(isStopped: Bool) throws {
        var rig = StorageRig()
        rig.environment = .foreseeable(seed: 99)
        let journal = try rig.open().journal
        for number in 1...140 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        if isStopped { try journal.close() } else { try journal.markIdle() }
        let world = try store()
        world.put("lock", try #require(rig.world.files["lock"]))
        let (survey, records) = try repaired(world)
        #expect(survey.finding?.reason == .foreignFile && !survey.isEndProven)
        #expect(survey.lost == 0 && records.numbers == Array(1...120))
    }

    @Test("is not the format file of another store")
    func foreignFormat() throws {
        let world = try store()
        let other = try MemoryDiskWorld.unmarked(events: 1, seed: 99)
        world.put("format.json", try #require(other.files["format.json"]))
        let (survey, records) = try repaired(world)
        #expect(survey.finding?.reason == .foreignFile)
        #expect(survey.lost == 0 && records.numbers == Array(1...120))
    }

    @Test("is nothing if the format file of an earlier version is that of another store")
    func foreignOldFormat() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        let world = try MemoryDiskWorld(files: base.files)
        #expect(throws: Never.self) { try JournalRepair.survey(MemoryDisk(world: world)) }
        let text = String(decoding: try #require(world.files["format.json"]), as: UTF8.self)
        let store = try world.format().store.description
        let other = UniqueID(high: 0x1111_2222_3333_4444, low: 0x8111_2222_3333_4444).description
        world.put("format.json", Array(text.replacing(store, with: other).utf8))
        #expect(try world.format().store.description == other)
        #expect(throws: BackupFailure.self) {
            try JournalRepair.survey(MemoryDisk(world: world))
        }
    }

    @Test("is no segment of another store")
    func foreignSegment() throws {
        let world = try store()
        let name = world.segments[1]
        let other = try MemoryDiskWorld.unmarked(events: 120, seed: 99)
        // The times of the two stores are the same, so the numbers must be others.
        other.forge(name) { lines in
            for index in lines.indices {
                lines[index].replace(/"incarnation":"?\d+/, with: #""incarnation":7"#)
            }
        }
        world.put(name, try #require(other.files[name]))
        let (survey, records) = try repaired(world)
        #expect(survey.finding?.reason == .foreignFile)
        #expect(!records.numbers.dropFirst(10).contains(7))
        #expect(survey.lost > 20 && records.count + Int(survey.lost) == 120)
    }

    @Test("is the rest of a segment whose header is gone, without an answer to whose it is")
    func headerGone() throws {
        let world = try store()
        let name = world.segments[world.segments.count - 1]
        world.forge(name) { $0.removeFirst() }
        let (survey, records) = try repaired(world)
        #expect(survey.lost > 8 && records.count + Int(survey.lost) == 120)
        // A header with another number is the content of another segment.
        let misnamed = try store()
        misnamed.put(name, try #require(misnamed.files[misnamed.segments[0]]))
        #expect(throws: BackupFailure.self) {
            try JournalRepair.survey(MemoryDisk(world: misnamed))
        }
    }

    @Test("ends where a start cuts a batch that was never acknowledged")
    func tornEnd() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...5 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.commitNumbers(6...9)
        let world = rig.world.afterKill()
        world.damage(world.segments[0], line: 7)
        try world.put(ProgressMark(store: world.format().store))
        let (survey, records) = try repaired(world)
        #expect(survey.finding == nil && survey.lost == 0)
        #expect(records.numbers == Array(1...6))
    }

    @Test("is not a line with the number of the one before it")
    func repeatedNumber() throws {
        let world = try store()
        world.forge(world.segments[world.segments.count - 1]) { $0.insert($0[3], at: 4) }
        let (survey, records) = try repaired(world)
        #expect(survey.finding?.reason == .sequenceGap)
        #expect(survey.lost == 0 && records.numbers == Array(1...120))
    }

    @Test("is not a line with a number of a later segment")
    func laterNumber() throws {
        let world = try store()
        world.forge(world.segments[0]) { lines in
            let last = lines.count - 1
            lines[last] = Forged.relabel(lines[last], Forged.sequence(of: lines[last]) + 5)
        }
        let (survey, records) = try repaired(world)
        #expect(survey.finding?.reason == .sequenceGap)
        #expect(survey.lost == 0 && records.numbers == Array(1...120))
    }

    @Test("is not a line that is longer than lines are, nor what only that line proves")
    func longLine() throws {
        let world = try store(8)
        let pad = String(repeating: "a", count: 400)
        world.forge(world.segments[0]) { lines in
            lines[4] = String(lines[4].dropLast(2)) + #","pad":"\#(pad)"}}"#
        }
        func numbers(lineLimit: Int) throws -> [SequenceNumber] {
            var lines = SalvagedLines(
                try #require(world.files[world.segments[0]]),
                at: SparseIndex.Entry(sequence: 1, offset: 0, chain: 0), upTo: .max,
                lineLimit: lineLimit)
            var numbers: [SequenceNumber] = []
            while let line = lines.next(resuming: true) { numbers.append(line.sequence) }
            return numbers
        }
        #expect(try numbers(lineLimit: 1000) == Array(1...9))
        #expect(try numbers(lineLimit: 400) == [1, 2, 3, 4, 7, 8, 9])
    }
}

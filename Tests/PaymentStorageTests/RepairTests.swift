import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A repair")
struct RepairTests {
    /// A journal of several segments, as a crash left it.
    private func store(_ last: UInt64 = 120, isIdle: Bool = false) throws -> MemoryDiskWorld {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...last { try journal.commitNumbers(number...number) }
        if isIdle { try journal.markIdle() }
        return rig.world.afterKill()
    }

    private func damage(_ world: MemoryDiskWorld, _ name: String, at offset: Int) throws {
        var bytes = try #require(world.files[name])
        bytes[offset] ^= 1
        world.put(name, bytes)
    }

    @Test("carries everything of a good store, under another name")
    func good() throws {
        let world = try store()
        let target = MemoryDiskWorld()
        let survey = try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: 0,
            environment: .foreseeable(seed: 3)
        ).survey
        #expect(survey.lost == 0 && survey.finding == nil)
        let opened = try StorageRig(world: target).open()
        #expect(opened.records.numbers == Array(1...120))
        #expect(try opened.journal.epoch != StorageRig(world: world).open().journal.epoch)
    }

    @Test("carries what is before and behind the damage, names what is lost, changes nothing")
    func damaged() throws {
        let world = try store()
        let names = world.segments
        try #require(names.count > 2)
        let bytes = try #require(world.files[names[1]])
        // A letter of a record in the middle: of "incarnation", which no other part of a line has.
        let middle = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "i")))
        try damage(world, names[1], at: middle)
        let before = world.files
        let disk = MemoryDisk(world: world)
        let survey = try JournalRepair.survey(disk)
        #expect(survey.finding?.file == names[1])
        #expect(survey.lost == 1)
        let lost = try #require(survey.lostRanges.first?.lowerBound)

        let target = MemoryDiskWorld()
        #expect(throws: BackupFailure.self) {
            try JournalRepair.repair(disk, into: MemoryDisk(world: target), acceptedLoss: 0)
        }
        #expect(target.files.isEmpty)
        try JournalRepair.repair(
            disk, into: MemoryDisk(world: target), acceptedLoss: 1,
            environment: .foreseeable(seed: 4))
        #expect(world.files == before)
        let verified = JournalVerifier.verify(MemoryDisk(world: target), isDeep: true)
        #expect(verified.findings == [])
        let records = try StorageRig(world: target).open().records
        #expect(records.count == 119 && !records.contains { $0.sequence == lost })
    }

    @Test("carries what is behind a missing segment")
    func missing() throws {
        let world = try store()
        let names = world.segments
        try MemoryDisk(world: world).remove(names[1])
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        #expect(survey.finding?.reason == .missingSegment)
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 6))
        let numbers = try StorageRig(world: target).open().records.numbers
        #expect(numbers.count + Int(survey.lost) == 120)
        #expect(numbers.first == 1 && numbers.last == 120)
    }

    @Test("goes on from a good snapshot although the log before it is damaged")
    func snapshot() throws {
        let world = try Backups.journal().rig.world.afterKill()
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: 0,
            environment: .foreseeable(seed: 5))
        let opened = try StorageRig(world: target).open()
        #expect(opened.items == Samples.items)
        #expect(opened.records.numbers == Array(1...80))
    }

    @Test("has nothing to begin from without the first segment and without a snapshot")
    func hopeless() throws {
        let world = try store()
        try MemoryDisk(world: world).remove(world.segments[0])
        #expect(throws: BackupFailure.self) {
            try JournalRepair.survey(MemoryDisk(world: world))
        }
    }

    @Test("saves a payment by its submission, if that has a key", arguments: ["k", nil])
    func lostAcceptance(key: OpaqueText?) throws {
        let rig = StorageRig()
        var paid = Samples.transaction(1, .purchased, revision: 3)
        paid.order = Samples.orderID(1)
        paid.originalOrder = Samples.orderID(1)
        let session = Session(account: "demo", country: Samples.country("DE"))
        let events: [Event] = [
            .productRecorded(Samples.coins), .sessionChanged(from: nil, to: session),
            .transaction(.added(key: key), Samples.transaction(1)),
            .transaction(
                .submitted(key: key), Samples.transaction(1, .submitted, revision: 2)),
            .transaction(.purchased, paid),
        ]
        let journal = try rig.open().journal
        for event in events { try journal.commit([(event, nil)]) }
        let world = rig.world.afterKill()
        let name = world.segments[0]
        let text = String(decoding: try #require(world.files[name]), as: UTF8.self)
        let added = try #require(text.firstRange(of: #""t":"added""#))
        try damage(
            world, name, at: text.utf8.distance(from: text.startIndex, to: added.upperBound) + 4)
        let survey = try JournalRepair.survey(MemoryDisk(world: world)) {
            LocalLog.visitor(QueueReplay(limits: Limits()))
        }
        #expect(survey.lost == (key == nil ? 3 : 1))
    }

    /// The survey of a damaged store, and the numbers in the new one.
    private func repaired(
        _ world: MemoryDiskWorld
    ) throws -> (survey: JournalRepair.Survey, numbers: [UInt64]) {
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 7))
        return (survey, try StorageRig(world: target).open().records.numbers)
    }

    @Test("carries a segment whose first block is lost", arguments: [false, true])
    func firstBlock(isLast: Bool) throws {
        let world = try store(isIdle: true)
        let names = world.segments
        let name = names[isLast ? names.count - 1 : 1]
        var bytes = try #require(world.files[name])
        bytes.replaceSubrange(0..<512, with: repeatElement(0, count: 512))
        world.put(name, bytes)
        let (survey, numbers) = try repaired(world)
        #expect(survey.lost > 0 && survey.lost < 8)
        #expect(numbers.count + Int(survey.lost) == 120 && numbers.last == 120)
    }

    @Test("names the lines of a segment that nothing proves to be of this store")
    func unprovenSegment() throws {
        let world = try store()
        let name = try #require(world.segments.last)
        var bytes = try #require(world.files[name])
        bytes.replaceSubrange(0..<512, with: repeatElement(0, count: 512))
        world.put(name, bytes)
        let (survey, numbers) = try repaired(world)
        #expect(survey.lost > 8)
        #expect(numbers.count + Int(survey.lost) == 120)
    }

    @Test("does not carry a segment of another store whose header is damaged", arguments: [1, 300])
    func foreignSegment(place: Int) throws {
        let world = try store(isIdle: true)
        let own = try StorageRig(world: world.afterKill()).open().records
        // Other numbers of the same length, so that the files have the same names.
        var other = StorageRig()
        other.environment = .foreseeable(seed: 99)
        let journal = try other.open().journal
        for number in 1...120 as ClosedRange<UInt64> {
            let swapped = number < 10 ? 10 - number : number < 100 ? 109 - number : 220 - number
            try journal.commitNumbers(swapped...swapped)
        }
        let names = world.segments
        for name in [names[1], names[names.count - 1]] {
            var bytes = try #require(other.world.files[name])
            bytes.replaceSubrange(place..<place + 40, with: repeatElement(0, count: 40))
            world.put(name, bytes)
        }
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 7))
        let saved = try StorageRig(world: target).open().records
        #expect(saved.allSatisfy(own.contains))
        // The mark of an idle log is a line too, and so is each of the two headers, which nothing proves to
        // be no records.
        #expect(saved.count + Int(survey.lost) == 123)
    }

    @Test("carries what is behind a gap that is longer than any line")
    func longGap() throws {
        let world = try store()
        let name = world.segments[1]
        var bytes = try #require(world.files[name])
        let gap = repeatElement(UInt8(0), count: JournalPolicy().lineLimitBytes + 1)
        bytes.insert(contentsOf: gap, at: bytes.count / 2)
        world.put(name, bytes)
        let (survey, numbers) = try repaired(world)
        #expect(survey.lost > 0 && survey.lost < 4)
        #expect(numbers.count + Int(survey.lost) == 120 && numbers.last == 120)
    }

    @Test("does not count lines that a damaged number names and that have no room")
    func flippedDigit() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...120 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.markIdle()
        let world = rig.world.afterKill()
        let name = try #require(world.segments.last)
        let text = String(decoding: try #require(world.files[name]), as: UTF8.self)
        let last = try #require(text.split(separator: "\n").last { !$0.isEmpty })
        let other = last.replacing(/"s":\d/, with: #""s":9"#).replacing(/"b":\d/, with: #""b":9"#)
        world.put(name, Array(text.replacing(last, with: other).utf8))
        #expect(try JournalRepair.survey(MemoryDisk(world: world)).lost == 1)
    }

    @Test("does not count lines up to a clean stop with a damaged number")
    func flippedStop() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...20 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.close()
        let world = rig.world.afterKill()
        var lock = try #require(world.files["lock"])
        let text = String(decoding: lock.prefix(1024), as: UTF8.self)
        let other = text.replacing(/"s":\d+/, with: #""s":4503599627370496"#)
        let padded = String(other.prefix(through: try #require(other.lastIndex(of: "}"))))
        lock.replaceSubrange(
            0..<1024,
            with: Array(padded.utf8) + repeatElement(32, count: 1023 - padded.utf8.count) + [10])
        world.put("lock", lock)
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        #expect(survey.finding?.reason == .missingEnd && survey.lost == 0)
    }

    /// The files after a clean stop, with an embedded store.
    private var stopped: MutationBase { MutationBase.all[0] }

    @Test("carries an embedded store whose format file is damaged")
    func partFormat() throws {
        var files = stopped.files
        files["sandbox/format.json"]?[40] ^= 1
        let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
        let surveys = try JournalRepair.surveyAll(source, visitor: StateRig.visitor)
        #expect(surveys.map(\.survey.lost) == [0, 0])
        let target = StateRig(world: MemoryDiskWorld(), seed: 77)
        try JournalRepair.repairAll(
            source, into: MemoryDisk(world: target.world), acceptedLoss: 0,
            environment: .foreseeable(seed: 8), visitor: StateRig.visitor)
        #expect(try target.open().notes == stopped.notes)
    }

    @Test(
        "misses an embedded store that is gone, and makes a whole queue without it",
        arguments: [false, true])
    func missingPart(isFormatDamaged: Bool) throws {
        var files = stopped.files.filter { !$0.key.hasPrefix("sandbox/") }
        if isFormatDamaged { files["format.json"] = Array("{".utf8) }
        let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
        let surveys = try JournalRepair.surveyAll(source, visitor: StateRig.visitor)
        #expect(surveys.map(\.name) == ["", "sandbox"])
        #expect(surveys.map(\.survey.isMissing) == [false, true])
        #expect(surveys.map(\.survey.isEndProven) == [true, false])
        let target = StateRig(world: MemoryDiskWorld(), seed: 77)
        try JournalRepair.repairAll(
            source, into: MemoryDisk(world: target.world), acceptedLoss: 0,
            environment: .foreseeable(seed: 9), visitor: StateRig.visitor)
        let opened = try target.open()
        #expect(
            opened.records
                == Array(stopped.records.values).sorted { $0.sequence < $1.sequence }
                .filter { $0.sequence > opened.loadedUpTo ?? 0 })
        #expect(opened.notes == [:])
    }

    @Test("keeps the orders of the log when neither format file nor marks say where they are")
    func lostFormat() throws {
        let base = try #require(
            MutationBase.all.first {
                $0.testDescription.hasPrefix("one log")
                    && $0.files.keys.contains { $0.hasPrefix("snapshot-") }
            })
        var files = base.files
        files["format.json"] = nil
        files["lock"] = nil
        let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
        let target = StateRig(world: MemoryDiskWorld(), seed: 77)
        try JournalRepair.repairAll(
            source, into: MemoryDisk(world: target.world), acceptedLoss: 0,
            environment: .foreseeable(seed: 8), visitor: StateRig.visitor)
        func start(_ world: MemoryDiskWorld) throws -> NoteReplay {
            let texts = NoteReplay()
            let rig = StorageRig(world: world, policy: StateRig.policy)
            _ = try LocalLog.read(
                in: rig.stateDirectory(), settings: rig.settings, SeenReplay(store: texts)
            ).open()
            return texts
        }
        let expected = try start(try MemoryDiskWorld(files: base.files))
        #expect(!expected.items.isEmpty)
        // The second start reads what the first one wrote.
        for _ in 1...2 {
            let found = try start(target.world.afterKill())
            #expect(found.items + found.texts == expected.items + expected.texts)
        }
    }

    @Test("makes no store of a directory without a journal, and takes no copy below one for a part")
    func noJournal() throws {
        for files in [[:], ["lock": try #require(stopped.files["lock"])]] as [[String: [UInt8]]] {
            let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
            let target = MemoryDisk(world: MemoryDiskWorld())
            #expect(throws: BackupFailure.self) {
                try JournalRepair.repairAll(
                    source, into: target, acceptedLoss: 0, environment: .foreseeable(seed: 4),
                    visitor: StateRig.visitor)
            }
            #expect(try target.list() == [])
        }
        var files = stopped.files
        for (name, bytes) in stopped.files where !name.contains("/") {
            files["old/\(name)"] = bytes
        }
        let copied = MemoryDisk(world: try MemoryDiskWorld(files: files))
        #expect(try JournalRepair.journals(of: copied) == ["", "sandbox"])
    }

    @Test("does not take the embedded store of another state directory")
    func foreignPart() throws {
        let other = try #require(
            MutationBase.all.first { $0.testDescription == "killed when idle" })
        var files = stopped.files.filter { !$0.key.hasPrefix("sandbox/") }
        files.merge(other.files.filter { $0.key.hasPrefix("sandbox/") }) { _, new in new }
        let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
        let failure = try #require(throws: BackupFailure.self) {
            try JournalRepair.surveyAll(source, visitor: StateRig.visitor)
        }
        #expect(failure.description.contains("move 'sandbox' away"))
    }

    @Test("takes no side when files of an earlier version are those of two stores")
    func twoStores() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        var files = base.files
        files["format.json"] = nil
        for name in files.keys where name.hasPrefix("journal-") {
            files[name] = stopped.files[name]
        }
        let source = MemoryDisk(world: try MemoryDiskWorld(files: files))
        #expect(throws: BackupFailure.self) { try JournalRepair.survey(source) }
    }
}

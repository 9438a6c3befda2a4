import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

/// The order in which a start writes, and what is left of it where the power or the disk fails.
@Suite("The writing of a start")
struct StartWritingTests {
    /// A store of three events and a batch behind them that is torn over several sectors, as a kill left it.
    private func torn() throws -> (world: MemoryDiskWorld, end: Int) {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        try journal.commitNumbers(4...20)
        let world = rig.world.afterKill()
        var bytes = try #require(world.files[world.segments[0]])
        let end = offset(ofLine: 4, in: bytes)
        bytes[end + 8] ^= 1
        world.put(world.segments[0], bytes)
        return (world, end)
    }

    /// A store of three events whose segment has its seal and no successor.
    private func sealed() throws -> MemoryDiskWorld {
        let world = try MemoryDiskWorld.unmarked(events: 3)
        world.forge(world.segments[0]) { $0.append(Forged.seal(5, count: 4)) }
        return world
    }

    private func offset(ofLine number: Int, in bytes: [UInt8]) -> Int {
        bytes.split(separator: 10).prefix(number).reduce(0) { $0 + $1.count + 1 }
    }

    /// Starts on a disk whose power fails at each call in turn.
    ///
    /// - Parameters:
    ///   - base: The disk.
    ///   - policy: Sizes.
    ///   - body: Gets each disk that a power cut leaves.
    /// - Returns: The disk behind a whole start, and the number of those that were cut short.
    /// - Throws: What the body throws.
    private func cutPower(
        of base: MemoryDiskWorld, _ policy: JournalPolicy,
        _ body: (MemoryDiskWorld, Comment) throws -> Void
    ) throws -> (whole: MemoryDiskWorld, cuts: Int) {
        var cuts = 0
        while cuts < 500 {
            let call = cuts + 1
            let world = base.afterKill()
            world.cutPower(atCall: call)
            let isWhole = (try? StorageRig(world: world, policy: policy).open()) != nil
            for mask in 0..<UInt64(1) << min(world.unsyncedChanges, 4) {
                var survival = Survival.mask(mask)
                try body(
                    world.afterPowerCut { survival.next() }, "call \(call), mask \(mask)")
            }
            if isWhole { return (world, cuts) }
            cuts += 1
        }
        throw Endless()
    }

    /// A start that a power cut at any of its calls would interrupt.
    private struct Endless: Error {}

    @Test("cuts a torn end from behind, and all of it, wherever the power fails")
    func tornEnd() throws {
        let (torn, end) = try torn()
        let name = torn.segments[0]
        let sector = (end / 512 + 1) * 512
        let isBlank = { (byte: UInt8) in byte == 10 || byte == 0 }
        let (whole, cuts) = try cutPower(of: torn, StorageRig.smallPolicy) { world, comment in
            let bytes = try #require(world.files[name])
            // The next start quarantines what is left. Its beginning is therefore there until its end is gone.
            if bytes[end..<sector].allSatisfy(isBlank) {
                #expect(bytes[sector...].allSatisfy(isBlank), comment)
            }
            #expect(try StorageRig(world: world).open().records.numbers == [1, 2, 3], comment)
        }
        #expect(whole.files[name]?[end...].allSatisfy { $0 == 10 } == true)
        #expect(cuts > 15)
    }

    @Test(
        "begins a segment whose first line is there whenever its name is",
        arguments: [true, false], [true, false])
    func firstLine(isNew: Bool, isFilled: Bool) throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = isFilled
        let base = isNew ? MemoryDiskWorld() : try sealed()
        let (whole, cuts) = try cutPower(of: base, policy) { world, comment in
            let opened = try StorageRig(world: world, policy: policy).open()
            #expect(opened.records.numbers == (isNew ? [] : [1, 2, 3]), comment)
        }
        #expect(whole.segments.count == (isNew ? 1 : 2))
        #expect(cuts > 8)
    }

    @Test("writes the last batch again as it is and syncs it at once", arguments: [true, false])
    func lastBatch(isFilled: Bool) throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = isFilled
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        try journal.commitNumbers(3...5)
        let world = rig.world.afterKill()
        let bytes = try #require(world.files[world.segments[0]])
        let (start, end) = (offset(ofLine: 3, in: bytes), offset(ofLine: 6, in: bytes))
        world.beginRecording()
        _ = try StorageRig(world: world, policy: policy).open()
        let operations = world.operations
        var file: Int?
        let place = operations.firstIndex { operation in
            guard case .write(let node, start, let written) = operation,
                written == Array(bytes[start..<end])
            else { return false }
            file = node
            return true
        }
        guard let place, let file, case .syncFile(file)? = operations.dropFirst(place + 1).first
        else {
            Issue.record("no sync follows the batch")
            return
        }
    }

    @Test("begins a segment on a full disk in the room of the reserve")
    func reserveForSegment() throws {
        let world = try sealed()
        world.put("reserve", [UInt8](repeating: 10, count: 8192))
        // Enough for a part of the first line.
        world.setFreeBytes(10)
        #expect(try StorageRig(world: world).open().records.numbers == [1, 2, 3])
        #expect(world.segments.count == 2 && world.files["reserve"] == nil)
    }

    @Test("keeps no copy of a torn end where there is no room for one")
    func noQuarantine() throws {
        let (world, _) = try torn()
        // A start removes a segment that was made ahead, which would give it room.
        world.drop("spare")
        world.setFreeBytes(0)
        let opened = try StorageRig(world: world).open()
        #expect(opened.records.numbers == [1, 2, 3])
        #expect(opened.report.bytesCut > 1000 && opened.report.quarantined == nil)
    }

    @Test("cuts zeros off that it has no room to fill")
    func zeros() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...2)
        let world = rig.world.afterKill()
        let name = world.segments[0]
        world.put(name, try #require(world.files[name]) + [UInt8](repeating: 0, count: 5000))
        // The first write is that of the last batch.
        world.inject(
            MemoryDiskFault(.write, number: 2, namePrefix: name, .fail(errno: DiskFailure.noSpace)))
        #expect(try StorageRig(world: world).open().records.numbers == [1, 2])
        #expect(world.files[name]?.contains(0) == false)
        #expect(try StorageRig(world: world.afterKill()).open().records.numbers == [1, 2])
    }

    @Test("fails if the format file cannot be written, unless the disk is full")
    func formatFile() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        for (errno, fails) in [(5, true), (DiskFailure.noSpace, false)] as [(Int32, Bool)] {
            let world = try MemoryDiskWorld(files: base.files)
            world.inject(MemoryDiskFault(.write, namePrefix: "format", .fail(errno: errno)))
            let isOpen = (try? StorageRig(world: world).open()) != nil
            #expect(isOpen != fails)
        }
    }

    @Test("changes no other file if the lock file cannot be written", arguments: [true, false])
    func lockFile(isNew: Bool) throws {
        let world = isNew ? MemoryDiskWorld() : try .unmarked(events: 3)
        world.put("spare", [10, 10])
        world.put("old.tmp", [])
        let before = world.files
        world.inject(MemoryDiskFault(.write, namePrefix: "lock", .fail(errno: 5)))
        #expect(throws: StorageError.self) { try StorageRig(world: world).open() }
        #expect(world.files.filter { $0.key != "lock" } == before.filter { $0.key != "lock" })
    }

    @Test("removes the reserve that an earlier version kept in a subdirectory")
    func innerReserve() throws {
        func open(_ rig: StorageRig) throws {
            _ = try RecordJournal<Note>.open(
                in: rig.stateDirectory().subdirectory("sandbox"), settings: rig.settings,
                load: { _, _ in }, replay: { _, _, _ in })
        }
        let rig = StorageRig()
        try open(rig)
        var files = rig.world.files
        files["sandbox/reserve"] = [10, 10]
        let next = StorageRig(world: try MemoryDiskWorld(files: files))
        try open(next)
        #expect(Set(next.world.files.keys) == Set(rig.world.files.keys))
    }

    @Test("adds a segment that was made ahead to the reserve, and no other leftover")
    func spare() throws {
        var policy = StorageRig.smallPolicy
        policy.reserveBytes = 4096
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        let world = rig.world.afterKill()
        world.put("spare", [UInt8](repeating: 10, count: 8192))
        world.put("old.tmp", [UInt8](repeating: 10, count: 100))
        let next = try StorageRig(world: world, policy: policy).open().journal
        #expect(next.room.reserveBytes == journal.room.reserveBytes + 8192)
        #expect(world.files["spare"] == nil && world.files["old.tmp"] == nil)
    }
}

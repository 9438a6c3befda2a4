import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// A start on a directory of an earlier version, whose store has a journal of its own.
@Suite("Merging the journals of queue and store")
struct MergingTests {
    /// Everything that a start finds.
    private struct Content: Equatable {
        var items: [SnapshotItem] = []
        var texts: [String] = []
        var head: SequenceNumber = 0
    }

    /// The reason why the last start left files of the separate journal behind.
    private var leftBehind: String?

    /// Starts, merges the journals, and returns the content.
    @discardableResult
    private mutating func start(
        _ world: MemoryDiskWorld, seed: UInt64 = 1, policy: JournalPolicy = StateRig.policy
    ) throws -> Content {
        var rig = StorageRig(world: world, policy: policy)
        rig.environment = .foreseeable(seed: seed)
        let started = try MergingStart(rig)
        leftBehind = try started.merge() ?? started.report.separateStoreLeft
        var content = Content(texts: started.texts, head: started.journal.head)
        started.queue.snapshotItems { content.items.append($0) }
        return content
    }

    private func world(_ base: MutationBase) throws -> MemoryDiskWorld {
        try MemoryDiskWorld(files: base.files)
    }

    /// The bases whose store is separate; the others have none.
    private static let separate = MutationBase.all.filter {
        $0.files["sandbox/format.json"] != nil
    }

    private func isMerged(_ world: MemoryDiskWorld) -> Bool {
        let format = String(decoding: world.files["format.json"] ?? [], as: UTF8.self)
        return format.contains("storeSince") && !format.contains("parts")
            && !world.files.keys.contains { $0.hasPrefix("sandbox/") }
    }

    @Test("keeps everything, and moves the files of the store away", arguments: separate.indices)
    mutating func whole(index: Int) throws {
        let base = Self.separate[index]
        let world = try world(base)
        let found = try start(world)
        #expect(found.texts == (1...15).map { "\($0 * 4)" })
        #expect(isMerged(world))
        for (name, bytes) in base.files where name.hasPrefix("sandbox/") && name != "sandbox/lock" {
            let kept = world.files.first {
                $0.key.hasPrefix("quarantine/format-1-") && $0.key.hasSuffix(name.dropFirst(7))
            }
            #expect(kept?.value == bytes)
        }
        let again = try start(world.afterKill(), seed: 2)
        #expect(again == found)
        #expect(JournalVerifier.verify(MemoryDisk(world: world), isDeep: true).exitCode == 0)
    }

    @Test(
        "leaves the old or the new directory wherever the power fails, and never less",
        arguments: separate.indices)
    mutating func powerCuts(index: Int) throws {
        try cutPower(over: Self.separate[index].files, StateRig.policy)
    }

    /// The number of payments and of orders in the larger directory.
    private static let records =
        ProcessInfo.processInfo.environment["PAYQUEUED_MERGED_RECORDS"].flatMap { Int($0) } ?? 400

    @Test("leaves the old or the new directory wherever the power fails, also if it is larger")
    mutating func manyRecords() throws {
        let policy = JournalPolicy(
            segmentBytes: max(1 << 14, Self.records * 40), firstPrefilledBytes: 1024,
            reserveBytes: 0)
        let world = MemoryDiskWorld()
        let rig = StorageRig(world: world, policy: policy)
        let directory = try rig.stateDirectory()
        let reading = try LocalLog.read(
            in: directory, settings: rig.settings, SeenReplay(store: NoteReplay()))
        let (store, _) = try RecordJournal<Note>.open(
            in: directory.subdirectory("sandbox"), settings: rig.settings,
            load: { _, _ in }, replay: { _, _, _ in })
        let queue = try reading.open().journal
        func append(_ event: Event) { _ = queue.append(event, time: Samples.time, origin: nil) }
        append(.productRecorded(Samples.coins))
        append(
            .sessionChanged(
                from: nil, to: Session(account: "demo", country: Samples.country("DE"))))
        for number in 1...Self.records {
            append(
                .transaction(
                    .added(key: OpaqueText("key \(number)")), Samples.transaction(UInt64(number))))
            _ = store.append(Note(text: "\(number)"), time: Samples.time)
            guard number % 100 == 0 else { continue }
            try queue.commit()
            try store.commit()
        }
        try queue.commit()
        try store.commit()
        let files = world.afterKill().files
        let found = try start(MemoryDiskWorld(files: files), policy: policy)
        #expect(found.texts.count == Self.records && found.items.count > Self.records)
        try cutPower(over: files, policy)
    }

    private mutating func cutPower(over files: [String: [UInt8]], _ policy: JournalPolicy) throws {
        let whole = try MemoryDiskWorld(files: files)
        let prepared = whole.callCount
        let expected = try start(whole, policy: policy)
        var commits = (old: 0, new: 0)
        for cut in 1...whole.callCount - prepared {
            let cutWorld = try MemoryDiskWorld(files: files)
            cutWorld.cutPower(atCall: prepared + cut)
            // Behind the commit a start does not need the rest.
            _ = try? start(cutWorld, policy: policy)
            var dice = SeededGenerator(seed: UInt64(cut))
            for next in [cutWorld.afterKill(), cutWorld.afterPowerCut { dice.chance(50) }] {
                let isOld = next.files["sandbox/format.json"] != nil
                if isOld { commits.old += 1 } else { commits.new += 1 }
                let verified = StateRig(world: next.afterKill()).verified()
                #expect(verified.exitCode == 0, "cut \(cut): \(verified.findings)")
                let found = try start(next, seed: 3, policy: policy)
                #expect(found == expected, "cut \(cut)")
                #expect(isMerged(next), "cut \(cut)")
            }
        }
        print("\(expected.items.count) items: old \(commits.old), new \(commits.new)")
        #expect(commits.old > 20 && commits.new > 2)
    }

    @Test(
        "serves when the files of the store cannot be moved away, and moves them later",
        arguments: [MemoryDiskFault.Call.link, .remove], [1, 28])
    mutating func stuck(call: MemoryDiskFault.Call, errno: Int32) throws {
        let expected = try start(try world(Self.separate[0]))
        let world = try world(Self.separate[0])
        world.inject(
            MemoryDiskFault(call, isLasting: true, namePrefix: "lock", .fail(errno: errno)))
        for seed: UInt64 in 1...2 {
            #expect(try start(world, seed: seed) == expected)
            #expect(leftBehind != nil)
            #expect(world.files.keys.contains { $0.hasPrefix("sandbox/") })
        }
        world.removeFaults()
        #expect(try start(world, seed: 3) == expected)
        #expect(leftBehind == nil && isMerged(world))
    }

    @Test("needs room for a snapshot of both, and says so")
    mutating func noRoom() throws {
        let base = Self.separate[0]
        let world = try world(base)
        world.setFreeBytes(1024)
        #expect {
            try start(world)
        } throws: { error in
            guard case StorageError.unsuitable(let sentence) = error else { return false }
            return sentence.contains("no space left to merge")
        }
        world.setFreeBytes(1 << 30)
        #expect(try start(world, seed: 2) == start(self.world(base)))
        #expect(isMerged(world))
    }

    @Test("does not happen when the store of a later snapshot is lost")
    mutating func lostSnapshot() throws {
        let world = try world(Self.separate[0])
        try start(world)
        let newest = try #require(world.files.keys.filter { $0.hasPrefix("snapshot-") }.max())
        var bytes = try #require(world.files[newest])
        bytes[bytes.count / 2] ^= 1
        let damaged = world.afterKill()
        damaged.put(newest, bytes)
        let refusal = try StorageRig(world: damaged, policy: StateRig.policy).refusal()
        #expect(refusal?.reason == .noUsableSnapshot)
        #expect(refusal?.file == newest)
    }

    @Test("refuses a damaged journal of the store and changes nothing")
    mutating func damagedStore() throws {
        var files = Self.separate[0].files
        let name = "sandbox/journal-00000000000000000001.ndjson"
        files[name]?[600] ^= 1
        let world = try MemoryDiskWorld(files: files)
        #expect {
            try start(world)
        } throws: { error in
            guard case StorageError.refused(let refusal) = error else { return false }
            return refusal.file == name
        }
        #expect(world.files == files)
    }

    @Test("leaves no directory, also after a power cut, and nothing to do for the next start")
    mutating func nothingLeft() throws {
        let world = try world(Self.separate[0])
        try start(world)
        #expect(leftBehind == nil)
        for next in [world.afterKill(), world.afterPowerCut { false }] {
            #expect(try MemoryDisk(world: next).status(of: "sandbox") == nil)
            try start(next, seed: 2)
            #expect(leftBehind == nil)
        }
    }

    @Test("removes the files of the store only once their second names are on the disk")
    mutating func order() throws {
        let world = try world(Self.separate[0])
        let top = DiskImage.top
        let inner = try #require(world.image.directories[top]?["sandbox"])
        world.beginRecording()
        try start(world)
        let after = world.image.directories
        let quarantine = try #require(after[top]?["quarantine"])
        let aside = try #require(after[quarantine]?.values.first)
        /// The places of the operations that link or remove names in a directory.
        func changes(of directory: Int, clearing: Bool) -> [Int] {
            world.operations.indices.filter { index in
                guard case .change(directory, let changes) = world.operations[index] else {
                    return false
                }
                return changes.contains { if case .clear = $0 { clearing } else { !clearing } }
            }
        }
        func isSynced(_ directory: Int, in range: some RangeExpression<Int>) -> Bool {
            world.operations[range].contains {
                if case .syncDirectory(directory) = $0 { true } else { false }
            }
        }
        let linked = try #require(changes(of: aside, clearing: false).last)
        let removed = changes(of: inner, clearing: true)
        let (first, last) = (try #require(removed.first), try #require(removed.last))
        for directory in [aside, quarantine, top] {
            #expect(isSynced(directory, in: linked..<first))
        }
        #expect(isSynced(inner, in: last...))
    }

    @Test("keeps a file of the store in whose place the quarantine has another", arguments: 0...1)
    mutating func otherFileAside(added: Int) throws {
        var files = Self.separate[0].files
        let name = "format.json"
        let own = try #require(files["sandbox/\(name)"])
        let format = String(decoding: try #require(files[name]), as: UTF8.self)
        let epoch = try #require(format.firstMatch(of: /"epoch":"([^"]*)"/)?.1)
        // One that only goes on behind the same bytes, or that only ends with another.
        let other = added > 0 ? own + [10] : own.dropLast() + [32]
        files["quarantine/format-1-\(epoch)/\(name)"] = other
        let world = try MemoryDiskWorld(files: files)
        try start(world)
        #expect(world.files["sandbox/\(name)"] == own)
        #expect(world.files["quarantine/format-1-\(epoch)/\(name)"] == other)
        #expect(!world.files.keys.contains { $0.hasPrefix("sandbox/journal-") })
    }

    @Test("leaves the directories in that of the store where they are")
    mutating func innerDirectory() throws {
        var files = Self.separate[0].files
        files["sandbox/quarantine/cut"] = [1]
        let world = try MemoryDiskWorld(files: files)
        try start(world)
        #expect(leftBehind == nil)
        #expect(
            world.files.filter { $0.key.hasPrefix("sandbox/") } == ["sandbox/quarantine/cut": [1]])
    }

    @Test("keeps what a snapshot of the store has")
    mutating func storeSnapshot() throws {
        let world = MemoryDiskWorld()
        let opened = try StateRig(world: world).open()
        let (queue, store) = (opened.queue, try #require(opened.store))
        for text in ["1", "2"] { _ = store.append(Note(text: text), time: Samples.time) }
        try store.commit()
        let ticket = try #require(try store.log.beginSnapshot())
        let receipt = try ticket.write(check: { _ in }) { sink in
            for text in ["1", "2"] {
                sink.item("note") { Note(text: text).encodePayload(into: &$0) }
            }
        }
        try store.log.snapshotWasWritten(receipt)?.perform()
        _ = store.append(Note(text: "3"), time: Samples.time)
        try store.commit()
        try queue.commitNumbers(1...1)
        let merged = try MemoryDiskWorld(files: world.afterKill().files)
        #expect(try start(merged).texts == ["1", "2", "3"])
        #expect(isMerged(merged))
    }

    @Test("takes no directory for that of a store when the log has had its records from the start")
    func otherDirectory() throws {
        var world = try MemoryDiskWorld(files: ["sandbox/other": [1]])
        for _ in 1...2 {
            _ = try StorageRig(world: world).open()
            world = world.afterKill()
            #expect(world.files["sandbox/other"] == [1])
        }
    }

    @Test("is not needed without a separate store")
    func none() throws {
        for base in MutationBase.all where base.files["sandbox/format.json"] == nil {
            let world = try world(base)
            // The fixtures have items that no queue has together.
            let rig = StorageRig(world: world, policy: StateRig.policy)
            _ = try LocalLog.open(
                in: rig.stateDirectory(), settings: rig.settings, SeenReplay(store: NoteReplay()))
            #expect(isMerged(world), "\(base.testDescription)")
            #expect(!world.files.keys.contains { $0.hasPrefix("quarantine/format-1") })
        }
    }
}

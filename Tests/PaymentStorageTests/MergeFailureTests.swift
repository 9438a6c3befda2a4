import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

/// A start that merges the journals of queue and store, and meets a failure.
@Suite("A merge of two journals, and its failures")
struct MergeFailureTests {
    /// A state directory whose store has a journal of its own.
    private func world(isOneLog: Bool = false) throws -> MemoryDiskWorld {
        let world = MemoryDiskWorld()
        let opened = try StateRig(world: world, isOneLog: isOneLog).open()
        try opened.queue.commitNumbers(1...3)
        if let store = opened.store {
            _ = store.append(Note(text: "an order"), time: Samples.time)
            try store.commit()
        } else {
            opened.queue.append(StoreRecord(Note(text: "an order")), time: Samples.time)
            try opened.queue.commit()
        }
        return world.afterKill()
    }

    private func open(_ world: MemoryDiskWorld) throws -> MergingStart {
        try MergingStart(StorageRig(world: world, policy: StateRig.policy))
    }

    /// Starts after a failure, merges, and starts again.
    private func expectWhole(_ world: MemoryDiskWorld, _ comment: Comment? = nil) throws {
        let next = try open(world)
        #expect(next.texts == ["an order"], comment)
        try next.merge()
        let last = try open(world.afterKill())
        #expect(last.texts == ["an order"], comment)
        #expect(last.queue.incarnation == 3, comment)
        #expect(!world.files.keys.contains("sandbox/format.json"), comment)
    }

    @Test("leaves no snapshot behind, and says what is missing", arguments: [28, 5] as [Int32])
    func formatCannotBeReplaced(errno: Int32) throws {
        let world = try world()
        let started = try open(world)
        world.inject(
            MemoryDiskFault(.rename, isLasting: true, namePrefix: "format", .fail(errno: errno)))
        #expect {
            try started.merge()
        } throws: { error in
            switch error as? StorageError {
            case .unsuitable(let sentence):
                errno == 28 && sentence.contains("no space left to merge")
            case .failed(let failure): errno == 5 && failure.errno == 5
            default: false
            }
        }
        #expect(world.snapshots == [])
        #expect(world.files.keys.contains("sandbox/format.json"))
        try expectWhole(world.afterKill())
    }

    @Test("keeps a snapshot that the format file may name, whichever sync of the directory fails")
    func directoryCannotBeSynced() throws {
        var number = 1
        while true {
            let world = try world()
            let started = try open(world)
            let before = world.calls(.syncDirectory)
            world.inject(MemoryDiskFault(.syncDirectory, number: number, .fail(errno: 5)))
            do {
                _ = try started.merge()
            } catch is StorageError {}
            let isOver = world.calls(.syncDirectory) - before < number
            try expectWhole(world.afterKill(), "sync \(number)")
            if isOver { break }
            number += 1
        }
        #expect(number > 3)
    }

    @Test("cannot happen without a separate store, and then nothing is written")
    func nothingToMerge() throws {
        let world = try world(isOneLog: true)
        let started = try open(world)
        let before = world.files
        #expect(try started.merge() == nil)
        #expect(world.files == before)
    }

    @Test("does not begin if the directory of the store cannot be listed, whenever that is")
    func directoryCannotBeListed() throws {
        let isThrown = try (1...8).map { number in
            let world = try world()
            world.inject(
                MemoryDiskFault(.list, number: number, namePrefix: "sandbox", .fail(errno: 5)))
            let rig = StorageRig(world: world, policy: StateRig.policy)
            do {
                _ = try LocalLog.read(
                    in: rig.stateDirectory(), settings: rig.settings,
                    SeenReplay(store: NoteReplay()))
                return false
            } catch let error as StorageError {
                #expect(error.exitCode == 74)
                return true
            }
        }
        #expect(isThrown.count { $0 } > 1)
        // If one failure were ignored, a false would come before a true.
        #expect(isThrown.prefix { $0 }.count == isThrown.count { $0 })
    }

    @Test("is over with the snapshot of both, which is the newest from then on")
    func newestSnapshot() throws {
        let world = try world()
        let started = try open(world)
        #expect(started.journal.log.newestSnapshot == nil)
        #expect(try started.merge() == nil)
        let name = try #require(world.snapshots.first)
        let newest = try #require(started.journal.log.newestSnapshot)
        #expect(name == FileName.snapshot(last: newest.sequence))
        #expect(newest.bytes == world.files[name]?.count)
    }

    @Test("is refused to a copy of a log that another place commits")
    func copy() throws {
        let world = try world()
        let before = world.files
        let rig = StorageRig(world: world, policy: StateRig.policy)
        let reading = try LocalLog.read(
            in: rig.stateDirectory(), settings: rig.settings, SeenReplay(store: NoteReplay()))
        #expect {
            try reading.openCopy(from: nil)
        } throws: { error in
            guard case StorageError.unsuitable(let sentence) = error else { return false }
            return sentence.contains("'sandbox'")
        }
        #expect(world.files == before)
    }
}

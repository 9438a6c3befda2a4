import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaymentStorage

@Suite("A file that is written beside commits")
struct PacedFileTests {
    private let world = MemoryDiskWorld()

    @Test("is synced between slices, and once at the end")
    func slices() throws {
        let disk = MemoryDisk(world: world)
        let slices = Slices()
        var file = PacedFile(try disk.open("file", .create), sync: slices.sync)
        let piece = [UInt8](repeating: 7, count: PacedFile.pieceBytes)
        for _ in 1...6 { try file.append(piece) }
        #expect(slices.count == 2 && file.length == 6 * piece.count)
        world.beginRecording()
        try file.finish()
        #expect(FileTraffic(world.operations).syncs == 1)
        try disk.sync()
        #expect(world.afterPowerCut { false }.files["file"]?.count == file.length)
    }

    @Test("by the daemon is synced")
    func system() throws {
        let disk = MemoryDisk(world: world)
        let file = try disk.open("file", .create)
        try file.writeAll([1, 2, 3], at: 0)
        try StorageEnvironment.system.backgroundSync(file)
        try disk.sync()
        #expect(world.afterPowerCut { false }.files["file"] == [1, 2, 3])
    }

    @Test("is synced as the environment says: the next segment, a snapshot, archives")
    func users() throws {
        let slices = Slices()
        var rig = StorageRig(world: world)
        rig.policy.segmentBytes = 4 * PacedFile.sliceBytes
        rig.environment.backgroundSync = slices.sync
        let journal = try rig.open().journal
        for number in 1...20 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        #expect(world.files.values.contains { $0.count == rig.policy.segmentBytes })
        #expect(slices.takeCount() == 3)

        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { add in
            for _ in 1...1_000 { Samples.items.forEach(add) }
        }
        #expect(receipt.bytes > 2 * PacedFile.sliceBytes)
        #expect(slices.takeCount() >= 2)

        try journal.archiveBuilder.sync(try rig.disk.open("file", .create))
        #expect(slices.count == 1)
    }
}

/// Counts the slices that were synced.
private final class Slices: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    var sync: BackgroundSync {
        { [self] file throws(DiskFailure) in
            number.withLock { $0 += 1 }
            try file.sync()
        }
    }

    func takeCount() -> Int {
        number.withLock { number in
            defer { number = 0 }
            return number
        }
    }
}

import Glibc
import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

/// The room of a directory, its reserve, and the files that are written into what nothing has claimed.
@Suite("The room of a directory")
struct SpaceTests {
    private let world = MemoryDiskWorld()
    private let disk: MemoryDisk

    init() {
        disk = MemoryDisk(world: world)
    }

    private func space(reserveBytes: Int = 0, segmentBytes: Int = 16 << 20) -> Space {
        Space(
            disk,
            policy: JournalPolicy(
                segmentBytes: segmentBytes, reserveBytes: reserveBytes, marginBytes: 1600))
    }

    private func full(_ error: DiskFailure?) { #expect(error?.isOutOfSpace == true) }

    @Test("a file grows only into room that nothing has claimed")
    func budget() throws {
        world.setFreeBytes(10_000)
        let space = space()
        space.hold(SpaceClaims(lines: 6400))
        let file = try BudgetedDisk(disk, space, for: .other).open("copy", .create)
        // 10,000 less the margin, the claims, and a 64th of them.
        full(
            #expect(throws: DiskFailure.self) {
                try file.writeAll([UInt8](repeating: 1, count: 1901), at: 0)
            })
        #expect(try file.length() == 0)
        try file.writeAll([UInt8](repeating: 1, count: 1900), at: 0)
        full(#expect(throws: DiskFailure.self) { try file.writeAll([1], at: 1900) })
        // Bytes that are written over take no room.
        try file.writeAll([2, 3], at: 0)
        try file.truncate(to: 1)
        #expect(try file.length() == 1)
        try file.allocate(upTo: 100)
        try file.allocate(upTo: 50)
        #expect(try file.length() == 100)
    }

    @Test("a file is linked into another directory")
    func link() throws {
        let budgeted = BudgetedDisk(disk, space(), for: .other)
        try budgeted.open("one", .create).writeAll([1], at: 0)
        let folder = try budgeted.directory("folder", create: true)
        try budgeted.link("one", into: folder, as: "two")
        #expect(world.files["folder/two"] == [1])
    }

    @Test("a checkpoint that finds the disk full takes from the reserve, and nothing else does")
    func fullDisk() throws {
        let space = space(reserveBytes: 8192, segmentBytes: 4096)
        space.restore()
        #expect(space.room.reserveBytes == 8192)
        for use in [SpaceLedger.Use.other, .checkpoint] {
            let file = try BudgetedDisk(disk, space, for: use).open("\(use)", .create)
            world.inject(MemoryDiskFault(.write, namePrefix: "\(use)", .fail(errno: ENOSPC)))
            if use == .checkpoint {
                try file.writeAll([1], at: 0)
                #expect(space.room.reserveBytes < 8192)
            } else {
                full(#expect(throws: DiskFailure.self) { try file.writeAll([1], at: 0) })
                #expect(space.room.reserveBytes == 8192)
            }
        }
        let full = DiskFailure(.write, "one", errno: ENOSPC)
        #expect(!space.giveUp(1, after: DiskFailure(.write, "one", errno: EFBIG)))
        #expect(!space.giveUp(1, after: DiskFailure(.write, "one", errno: EIO)))
        #expect(space.room.reserveBytes > 0)
        while space.giveUp(1, after: full) {}
        #expect(space.room.reserveBytes == 0)
    }

    @Test("new work is refused after a failure until the room was measured again")
    func afterFailure() {
        let space = space()
        #expect(space.admits(1, beside: SpaceClaims()))
        space.failed(DiskFailure(.write, "one", errno: ENOSPC))
        #expect(space.room.shortage == .bytes)
        #expect(!space.admits(1, beside: SpaceClaims()))
        space.check(now: 0)
        #expect(space.admits(1, beside: SpaceClaims()))
    }

    @Test("new work is refused if it does not fit, and so is all work where a little does not fit")
    func admission() {
        world.setFreeBytes(5000)
        let space = space()
        #expect(!space.admits(3401, beside: SpaceClaims()))
        #expect(space.room.shortage == .bytes)
        space.restore()
        #expect(space.room.shortage == nil && space.admits(3400, beside: SpaceClaims()))
        world.setFreeBytes(1650)
        space.restore()
        #expect(space.room.shortage == .bytes)
    }

    @Test("work that the reserve can hold without a further step is accepted")
    func steps() {
        let space = space(reserveBytes: 4096)
        space.restore()
        world.inject(MemoryDiskFault(.allocate, .fail(errno: ENOSPC)))
        #expect(space.admits(100_000, beside: SpaceClaims()))
        #expect(space.room.shortage == nil)
        #expect(space.room.reserveBytes >= 100_000)
    }

    @Test("only what this directory has counts")
    func otherDirectories() throws {
        let other = MemoryDisk(world: MemoryDiskWorld())
        let space = space(reserveBytes: 4096, segmentBytes: 4096)
        space.restore()
        space.prefilled(by: 7, on: other)
        #expect(space.room.prefilledBytes == 0)
        space.prefilled(by: 7, on: disk)
        #expect(space.room.prefilledBytes == 7)
        #expect(space.takePart(as: "spare", on: other) == nil)
        _ = try other.open("old", .create)
        #expect(try !space.keep("old", of: other))
        #expect(space.takePart(as: "spare", on: disk) == 4096)
        #expect(world.files["spare"]?.count == 4096)
        #expect(space.room.reserveBytes == 0)
        #expect(try space.keep("spare", of: disk))
        #expect(space.room.reserveBytes == 4096 && world.files["spare"] == nil)
    }

    @Test("a directory without a reserve takes no file into it")
    func noReserve() throws {
        world.put("old", [1])
        #expect(try !space().keep("old", of: disk))
        world.inject(MemoryDiskFault(.list, .fail(errno: EIO)))
        #expect(try !space(reserveBytes: 4096).keep("old", of: disk))
        #expect(world.files["old"] == [1])
    }

    @Test("what is written over blanks takes nothing of what is free")
    func blanks() {
        let space = space()
        let before = space.room.freeBytes
        space.took(-5)
        #expect(space.room.freeBytes == before)
        space.took(5)
        #expect(space.room.freeBytes == before - 5)
        #expect(!space.take(1 << 50, for: .other))
        #expect(space.room.freeBytes == before)
    }

    @Test("a reserve that is much too long is cut, once the claims of accepted work are known")
    func longReserve() {
        world.put("reserve", [UInt8](repeating: 0, count: 6 << 20))
        let space = space(reserveBytes: 4096)
        space.restore()
        #expect(space.room.reserveBytes == 6 << 20)
        space.hold(SpaceClaims(lines: 3 << 20))
        space.restore()
        #expect(space.room.reserveBytes == 6 << 20)
        space.hold(SpaceClaims())
        space.restore()
        #expect(space.room.reserveBytes == 4096)
    }

    @Test(
        "a limit that the free bytes do not show is remembered, a full disk is not",
        arguments: [(EDQUOT, true), (ENOSPC, false), (EFBIG, false)])
    func limits(error: Int32, isLimit: Bool) {
        let space = space(reserveBytes: 4096)
        let claims = SpaceClaims(lines: 84 << 20)
        #expect(space.admits(1, beside: claims))
        #expect(space.room.reserveBytes < 80 << 20)
        space.failed(DiskFailure(.write, "one", errno: error))
        // The first look is careful in any case.
        for _ in 0..<2 {
            space.restore()
            space.hold(claims)
        }
        space.restore()
        #expect((space.room.reserveBytes >= 84 << 20) == isLimit)
    }

    @Test("new work is accepted where something fails that needs no room")
    func otherFailure() {
        let space = space(reserveBytes: 4096)
        space.restore()
        space.failed(DiskFailure(.open, "spare", errno: EMFILE))
        #expect(space.room.shortage == nil && space.lastFailure == nil)
        world.inject(
            MemoryDiskFault(.open, isLasting: true, namePrefix: "reserve", .fail(errno: EMFILE)))
        #expect(space.admits(100_000, beside: SpaceClaims()))
        #expect(space.room.shortage == nil && space.room.reserveBytes == 4096)
        world.removeFaults()
        #expect(space.admits(100_000, beside: SpaceClaims()))
        #expect(space.room.reserveBytes >= 100_000)
    }

    @Test("new work is refused while files may not become as long as a segment")
    func fileSizes() {
        let space = space(segmentBytes: 4096)
        world.setLongestFile(4095)
        #expect(space.room.shortage == .fileSize)
        #expect(!space.admits(1, beside: SpaceClaims()))
        // The log need not become shorter for it.
        #expect(!space.isPressed)
        world.setLongestFile(4096)
        #expect(space.room.shortage == nil && space.admits(1, beside: SpaceClaims()))
    }

    @Test("each directory knows the limit of file sizes")
    func knownLimit() {
        world.setLongestFile(1234)
        #expect(BudgetedDisk(disk, space(), for: .other).longestFile == 1234)
        #expect(ObservedDisk(disk) { _, _, _ in }.longestFile == 1234)
    }

    @Test("a reserve is made of files that are there, and of no others")
    func parts() throws {
        _ = try disk.directory("reserve", create: true)
        var files = try ReserveFiles(on: disk, segmentBytes: 4096)
        #expect(files.bytes == 0)
        try files.grow(to: 6000)
        #expect(files.bytes == 6000 && world.files["reserve-1"]?.count == 1904)
        // A part that cannot be made leaves nothing; one that cannot be extended stays.
        world.inject(MemoryDiskFault(.allocate, .fail(errno: ENOSPC)))
        full(#expect(throws: DiskFailure.self) { try files.grow(to: 8192) })
        #expect(files.bytes == 6000)
        try files.grow(to: 8192)
        world.inject(MemoryDiskFault(.allocate, .fail(errno: ENOSPC)))
        full(#expect(throws: DiskFailure.self) { try files.grow(to: 9000) })
        #expect(files.bytes == 8192 && world.files["reserve-2"] == nil)
        #expect(try ReserveFiles(on: disk, segmentBytes: 4096).bytes == 8192)
    }

    @Test("a part of a reserve becomes a segment if it has room for a header, and is not too long")
    func segments() throws {
        world.put("reserve", [UInt8](repeating: 0, count: 4096))
        world.put("reserve-1", [UInt8](repeating: 0, count: 8192))
        world.put("reserve-2", [UInt8](repeating: 0, count: 4095))
        var files = try ReserveFiles(on: disk, segmentBytes: 1 << 20)
        world.setLongestFile(5000)
        #expect(try files.takePart(as: "one") == 5000)
        #expect(world.files["one"]?.count == 5000 && files.bytes == 8191)
        world.setLongestFile(4096)
        #expect(try files.takePart(as: "two") == 4096)
        world.put("reserve-3", [UInt8](repeating: 0, count: 4096))
        var more = try ReserveFiles(on: disk, segmentBytes: 1 << 20)
        world.setLongestFile(4095)
        #expect(try more.takePart(as: "three") == nil)
        world.drop("reserve-3")
        world.setLongestFile(4096)
        #expect(try files.takePart(as: "three") == nil)
        #expect(files.bytes == 4095 && world.files["reserve-2"]?.count == 4095)
    }

    @Test("a part of a reserve that cannot be cut stays")
    func failedCut() throws {
        world.put("reserve", [UInt8](repeating: 0, count: 8192))
        var files = try ReserveFiles(on: disk, segmentBytes: 1 << 20)
        world.setLongestFile(5000)
        world.inject(MemoryDiskFault(.truncate, .fail(errno: EIO)))
        #expect(throws: DiskFailure.self) { try files.takePart(as: "one") }
        #expect(files.bytes == 8192 && world.files["reserve"]?.count == 8192)
    }

    @Test("a part of a reserve that was cut and not taken counts as it is")
    func cutOnly() throws {
        world.put("reserve", [UInt8](repeating: 0, count: 8192))
        let space = space(segmentBytes: 8192)
        #expect(space.room.reserveBytes == 8192)
        world.setLongestFile(5000)
        world.inject(MemoryDiskFault(.rename, .fail(errno: EIO)))
        #expect(space.takePart(as: "one", on: disk) == nil)
        #expect(space.room.reserveBytes == 5000 && world.files["reserve"]?.count == 5000)
    }

    /// Fills a file of 8 KiB ahead.
    private func prefill(_ space: Space, usesReserve: Bool) throws(DiskFailure) -> PrefilledFile {
        try FilePrefiller.prefill(
            "spare", on: disk, length: 8192, in: space, for: .other, usesReserve: usesReserve)
    }

    @Test("a file that is filled ahead is on the disk, and replaces one that was not finished")
    func filled() throws {
        world.put("spare", [1])
        _ = try prefill(space(), usesReserve: false)
        try disk.sync()
        let bytes = world.afterPowerCut { false }.files["spare"]
        #expect(bytes == [UInt8](repeating: 10, count: 8192))
    }

    @Test("a file is filled ahead from the reserve only if it may be, and only for want of room")
    func fromReserve() throws {
        let space = space(reserveBytes: 4096, segmentBytes: 4096)
        space.restore()
        world.inject(MemoryDiskFault(.write, namePrefix: "spare", .fail(errno: EIO)))
        let broken = #expect(throws: DiskFailure.self) { try prefill(space, usesReserve: true) }
        #expect(broken?.errno == EIO && space.room.reserveBytes == 4096)
        world.setFreeBytes(0)
        space.restore()
        full(#expect(throws: DiskFailure.self) { try prefill(space, usesReserve: false) })
        #expect(space.room.reserveBytes == 4096)
        #expect(try prefill(space, usesReserve: true).length == 4096)
    }
}

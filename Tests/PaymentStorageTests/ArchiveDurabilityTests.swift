import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaymentStorage

/// The content of the disk when a step of a checkpoint has returned, and the way to it.
@Suite("The files of a checkpoint")
struct ArchiveDurabilityTests {
    private let world = MemoryDiskWorld()

    /// Whether nothing changes if the power fails now.
    private var isDurable: Bool { world.afterPowerCut { false }.files == world.files }

    @Test("are on the disk after each step: a file, its index, a ledger, a removal")
    func steps() throws {
        let builder = try ClosedFiles.builder(world, indexes: 1)
        var archives = try builder.open(ArchiveManifest())
        for first in [UInt64(1), 4] {
            let facts = (first..<first + 3).map { ClosedFiles.closed($0) }
            let next = try builder.append(facts, to: archives.manifest)
            #expect(isDurable)
            archives = try builder.index(builder.open(next, reusing: archives))
            #expect(isDurable)
        }
        let dropped = try builder.drop(from: archives.manifest) { _, last in last <= 3 }
        #expect(isDurable)
        #expect(dropped.archives.count == 1 && dropped.ledgers.count == 1)
        archives = try builder.index(builder.open(dropped, reusing: archives))
        #expect(isDurable)
        let before = world.files.count
        try builder.removeUnnamed(keeping: [dropped], archives)
        #expect(isDurable && world.files.count < before)
    }

    @Test("get no name before all of their bytes are on the disk")
    func names() throws {
        let builder = try ClosedFiles.builder(world, indexes: 1)
        world.beginRecording()
        let manifest = try ClosedFiles.make(2, of: 3, on: world)
        let dropped = try builder.drop(from: manifest) { _, last in last <= 3 }
        for manifest in [manifest, dropped] { _ = try builder.index(builder.open(manifest)) }
        let traffic = FileTraffic(world.operations)
        // Two files, an index each and one of both, a ledger and its index.
        #expect(traffic.named.count == 7)
        #expect(traffic.early == [])
    }

    @Test("have no index across a damaged file, and the other indexes are on the disk")
    func besideDamage() throws {
        let manifest = try ClosedFiles.make(3, of: 3, on: world)
        let damaged = manifest.archives[1]
        ClosedFiles.flip(damaged.name, at: damaged.bytes / 2, on: world)
        let builder = try ClosedFiles.builder(world, indexes: 1)
        let archives = try builder.index(builder.open(manifest))
        #expect(archives.unindexed == [damaged])
        #expect(archives.damage.map(\.file) == [damaged.name])
        #expect(ClosedFiles.indexes(world).count == 2)
        #expect(isDurable)
    }

    @Test("keep more indexes than the limit while the disk has no room to merge them")
    func noRoomToMerge() throws {
        let manifest = try ClosedFiles.make(3, of: 3, on: world)
        let builder = try ClosedFiles.builder(world, indexes: 1)
        let merged = manifest.archives[0].indexName(through: manifest.archives[2])
        let opened = try builder.open(manifest)
        world.inject(MemoryDiskFault(.write, namePrefix: merged, .fail(errno: 28)))
        let archives = try builder.index(opened)
        #expect(archives.isIndexed && archives.allIndexes.count == 3)
        #expect(isDurable)
        world.removeFaults()

        // Any other failure is thrown.
        world.inject(MemoryDiskFault(.write, namePrefix: merged, .fail(errno: 5)))
        #expect(throws: ArchiveFailure.self) { try builder.index(archives) }
        world.removeFaults()
        // Files left by the failed attempts do not disturb the next one.
        let complete = try builder.index(archives)
        #expect(complete.allIndexes.map(\.name) == [merged])
        let page = try complete.page(of: ClosedFiles.account, after: 0, limit: 100)
        #expect(page.entries.map(\.sequence) == Array(1...9))
    }

    @Test("are tried again although the beginning of a file is left that could not be removed")
    func leftover() throws {
        let builder = try ClosedFiles.builder(world)
        world.inject(MemoryDiskFault(.write, namePrefix: "archive-", .fail(errno: 28)))
        world.inject(MemoryDiskFault(.remove, number: 2, namePrefix: "archive-", .fail(errno: 5)))
        #expect(throws: ArchiveFailure.self) {
            try builder.append([ClosedFiles.closed(1)], to: ArchiveManifest())
        }
        world.removeFaults()
        #expect(world.files.count == 1)
        let manifest = try builder.append([ClosedFiles.closed(1)], to: ArchiveManifest())
        #expect(world.files.keys.sorted() == manifest.archives.map(\.name))
    }

    @Test("fail when the disk is full, which is no damage to a file")
    func fullDisk() throws {
        let manifest = try ClosedFiles.make(2, of: 3, on: world)
        let builder = try ClosedFiles.builder(world)
        world.inject(MemoryDiskFault(.write, namePrefix: "ledger-", .fail(errno: 28)))
        #expect(throws: ArchiveFailure.self) { try builder.drop(from: manifest) { _, _ in true } }
        let opened = try builder.open(manifest)
        world.inject(MemoryDiskFault(.write, namePrefix: "archive-", .fail(errno: 28)))
        #expect(throws: ArchiveFailure.self) { try builder.index(opened) }
        #expect(opened.damage == [])
    }

    /// The way of the lines into a file.
    enum Lines: CaseIterable { case new, copied, saved }

    @Test("are written in pieces with syncs between them", arguments: Lines.allCases)
    func pieces(_ lines: Lines) throws {
        let padding = String(repeating: "k", count: 4000)
        let facts = (UInt64(1)...180).map {
            ClosedFiles.closed($0, key: OpaqueText("\($0)\(padding)"))
        }
        if lines == .new { world.beginRecording() }
        let manifest = try ClosedFiles.builder(world).append(facts, to: ArchiveManifest())
        switch lines {
        case .new: break
        case .copied:
            world.beginRecording()
            let merging = try ClosedFiles.builder(world, mergeBelowBytes: 1 << 24)
            let merged = try merging.append([ClosedFiles.closed(181)], to: manifest)
            #expect(merged.archives.count == 1)
        case .saved:
            let file = manifest.archives[0]
            let disk = MemoryDisk(world: world)
            let saved = try ArchiveSalvage(file, of: ClosedModel.store, on: disk, EventDecoder())
            world.beginRecording()
            let writer = try ArchiveFileWriter(
                .archive, from: 1, of: ClosedModel.store, on: disk,
                sync: StorageEnvironment.syncAtOnce)
            try writer.copy(saved)
            #expect(try writer.finish(last: file.last).lines == file.lines)
        }
        let traffic = FileTraffic(world.operations)
        #expect(traffic.bytes > 700_000)
        #expect(traffic.longestWrite < 1 << 17 + 1 << 14)
        #expect(traffic.mostUnsynced < 1 << 18 + 1 << 14)
        // Fewer would hold up commits, and more would take long themselves.
        #expect(traffic.writes <= traffic.bytes >> 17 + 2)
        #expect(traffic.syncs <= traffic.bytes >> 18 + 1)
    }

    @Test("that are indexes are written in pieces with syncs between them, also the filter")
    func indexPieces() throws {
        let file = try ClosedFiles.make(1, of: 1, on: world).archives[0]
        let slices = Mutex(0)
        world.beginRecording()
        let writer = try ArchiveIndexWriter(
            [file], of: ClosedModel.store, keyCount: 500, on: MemoryDisk(world: world)
        ) { file throws(DiskFailure) in
            slices.withLock { $0 += 1 }
            try file.sync()
        }
        let counts: KeyValuePairs<IndexSection, UInt64> = [.key: 500, .order: 17_600]
        for (section, count) in counts {
            for number in 0..<count {
                try writer.add(IndexEntry(hash: number << 40, file: 0, offset: 0), to: section)
            }
        }
        let name = try writer.finish()
        let traffic = FileTraffic(world.operations)
        #expect(traffic.bytes > 280_000 && traffic.bytes == world.files[name]?.count)
        #expect(traffic.mostUnsynced < 1 << 18 + 1 << 14)
        // One more for the header, the rest of the blocks, the filter and the footer.
        #expect(traffic.writes <= traffic.bytes >> 17 + 4)
        #expect(traffic.syncs <= traffic.bytes >> 18 + 1)
        #expect(slices.withLock { $0 } == traffic.bytes >> 18)
    }

    @Test("of an index without entries are written without empty writes")
    func emptyIndex() throws {
        let file = try ClosedFiles.make(1, of: 1, on: world).archives[0]
        world.beginRecording()
        let writer = try ArchiveIndexWriter(
            [file], of: ClosedModel.store, keyCount: 0, on: MemoryDisk(world: world),
            sync: StorageEnvironment.syncAtOnce)
        _ = try writer.finish()
        let traffic = FileTraffic(world.operations)
        #expect(traffic.writes == 2 && traffic.bytes == 2 * IndexFormat.blockBytes)
        #expect(traffic.longestWrite == IndexFormat.blockBytes)
    }

    @Test("that are merged name each product once, and have a digest of their own lines")
    func merged() throws {
        let builder = try ClosedFiles.builder(world, mergeBelowBytes: 1 << 20)
        let first = try builder.append([ClosedFiles.closed(1)], to: ArchiveManifest())
        let both = try builder.append([ClosedFiles.closed(2)], to: first)
        let file = try #require(both.archives.first)
        #expect(both.archives.count == 1 && file.lines == 3)
        let text = String(decoding: try #require(world.files[file.name]), as: UTF8.self)
        #expect(text.split(separator: "\"t\":\"product\"").count == 2)
        #expect(file.digest != first.archives[0].digest)
    }
}

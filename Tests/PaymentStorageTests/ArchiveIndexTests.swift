import Glibc
import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("The indexes of files of closed things")
struct ArchiveIndexTests {
    private let world = MemoryDiskWorld()

    @Test("answer from every block, and give each page of an account across files")
    func blocks() throws {
        let manifest = try ClosedFiles.make(1, of: 520, on: world)
        let builder = try ClosedFiles.builder(world)
        let archives = try builder.index(builder.open(manifest))
        for number in stride(from: UInt64(1), through: 520, by: 7) {
            let entry = try archives.find(.transaction(Samples.transactionID(number)))
            #expect(entry?.sequence == number)
        }
        let page = try archives.page(of: ClosedFiles.account, after: 300, limit: 200)
        #expect(page.entries.map(\.sequence) == Array(301...500) && page.next == 500)
    }

    @Test("that are merged give the page behind every position", arguments: UInt64(0)...9)
    func positions(position: SequenceNumber) throws {
        let manifest = try ClosedFiles.make(3, of: 3, on: world)
        let builder = try ClosedFiles.builder(world, indexes: 1)
        let archives = try builder.index(builder.open(manifest))
        #expect(archives.allIndexes.count == 1)
        let page = try archives.page(of: ClosedFiles.account, after: position, limit: 100)
        #expect(page.entries.map(\.sequence) == (1...9).filter { $0 > position })
    }

    @Test("make a page fail if they are missing")
    func missing() throws {
        let archives = try ClosedFiles.builder(world).open(
            ClosedFiles.make(1, of: 3, on: world))
        let failure = #expect(throws: ClosedHistoryFailure.self) {
            try archives.page(of: ClosedFiles.account, after: 0, limit: 10)
        }
        #expect(failure?.isMissingIndex == true)
    }

    @Test("have no page of files without a transaction")
    func noTransactions() throws {
        let builder = try ClosedFiles.builder(world)
        let facts = [ClosedFact.revokedOrder(Samples.orderID(1), nil)]
        let manifest = try builder.append(facts, to: ArchiveManifest())
        let archives = try builder.index(builder.open(manifest))
        let page = try archives.page(of: ClosedFiles.account, after: 0, limit: 10)
        #expect(page.entries == [] && page.next == nil)
    }

    /// Damage to an index, which has a block of header, three blocks with the identifiers, and
    /// three with the account.
    enum Damage: CaseIterable {
        case header, filter, footer, moreBlocks
        case block, blocksOfSection, blocksOfSections

        func apply(to bytes: inout [UInt8]) {
            let size = IndexFormat.blockBytes
            switch self {
            // A line feed between the text of the header and its end.
            case .header: bytes[size - 10] = 10
            case .filter: bytes[bytes.count - size - 1] ^= 1
            case .footer: bytes[bytes.count - 1] ^= 1
            case .moreBlocks: bytes.insert(contentsOf: [UInt8](repeating: 0, count: size), at: size)
            case .block: bytes[2 * size + 20] ^= 1
            case .blocksOfSection: swap(1, 2, in: &bytes)
            case .blocksOfSections: swap(1, 4, in: &bytes)
            }
        }

        /// Whether opening the index finds it.
        var isOfOpening: Bool {
            switch self {
            case .header, .filter, .footer, .moreBlocks: true
            case .block, .blocksOfSection, .blocksOfSections: false
            }
        }

        private func swap(_ first: Int, _ second: Int, in bytes: inout [UInt8]) {
            let size = IndexFormat.blockBytes
            let before = Array(bytes[first * size..<(first + 1) * size])
            bytes.replaceSubrange(
                first * size..<(first + 1) * size,
                with: Array(bytes[second * size..<(second + 1) * size]))
            bytes.replaceSubrange(second * size..<(second + 1) * size, with: before)
        }
    }

    @Test("are built again, byte for byte, if they are damaged")
    func damage() throws {
        let manifest = try ClosedFiles.make(1, of: 520, on: world)
        let builder = try ClosedFiles.builder(world)
        let name = try #require(builder.index(builder.open(manifest)).allIndexes.first?.name)
        let right = try #require(world.files[name])
        for damage in Damage.allCases {
            var bytes = right
            damage.apply(to: &bytes)
            #expect(bytes != right)
            world.put(name, bytes)
            let opened = try builder.open(manifest)
            #expect(opened.unindexed == (damage.isOfOpening ? manifest.archives : []), "\(damage)")
            _ = try builder.reindex(opened)
            #expect(world.files[name] == right, "\(damage)")
        }
    }

    @Test("that are cut while they are open, or name a file that they do not have, are damaged")
    func wrongAnswers() throws {
        let manifest = try ClosedFiles.make(1, of: 3, on: world)
        let disk = MemoryDisk(world: world)
        let builder = try ClosedFiles.builder(world)
        let archives = try builder.index(builder.open(manifest))
        let name = try #require(archives.allIndexes.first?.name)
        let key = ClosedKey.transaction(Samples.transactionID(2))
        try disk.open(name, .update).truncate(to: IndexFormat.blockBytes)
        let cut = #expect(throws: ClosedHistoryFailure.self) { try archives.find(key) }
        #expect(cut?.isMissingIndex == true && archives.needsIndex)

        let writer = try ArchiveIndexWriter(
            manifest.archives, of: ClosedModel.store, keyCount: 0, on: disk,
            sync: StorageEnvironment.syncAtOnce)
        let (section, hash) = KeyedHash(ClosedModel.store).lookup(key)
        try writer.add(IndexEntry(hash: hash, file: 1, offset: 0), to: section)
        #expect(try writer.finish() == name)
        let opened = try builder.open(manifest)
        let unknown = #expect(throws: ClosedHistoryFailure.self) { try opened.find(key) }
        #expect(unknown?.isMissingIndex == true && opened.needsIndex)
    }

    @Test("that cannot be read are built again")
    func unreadable() throws {
        let manifest = try ClosedFiles.make(1, of: 3, on: world)
        let builder = try ClosedFiles.builder(world)
        let archives = try builder.index(builder.open(manifest))
        let name = try #require(archives.allIndexes.first?.name)
        let key = ClosedKey.transaction(Samples.transactionID(2))
        func failRead(_ number: Int) {
            world.inject(
                MemoryDiskFault(.read, number: number, namePrefix: name, .fail(errno: EIO)))
        }
        failRead(1)
        let failure = #expect(throws: ClosedHistoryFailure.self) { try archives.find(key) }
        #expect(failure?.isMissingIndex == true && archives.needsIndex)
        // Footer, header and filter are read first, then the blocks.
        failRead(4)
        world.beginRecording()
        let rebuilt = try builder.reindex(archives)
        #expect(FileTraffic(world.operations).named == [name])
        #expect(try rebuilt.find(key)?.sequence == 2)
    }

    @Test("of several files give way to the new ones if they were damaged")
    func mergedDamage() throws {
        let manifest = try ClosedFiles.make(2, of: 3, on: world)
        let merging = try ClosedFiles.builder(world, indexes: 1)
        let merged = try merging.index(merging.open(manifest))
        try merging.removeUnnamed(keeping: [manifest], merged)
        let name = try #require(merged.allIndexes.first?.name)
        ClosedFiles.flip(name, at: IndexFormat.blockBytes + 20, on: world)

        let builder = try ClosedFiles.builder(world)
        let opened = try builder.open(manifest)
        #expect(opened.allIndexes.map(\.name) == [name])
        let archives = try builder.reindex(opened)
        #expect(archives.allIndexes.count == 2)
        for number in UInt64(1)...6 {
            let entry = try archives.find(.transaction(Samples.transactionID(number)))
            #expect(entry?.sequence == number)
        }
    }

    @Test("that are damaged do not stop a checkpoint that merges them, and are built again")
    func damagedAtMerge() throws {
        let manifest = try ClosedFiles.make(2, of: 3, on: world)
        let apart = try ClosedFiles.builder(world)
        let name = try #require(apart.index(apart.open(manifest)).allIndexes.first?.name)
        ClosedFiles.flip(name, at: IndexFormat.blockBytes + 20, on: world)

        let builder = try ClosedFiles.builder(world, indexes: 1)
        let complete = try builder.index(builder.open(manifest))
        #expect(complete.allIndexes.count == 2 && complete.needsIndex)
        let merged = try builder.reindex(complete)
        #expect(merged.allIndexes.count == 1 && !merged.needsIndex)
        for number in UInt64(1)...6 {
            let entry = try merged.find(.transaction(Samples.transactionID(number)))
            #expect(entry?.sequence == number)
        }
    }
}

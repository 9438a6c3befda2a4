import PaymentCore
import PaymentTesting

@testable import PaymentStorage

/// Files of closed transactions that are alike. Each is closed by the record of its number.
enum ClosedFiles {
    /// The account of all of them.
    static let account: AccountName = "demo"

    /// A builder that keeps files apart unless they are to be merged.
    static func builder(
        _ world: MemoryDiskWorld, indexes: Int = 16, mergeBelowBytes: Int = 0
    ) throws -> ArchiveBuilder {
        let products = ArchiveProducts()
        try products.note(Samples.coins)
        var limits = ArchiveLimits()
        limits.mergeBelowBytes = mergeBelowBytes
        limits.indexes = indexes
        return ArchiveBuilder(
            on: MemoryDisk(world: world), of: ClosedModel.store, products: products,
            limits: limits)
    }

    /// A closed transaction.
    static func closed(_ number: UInt64, key: OpaqueText? = nil) -> ClosedFact {
        .transaction(
            Samples.transaction(number), key: key,
            Finish(time: Samples.time, reason: .withdrawn, origin: Samples.origin))
    }

    /// The manifest of some files, each with this number of transactions.
    static func make(_ files: Int, of count: UInt64, on world: MemoryDiskWorld) throws
        -> ArchiveManifest
    {
        let builder = try builder(world)
        return try (0..<files).reduce(ArchiveManifest()) { manifest, _ in
            let first = manifest.last + 1
            return try builder.append((first..<first + count).map { closed($0) }, to: manifest)
        }
    }

    /// The names of the indexes on a disk.
    static func indexes(_ world: MemoryDiskWorld) -> [String] {
        world.files.keys.filter { $0.hasSuffix(".index") }.sorted()
    }

    /// Changes one bit of a file.
    static func flip(_ name: String, at offset: Int, on world: MemoryDiskWorld) {
        var bytes = world.files[name] ?? []
        bytes[offset] ^= 1
        world.put(name, bytes)
    }
}

extension ArchiveBuilder {
    /// Appends closed things to the files of a manifest, one for each record.
    func append(_ facts: [ClosedFact], to manifest: ArchiveManifest) throws -> ArchiveManifest {
        let last = manifest.last + UInt64(facts.count)
        return try append(to: manifest, upTo: last, now: ClosedModel.time(last)) {
            sink throws(ArchiveFailure) in
            for (fact, sequence) in zip(facts, manifest.last + 1...last) {
                try sink.add(fact, sequence, at: ClosedModel.time(sequence))
            }
        }
    }
}

/// The writes and syncs of files in recorded operations.
struct FileTraffic {
    private(set) var bytes = 0
    private(set) var writes = 0
    private(set) var syncs = 0
    private(set) var longestWrite = 0
    /// The most bytes of a file that waited for a sync.
    private(set) var mostUnsynced = 0
    /// The files that got their name before all of their bytes were synced.
    private(set) var early: [String] = []
    /// The files that got their name.
    private(set) var named: [String] = []

    init(_ operations: [DiskOperation]) {
        var unsynced: [Int: Int] = [:]
        for operation in operations {
            switch operation {
            case .write(let file, _, let written):
                bytes += written.count
                writes += 1
                longestWrite = max(longestWrite, written.count)
                unsynced[file, default: 0] += written.count
                mostUnsynced = max(mostUnsynced, unsynced[file, default: 0])
            case .syncFile(let file):
                syncs += 1
                unsynced[file] = nil
            case .change(_, let changes):
                guard changes.count == 2, case .set(let name, let file) = changes[0] else { break }
                named.append(name)
                if unsynced[file] != nil { early.append(name) }
            default: break
            }
        }
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON
import Testing

@Suite("Archive files with their indexes", .ownThreads)
struct ArchiveTests {
    /// Archives of a random history in several checkpoints.
    private func make(
        _ model: inout ClosedModel, on disk: any Disk, checkpoints: Int = 12
    ) throws -> Archives {
        let builder = try ClosedModel.builder(disk)
        var archives = try builder.open(ArchiveManifest())
        for round in 0..<checkpoints {
            let closings = model.close(round % 5 == 4 ? 60 : 7)
            archives = try builder.checkpoint(archives, closings, upTo: model.sequence)
            try builder.removeUnnamed(keeping: [archives.manifest], archives)
        }
        return archives
    }

    @Test("answer as a dictionary does, at once and when opened again", arguments: 1...12)
    func agree(seed: UInt64) throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: seed)
        let archives = try make(&model, on: disk)

        #expect(archives.differences(from: model) == [])
        #expect(archives.manifest.archives.count > 1)
        let opened = try ClosedModel.builder(disk).open(archives.manifest)
        #expect(opened.unindexed == [])
        #expect(opened.differences(from: model) == [])
    }

    @Test("read no block for nearly all keys that were never used")
    func filtered() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 2)
        let archives = try make(&model, on: disk)
        let used = model.facts.keys.compactMap { key in
            if case .key(let key) = key { key } else { nil }
        }
        #expect(used.allSatisfy { archives.mayContain($0) })
        let admitted = (0..<10_000).count { archives.mayContain(OpaqueText("unused \($0)")) }
        #expect(admitted < 100)
    }

    @Test("keep files and indexes few, and no file that is not needed")
    func few() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 3)
        let archives = try make(&model, on: disk, checkpoints: 60)
        let names = try disk.list()

        #expect(names.filter { $0.hasSuffix(".ndjson") } == archives.manifest.archives.map(\.name))
        #expect((1...3).contains(names.filter { $0.hasSuffix(".index") }.count))
        #expect(
            archives.manifest.archives.map(\.first).dropFirst()
                .elementsEqual(archives.manifest.archives.map { $0.last + 1 }.dropLast()))
    }

    @Test("are found again without any index, and give the same index bytes")
    func rebuilt() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 4)
        let archives = try make(&model, on: disk)
        for name in try disk.list() where name.hasSuffix(".index") { try disk.remove(name) }
        let builder = try ClosedModel.builder(disk)

        let opened = try builder.open(archives.manifest)
        #expect(opened.unindexed == archives.manifest.archives)
        #expect(throws: ClosedHistoryFailure.self) { try opened.find(.key("k-1")) }
        let indexed = try builder.index(opened)
        #expect(indexed.differences(from: model) == [])
        #expect(try builder.open(archives.manifest).differences(from: model) == [])
    }

    @Test("answer correctly or fail after any flipped byte", arguments: 5...8)
    func flipped(seed: UInt64) throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: seed)
        let archives = try make(&model, on: disk, checkpoints: 5)
        var random = SeededGenerator(seed: seed)
        var failures = 0
        for (name, bytes) in disk.world.files {
            for _ in 0..<12 {
                var damaged = bytes
                damaged[Int.random(in: bytes.indices, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
                disk.world.put(name, damaged)
                let opened = try ClosedModel.builder(disk).open(archives.manifest)
                #expect(opened.differences(from: model, allowingFailures: true) == [], "\(name)")
                if !opened.differences(from: model).isEmpty { failures += 1 }
            }
            disk.world.put(name, bytes)
        }
        #expect(failures > 0)
    }

    @Test("are whole again when damaged indexes were built again")
    func reindexed() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 9)
        let archives = try make(&model, on: disk)
        for (name, bytes) in disk.world.files where name.hasSuffix(".index") {
            var damaged = bytes
            damaged[4096 + 100] ^= 4
            disk.world.put(name, damaged)
        }
        let builder = try ClosedModel.builder(disk)
        let opened = try builder.open(archives.manifest)
        #expect(!opened.differences(from: model).isEmpty)
        #expect(try builder.reindex(opened).differences(from: model) == [])
    }

    @Test(
        "name the damaged file to a lookup that needs it, also when it was cut, and forget it again"
    )
    func namedDamage() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 11)
        let archives = try make(&model, on: disk)
        let file = try #require(archives.manifest.archives.first)
        let bytes = try #require(disk.world.files[file.name])
        let wrong = bytes.map { $0 == UInt8(ascii: "{") ? UInt8(ascii: "[") : $0 }
        for content in [wrong, Array(bytes.prefix(10))] {
            let opened = try ClosedModel.builder(disk).open(archives.manifest)
            #expect(opened.damage == [])
            disk.world.put(file.name, content)
            var failures = 0
            for number in 1...40 {
                do throws(ClosedHistoryFailure) {
                    _ = try opened.find(.key(OpaqueText("k-\(number)")))
                } catch {
                    #expect(error.isDamage, "\(error)")
                    failures += 1
                }
            }
            #expect(failures > 0)
            #expect(opened.damage.map(\.file) == [file.name])
            #expect(!opened.needsIndex)
            opened.forgetDamage(besides: [])
            #expect(opened.damage == [])
            disk.world.put(file.name, bytes)
        }
    }

    @Test("do not open when a file is missing, cut off or longer")
    func lengths() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 10)
        let archives = try make(&model, on: disk)
        let builder = try ClosedModel.builder(disk)
        for file in archives.manifest.archives {
            let bytes = try #require(disk.world.files[file.name])
            disk.world.put(file.name, bytes.dropLast())
            #expect(throws: ArchiveFailure.self) { try builder.open(archives.manifest) }
            disk.world.put(file.name, bytes + [10])
            #expect(throws: ArchiveFailure.self) { try builder.open(archives.manifest) }
            disk.world.drop(file.name)
            #expect(throws: ArchiveFailure.self) { try builder.open(archives.manifest) }
            disk.world.put(file.name, bytes)
        }
        #expect(try builder.open(archives.manifest).differences(from: model) == [])
    }

    @Test("of another store do not count")
    func otherStore() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 11)
        let archives = try make(&model, on: disk)
        let other = ArchiveBuilder(
            on: disk, of: UniqueID(high: 1, low: 2), products: ArchiveProducts())
        let opened = try other.open(archives.manifest)
        #expect(opened.unindexed == archives.manifest.archives)
        let indexed = try other.index(opened)
        #expect(indexed.unindexed == archives.manifest.archives)
        #expect(indexed.damage.map(\.file) == archives.manifest.archives.map(\.name))
        #expect(throws: ClosedHistoryFailure.self) { try indexed.find(.key("k-1")) }
    }

    @Test("keep orders and revocations in a ledger when retention drops them")
    func dropped() throws {
        let disk = MemoryDisk()
        var model = ClosedModel(seed: 12)
        var archives = try make(&model, on: disk)
        let builder = try ClosedModel.builder(disk)
        for divisor: UInt64 in [3, 2] {
            let mark = ClosedModel.time(model.sequence / divisor)
            let next = try builder.drop(from: archives.manifest) { time, _ in time < mark }
            #expect(next.archives.count < archives.manifest.archives.count)
            archives = try builder.index(builder.open(next, reusing: archives))
            try builder.removeUnnamed(keeping: [next], archives)
        }

        let kept = try #require(archives.manifest.archives.first?.first)
        var absent = 0
        for closing in model.closings {
            for key in ClosedModel.keys(of: closing.fact) {
                let found = try archives.find(key)?.fact
                switch (key, closing.fact) {
                case (.order(let order), .transaction(let transaction, _, _))
                where closing.sequence < kept:
                    #expect(found == .order(order, transaction.id))
                case (.revokedOrder, _): #expect(found == closing.fact)
                case (.restoredOrder, _): break
                default:
                    #expect(found == (closing.sequence < kept ? nil : closing.fact))
                    if found == nil { absent += 1 }
                }
            }
        }
        #expect(absent > 0)
        #expect(!archives.manifest.ledgers.isEmpty)
    }

    @Test("lose nothing that a manifest names, wherever the power fails in a checkpoint")
    func powerCuts() throws {
        let calls = try ArchiveCrash(seed: 13, cutAt: .max, survival: 1).calls
        for call in calls {
            for survival: UInt64 in 1...3 {
                let crash = try ArchiveCrash(seed: 13, cutAt: call, survival: survival)
                let differences = try crash.differences()
                #expect(differences == [], "power cut at call \(call), survival \(survival)")
            }
        }
    }

    @Test("fail whole, and succeed when tried again, when any disk operation fails")
    func failingCalls() throws {
        for call in [MemoryDiskFault.Call.open, .write, .sync, .syncDirectory, .rename, .read] {
            for number in 1...200 {
                let disk = MemoryDisk()
                var model = ClosedModel(seed: 14)
                let archives = try make(&model, on: disk, checkpoints: 4)
                let before = model
                let closings = model.close(30)
                let builder = try ClosedModel.builder(disk)
                disk.world.inject(MemoryDiskFault(call, number: number, .fail(errno: 28)))
                let failed =
                    (try? builder.checkpoint(archives, closings, upTo: model.sequence)) == nil
                disk.world.removeFaults()
                guard failed else { break }
                #expect(archives.differences(from: before) == [])
                let again = try builder.checkpoint(archives, closings, upTo: model.sequence)
                #expect(again.differences(from: model) == [])
            }
        }
    }
}

/// Two checkpoints, a retention and their manifests in a small file, cut off at a call.
private struct ArchiveCrash {
    /// The calls of the checkpoints.
    private(set) var calls = 0..<0
    private let world: MemoryDiskWorld
    private var models: [Int: ClosedModel] = [:]

    init(seed: UInt64, cutAt call: Int, survival: UInt64) throws {
        let world = MemoryDiskWorld()
        if call != .max { world.cutPower(atCall: call) }
        var model = ClosedModel(seed: seed)
        do {
            let disk = MemoryDisk(world: world)
            let builder = try ClosedModel.builder(disk)
            var archives = try builder.open(ArchiveManifest())
            let first = world.callCount
            for (version, count) in [20, 5, 30, 4, 4].enumerated() {
                let closings = model.close(count)
                models[version] = model
                let last = archives.manifest
                archives = try builder.checkpoint(archives, closings, upTo: model.sequence)
                try Self.save(archives.manifest, version, on: disk)
                try builder.removeUnnamed(keeping: [last, archives.manifest], archives)
                calls = first..<world.callCount
            }
        } catch {
            // Every failure is that of the power, and ends the run.
        }
        var random = SeededGenerator(seed: survival)
        self.world = world.afterPowerCut { Bool.random(using: &random) }
    }

    /// The differences between the manifest and the files that the next start finds.
    func differences() throws -> [String] {
        let disk = MemoryDisk(world: world)
        guard let (manifest, version) = try Self.load(disk), let model = models[version] else {
            return []
        }
        let builder = try ClosedModel.builder(disk)
        let opened = try builder.open(manifest)
        let found = try builder.index(opened)
        try builder.removeUnnamed(keeping: [manifest], found)
        return found.differences(from: model)
    }

    private static func save(_ manifest: ArchiveManifest, _ version: Int, on disk: any Disk) throws
    {
        var writer = JSONWriter(capacity: 1 << 12)
        writer.beginObject()
        writer.name("files")
        writer.beginArray()
        for file in manifest.files {
            writer.element()
            file.encode(into: &writer)
        }
        writer.endArray()
        writer.name("version")
        writer.integer(version)
        writer.endObject()
        let file = try disk.open("manifest.\(version)", .create)
        _ = try file.write(writer.bytes.span, at: 0)
        try file.sync()
        try disk.rename("manifest.\(version)", to: "manifest")
        try disk.sync()
    }

    private static func load(_ disk: any Disk) throws -> (ArchiveManifest, Int)? {
        guard try disk.list().contains("manifest") else { return nil }
        let file = try disk.open("manifest", .read)
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try file.read(into: &bytes, at: 0)
        let value = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        let files = try #require(value["files"]?.arrayValue).map { try #require(ArchiveFile($0)) }
        return (ArchiveManifest(files), Int(value["version"]?.intValue ?? 0))
    }
}

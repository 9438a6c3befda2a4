import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON
import Testing

/// The files as they are written, compared as text. `RECORD=1` writes the texts anew; what that
/// changes is reviewed like code. The store of a released version is never written again.
@Suite("The file format")
struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")
    private static var isRecording: Bool { ProcessInfo.processInfo.environment["RECORD"] == "1" }

    /// A store with every event and every item, as its first daemon leaves it.
    private func makeStore() throws -> MemoryDiskWorld {
        let rig = StorageRig(policy: JournalPolicy(prefillsSegments: false, reserveBytes: 0))
        let journal = try rig.open().journal
        try journal.commit(Array(Samples.all.prefix(8)))
        try journal.commit(Array(Samples.all.dropFirst(8)))
        try journal.markIdle()
        let ticket = try #require(try journal.log.beginSnapshot())
        _ = try LocalLog.writeSnapshot(ticket, store: NoteImage(texts: ["one"])) {
            Samples.currentItems.forEach($0)
        }
        journal.append(StoreRecord(Note(text: "two")), time: Samples.time)
        try journal.commit([(Samples.added(7), Samples.origin)])
        try journal.close()
        return rig.world.afterKill()
    }

    @Test(
        "is written as its golden text says",
        arguments: [
            "journal-00000000000000000001.ndjson", "journal-00000000000000000042.ndjson",
            "snapshot-00000000000000000041.json", "format.json", "lock",
        ])
    func text(name: String) throws {
        let world = try makeStore()
        let text =
            String(decoding: try #require(world.files[name]), as: UTF8.self)
            .split(separator: "\n").joined(separator: "\n") + "\n"
        let file = Self.folder.appending(path: "v3-one-log").appending(path: name)
        if Self.isRecording {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try text == String(contentsOf: file, encoding: .utf8))
    }

    @Test("of version 1 is read, now and for ever")
    func versionOne() throws {
        let world = try Self.world(of: "v1")
        let opened = try StorageRig(world: world).open()
        let added = Samples.added(7).asRecorded(by: Samples.origin)
        #expect(opened.items == Samples.versionOneItems.map(\.asVersionOne))
        #expect(opened.records.map(\.event) == [added])
        #expect(opened.report.wasClean)
        let all = try opened.journal.records(after: 0, count: 100)
        #expect(
            all.dropLast().map(\.event)
                == Samples.versionOne.map { $0.event.asRecorded(by: $0.origin).asVersionOne })
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
    }

    @Test(
        "of version 2 is read, now and for ever, also from before its files had checks of their own",
        arguments: ["v2", "v2-unmarked"])
    func versionTwo(version: String) throws {
        let world = try Self.world(of: version)
        let opened = try StorageRig(world: world).open()
        #expect(opened.items == Samples.items)
        #expect(opened.report.wasClean)
        let all = try opened.journal.records(after: 0, count: 100)
        #expect(
            all.dropLast().map(\.event) == Samples.all.map { $0.event.asRecorded(by: $0.origin) })
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
    }

    @Test("with the embedded store in the log is read, now and for ever")
    func oneLog() throws {
        let rig = StorageRig(world: try Self.world(of: "v3-one-log"))
        let store = NoteReplay()
        let seen = SeenReplay(store: store)
        let (_, report) = try LocalLog.open(in: rig.stateDirectory(), settings: rig.settings, seen)
        #expect(report.wasClean)
        #expect(seen.items == Samples.currentItems)
        #expect(store.items == ["one"] && store.texts == ["two"])
        #expect(
            seen.records.map(\.event) == [Samples.added(7).asRecorded(by: Samples.origin)])
    }

    @Test("of version 3 is read, now and for ever")
    func versionThree() throws {
        let world = try Self.world(of: "v3")
        let opened = try StorageRig(world: world).open()
        #expect(opened.items == Samples.currentItems)
        #expect(opened.report.wasClean)
        let all = try opened.journal.records(after: 0, count: 100)
        #expect(
            all.dropLast().map(\.event) == Samples.all.map { $0.event.asRecorded(by: $0.origin) })
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
    }

    @Test(
        "of an older version becomes one that its program refuses before anything is added to it",
        arguments: [("v1", 1, 9), ("v2", 2, Samples.items.count)])
    func raised(version: String, number: Int, items: Int) throws {
        let old = try Self.world(of: version)
        let before = try FormatFile(in: old)
        #expect(before.version == number && before.minimumReader == number)
        let whole = old.afterKill()
        let added = [
            (
                event: Event.transaction(
                    .gated, Samples.transaction(1, .gated, revision: 77)), origin: Origin?.none
            )
        ]
        try StorageRig(world: whole).open().journal.commit(added)
        let after = try FormatFile(in: whole)
        #expect(after.version == 3 && after.minimumReader == 3)
        #expect(after.store == before.store && after.epoch == before.epoch)
        for call in 1...whole.callCount {
            let world = old.afterKill()
            world.cutPower(atCall: call)
            let journal = try? StorageRig(world: world).open().journal
            _ = try? journal?.commit(added)
            for survives in [true, false] {
                let next = world.afterPowerCut { survives }
                let hasNew = next.files.contains { name, bytes in
                    name.hasPrefix("journal-")
                        && String(decoding: bytes, as: UTF8.self).contains(#""revision":77"#)
                }
                let minimum = try FormatFile(in: next).minimumReader
                #expect(!hasNew || minimum == 3, "call \(call)")
                #expect(try StorageRig(world: next).open().items.count == items, "call \(call)")
            }
        }
    }

    /// The files of a golden store.
    private static func world(of version: String) throws -> MemoryDiskWorld {
        let world = MemoryDiskWorld()
        let folder = folder.appending(path: version)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            world.put(name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
        return world
    }
}

/// What the format file of a world says.
private struct FormatFile {
    let store: String?
    let epoch: String?
    let version: Int?
    let minimumReader: Int?

    init(in world: MemoryDiskWorld) throws {
        let value = try JSONValue(parsing: try #require(world.files["format.json"]))
        store = value["store"]?.stringValue
        epoch = value["epoch"]?.stringValue
        version = value["version"]?.intValue.map { Int($0) }
        minimumReader = value["minimumReader"]?.intValue.map { Int($0) }
    }
}

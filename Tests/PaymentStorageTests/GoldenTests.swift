import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
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
        let rig = StorageRig(policy: JournalPolicy(preparesSegments: false, reserveBytes: 0))
        let journal = try rig.open().journal
        try journal.commit(Array(Samples.all.prefix(8)))
        try journal.commit(Array(Samples.all.dropFirst(8)))
        try journal.markIdle()
        let ticket = try #require(try journal.log.beginSnapshot())
        _ = try QueueJournal.writeSnapshot(ticket) { Samples.items.forEach($0) }
        try journal.commit([(Samples.added(7), Samples.origin)])
        try journal.close()
        return rig.world.afterKill()
    }

    @Test(
        "is written as its golden text says",
        arguments: [
            "journal-00000000000000000001.ndjson", "journal-00000000000000000023.ndjson",
            "snapshot-00000000000000000022.json", "format.json", "lock",
        ])
    func text(name: String) throws {
        let world = try makeStore()
        let text =
            String(decoding: try #require(world.files[name]), as: UTF8.self)
            .split(separator: "\n").joined(separator: "\n") + "\n"
        let file = Self.folder.appending(path: "v1").appending(path: name)
        if Self.isRecording {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try text == String(contentsOf: file, encoding: .utf8))
    }

    @Test("of version 1 is read, now and for ever")
    func versionOne() throws {
        let world = MemoryDiskWorld()
        let folder = Self.folder.appending(path: "v1")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            world.put(name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
        let opened = try StorageRig(world: world).open()
        #expect(opened.items == Samples.items)
        #expect(opened.records.map(\.event) == [Samples.added(7).asRecorded(by: Samples.origin)])
        #expect(opened.report.wasClean)
        let all = try opened.journal.records(after: 0, count: 100)
        #expect(
            all.dropLast().map(\.event) == Samples.all.map { $0.event.asRecorded(by: $0.origin) })
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
    }
}

import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentStorage

@Suite("The first and the last line of a snapshot")
struct SnapshotLineTests {
    @Test(
        arguments: [
            (#""t":"snapshot""#, #""t":"snapshots""#), ("payqueued-snapshot", "payqueued-other"),
            (#""version":1"#, #""version":2"#),
        ])
    func `a first line of another kind is refused`(old: String, new: String) throws {
        let header = SnapshotHeader(
            store: UniqueID(high: 1, low: 2), epoch: "e", created: PaymentTesting.Samples.noon,
            build: "test",
            position: LogJudge.Position())
        var writer = JSONWriter(capacity: 512)
        header.encode(into: &writer)
        #expect(try SnapshotHeader(writer.bytes[...]).store == header.store)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        try #require(text.contains(old))
        #expect(throws: PayloadFault.self) {
            try SnapshotHeader(Array(text.replacing(old, with: new).utf8)[...])
        }
    }

    @Test func `a last line has a number of lines, and is short`() {
        func read(_ lines: String, _ digest: String) -> SnapshotTrailer? {
            SnapshotTrailer(Array("{\"lines\":\(lines),\"sha256\":\"\(digest)\"}".utf8)[...])
        }
        #expect(read("3", "a")?.lines == 3)
        #expect(read("-1", "a") == nil)
        #expect(read("3", String(repeating: "a", count: SnapshotTrailer.limit)) == nil)
    }

    @Test func `a snapshot with a last line that is not its own is damaged`() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { body in body(.counters(incarnation: 3)) }
        let world = rig.world.afterKill()
        let bytes = try #require(world.files[receipt.name])
        let start = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        let trailer = try #require(SnapshotTrailer(bytes[start..<bytes.count - 1]))
        func put(lines: UInt64) {
            var writer = JSONWriter(capacity: 512)
            let sum = LineFormat.sum(Array(bytes[..<start]), after: 0)
            SnapshotTrailer(lines: lines, digest: trailer.digest, sumOfLines: sum)
                .encode(into: &writer)
            world.put(receipt.name, bytes[..<start] + writer.bytes + [UInt8(ascii: "\n")])
        }
        /// The damaged snapshots, if the newest is verified while it is read.
        func passedOver() throws -> [String] {
            let rig = StorageRig(world: world.afterKill())
            let reading = try LocalLog.read(
                in: rig.stateDirectory(), settings: rig.settings, SeenReplay(), quickly: true)
            return try reading.open().report.damagedSnapshots
        }
        put(lines: trailer.lines)
        #expect(try passedOver() == [])
        #expect(try StorageRig(world: world.afterKill()).open().report.damagedSnapshots == [])
        put(lines: trailer.lines - 1)
        #expect(throws: StorageError.self) { try passedOver() }
        let opened = try StorageRig(world: world.afterKill()).open()
        #expect(opened.report.damagedSnapshots == [receipt.name])
        world.put(receipt.name, bytes.dropLast() + [UInt8(ascii: "x")])
        #expect(try passedOver() == [receipt.name])
        let other = try StorageRig(world: world.afterKill()).open()
        #expect(other.report.damagedSnapshots == [receipt.name])
        world.put(receipt.name, bytes + bytes[start...])
        #expect(throws: PayloadFault.self) {
            try SnapshotFile(verifying: receipt.name, on: MemoryDisk(world: world))
        }
    }

    @Test func `an empty journal has no progress text`() {
        #expect(RecoveryProgress(bytesDone: 0, bytesTotal: 0).status == nil)
        #expect(
            RecoveryProgress(bytesDone: 1, bytesTotal: 2)
                .status == "replaying the journal: 50% of 0 MiB")
    }
}

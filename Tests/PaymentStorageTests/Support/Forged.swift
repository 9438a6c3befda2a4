import PaymentCore
import PaymentTesting

@testable import PaymentStorage

/// Files as another program could have written them: a test has changed them, and their checksums are right.
enum Forged {
    /// The lines of a segment, or of a file of closed things.
    static func texts(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of lines, each of which continues the checksum of the one before, the first that of a line
    /// in front of them.
    static func bytes(_ lines: [String], after checksum: UInt32 = 0) -> [UInt8] {
        var chain = checksum
        var bytes: [UInt8] = []
        for line in lines {
            let start = bytes.count
            bytes += Array(line.utf8)
            chain = bytes[start...].withUnsafeBytes { LineFormat.checksum($0, seed: chain) }
            LineFormat.put(chain, into: &bytes, lineAt: start)
            bytes.append(10)
        }
        return bytes
    }

    /// A line of a segment with this number, in a batch of its own.
    static func line(_ sequence: Int, _ word: StaticString, _ payload: String) -> String {
        var writer = LineWriter(
            chain: 0, next: SequenceNumber(sequence), lineLimit: 1 << 16, capacity: 512)
        _ = writer.line(word, time: Samples.time, origin: nil) { $0.raw(Array(payload.utf8)) }
        return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }

    /// The seal of a segment.
    static func seal(_ sequence: Int, count: Int) -> String {
        line(
            sequence, "seal",
            #"{"count":\#(count),"sha256":"\#(String(repeating: "0", count: 64))"}"#)
    }

    /// The same line with another number; in a segment, in a batch of its own.
    static func relabel(_ line: String, _ sequence: SequenceNumber) -> String {
        line.replacing(/"s":\d+/, with: #""s":\#(sequence)"#, maxReplacements: 1)
            .replacing(/"b":\d+/, with: #""b":\#(sequence)"#, maxReplacements: 1)
    }

    /// The number of a line.
    static func sequence(of line: String) -> SequenceNumber {
        line.firstMatch(of: /"s":(\d+)/).flatMap { SequenceNumber($0.1) } ?? 0
    }

    /// A text whose first member is the checksum of what is behind it.
    static func checked(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        let sum = LineFormat.sum(Array(bytes[23...]), after: 0)
        bytes.replaceSubrange(13..<21, with: LineFormat.hex(sum).utf8)
        return bytes
    }
}

extension MemoryDiskWorld {
    /// A store of so many small events, each in a batch of its own, as a kill left it. No mark names a line.
    static func unmarked(events: UInt64, seed: UInt64 = 1) throws -> MemoryDiskWorld {
        var rig = StorageRig()
        rig.environment = .foreseeable(seed: seed)
        let journal = try rig.open().journal
        for number in 1...events { try journal.commitNumbers(number...number) }
        let world = rig.world.afterKill()
        try world.put(ProgressMark(store: world.format().store))
        return world
    }

    /// The names of the segments, in order.
    var segments: [String] { files.keys.filter { $0.hasPrefix("journal-") }.sorted() }

    /// The names of the snapshots, in order.
    var snapshots: [String] { files.keys.filter { $0.hasPrefix("snapshot-") }.sorted() }

    /// The content of the format file.
    func format() throws -> StoreFormat { try StoreFormat(reading: MemoryDisk(world: self)) }

    /// Replaces the lock file by one with this mark.
    func put(_ mark: ProgressMark) throws { put("lock", LockFile.bytes(mark)) }

    /// Changes the lines of a file.
    func forge(_ name: String, _ edit: (inout [String]) -> Void) {
        var lines = Forged.texts(files[name] ?? [])
        edit(&lines)
        put(name, Forged.bytes(lines))
    }

    /// Flips a bit of a letter of a line, which no other line then continues.
    func damage(_ name: String, line: Int) {
        var lines = Forged.texts(files[name] ?? []).map { Array($0.utf8) }
        lines[line][lines[line].count / 2] ^= 1
        put(name, lines.flatMap { $0 + [10] })
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Damage of every kind to a store whose every event was acknowledged and marked. Nothing may be
/// lost without a word: the start refuses, or every event is there.
@Suite("Damage to an idle journal")
struct DamageTests {
    private let world: MemoryDiskWorld
    private let name: String
    private let bytes: [UInt8]
    private static let events: ClosedRange<UInt64> = 1...9

    init() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...4)
        try journal.commitNumbers(5...5)
        try journal.markIdle()
        try journal.commitNumbers(6...9)
        try journal.markIdle()
        world = rig.world.afterKill()
        name = try #require(world.files.keys.first { $0.hasPrefix("journal-") })
        bytes = try #require(world.files[name])
    }

    private var end: Int { (bytes.lastIndex(of: UInt8(ascii: "}")) ?? 0) + 2 }

    /// What a start makes of other bytes: nil if it refuses, else the events that it gives.
    private func outcome(_ changed: [UInt8]) throws -> [UInt64]? {
        let copy = world.afterKill()
        copy.put(name, changed)
        let rig = StorageRig(world: copy)
        do {
            return try rig.open().records.numbers
        } catch StorageError.refused {
            return nil
        }
    }

    @Test("by any flipped bit loses no event")
    func flips() throws {
        var refused = 0
        for offset in 0..<end {
            // Two of the eight bits of each byte, all eight over any four bytes.
            for bit in [offset % 8, (offset + 4) % 8] {
                var changed = bytes
                changed[offset] ^= 1 << UInt8(bit)
                guard let events = try outcome(changed) else {
                    refused += 1
                    continue
                }
                #expect(events == Array(Self.events), "bit \(bit) of byte \(offset)")
            }
        }
        #expect(refused > end)
    }

    @Test("behind its last line loses no event")
    func noiseBehind() throws {
        for offset in stride(from: end, to: bytes.count, by: 37) {
            var changed = bytes
            changed[offset] = UInt8(ascii: "x")
            #expect(try outcome(changed) == Array(Self.events))
        }
    }

    @Test("by zeroed sectors loses no event")
    func zeroedSectors() throws {
        for sector in 0..<end / 512 {
            var changed = bytes
            for offset in sector * 512..<(sector + 1) * 512 { changed[offset] = 0 }
            #expect(try outcome(changed) == nil, "sector \(sector)")
        }
    }

    @Test("by lines left out, doubled or swapped loses no event")
    func lines() throws {
        let lines = bytes[..<end].split(separator: 10).map { Array($0) + [10] }
        for index in 0..<lines.count - 1 {
            var without = lines
            without.remove(at: index)
            #expect(try outcome(without.flatMap { $0 }) == nil, "line \(index) left out")
            var doubled = lines
            doubled.insert(lines[index], at: index)
            let events = try outcome(doubled.flatMap { $0 })
            #expect(events ?? Array(Self.events) == Array(Self.events), "line \(index) doubled")
            var swapped = lines
            swapped.swapAt(index, index + 1)
            #expect(try outcome(swapped.flatMap { $0 }) == nil, "lines \(index) swapped")
        }
    }

    @Test("by a line from another place of the same journal loses no event")
    func splicedLines() throws {
        let lines = bytes[..<end].split(separator: 10).map { Array($0) + [10] }
        for target in 1..<lines.count - 1 {
            for source in 1..<lines.count where source != target {
                var spliced = lines
                spliced[target] = lines[source]
                #expect(
                    try outcome(spliced.flatMap { $0 }) == nil, "\(source) in \(target)'s place")
            }
        }
    }

    @Test("by truncation leaves a beginning, and never half an event")
    func truncations() throws {
        for length in 0..<end {
            guard let events = try outcome(Array(bytes.prefix(length))) else { continue }
            #expect(events == Array(Self.events.prefix(events.count)), "at byte \(length)")
        }
    }

    @Test("by truncation is refused if the daemon had stopped cleanly")
    func truncationsAfterCleanStop() throws {
        let rig = StorageRig(world: world.afterKill())
        try rig.open().journal.close()
        let stopped = rig.world.afterKill()
        let whole = try #require(stopped.files[name])
        #expect(whole.last == 10)
        for length in 1..<whole.count {
            let copy = stopped.afterKill()
            copy.put(name, Array(whole.prefix(length)))
            #expect(try StorageRig(world: copy).refusal() != nil, "at byte \(length)")
        }
    }
}

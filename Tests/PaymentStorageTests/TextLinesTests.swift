import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("Lines of a file")
struct TextLinesTests {
    @Test(
        "are read whole, however long, and stay as they are while others are read", arguments: 1...6
    )
    func lines(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let world = MemoryDiskWorld()
        var expected: [[UInt8]] = []
        for _ in 0..<60 {
            let longest = dice.chance(10) ? TextLines.pieceBytes * 3 : 30_000
            let letter = UInt8(ascii: "a") + UInt8(dice.below(26))
            expected.append([UInt8](repeating: letter, count: dice.below(longest)))
        }
        world.put("file", Array(expected.joined(separator: [10])) + [10])
        let file = try MemoryDisk(world: world).open("file", .read)
        var reader = TextLines(file: file, length: try file.length())
        var lines: [ArraySlice<UInt8>] = []
        // The slices keep their pieces, so pieces are in use when their turn comes again.
        while let line = try reader.next() { lines.append(line) }
        #expect(lines.map { Array($0) } == expected)
        #expect(reader.isComplete)
    }

    @Test("end where the file does, also if it was longer before", arguments: ["", "thr"])
    func shorter(rest: String) throws {
        let world = MemoryDiskWorld()
        world.put("file", Array("one\ntwo\n\(rest)".utf8))
        var reader = TextLines(
            file: try MemoryDisk(world: world).open("file", .read), length: 40)
        for line in ["one", "two"] {
            #expect(try reader.next().map { Array($0) } == Array(line.utf8))
        }
        #expect(try reader.next() == nil)
        #expect(!reader.isComplete)
    }
}

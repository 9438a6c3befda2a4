import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A power cut", .ownThreads)
struct CrashTests {
    @Test("at any call, with any part of what was not synced, costs no acknowledged event")
    func everyCall() throws {
        let calls = try callCount()
        var states = 0
        for call in 1...calls {
            let world = MemoryDiskWorld()
            world.cutPower(atCall: call)
            let outcome = CrashScript.run(in: world)
            for survives in subsets(of: world, seed: UInt64(call)) {
                var survives = survives
                let next = world.afterPowerCut { survives.next() }
                states += 1
                guard let violation = CrashScript.violation(in: next, after: outcome) else {
                    continue
                }
                Issue.record("call \(call), \(survives): \(violation)")
                return
            }
        }
        #expect(states >= 19_000)
    }

    @Test("during a start, after one during life, costs no acknowledged event")
    func duringRecovery() throws {
        let calls = try callCount()
        var generator = SeededGenerator(seed: 7)
        for round in 0..<400 {
            let world = MemoryDiskWorld()
            world.cutPower(atCall: Int.random(in: 1...calls, using: &generator))
            let outcome = CrashScript.run(in: world)
            let second = world.afterPowerCut { Bool.random(using: &generator) }
            second.cutPower(atCall: Int.random(in: 1...40, using: &generator))
            _ = try? StorageRig(world: second, policy: CrashScript.policy).open()
            let third = second.afterPowerCut { Bool.random(using: &generator) }
            let violation = CrashScript.violation(in: third, after: outcome)
            #expect(violation == nil, "round \(round)")
        }
    }

    @Test("in the middle of a start's own writing is as good as none", arguments: [true, false])
    func killDuringRecovery(isTorn: Bool) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let killed = rig.world.afterKill()
        if isTorn {
            let name = try #require(killed.files.keys.first { $0.hasPrefix("journal-") })
            var bytes = try #require(killed.files[name])
            bytes[try #require(bytes.lastIndex(of: UInt8(ascii: "}")))] = 10
            killed.put(name, bytes)
        }
        for call in 1..<60 {
            let world = killed.afterKill()
            world.cutPower(atCall: call)
            guard (try? StorageRig(world: world).open()) == nil else { break }
            let next = try StorageRig(world: world.afterKill()).open()
            #expect(next.records.numbers == (isTorn ? [1, 2] : [1, 2, 3]), "call \(call)")
        }
    }

    private func callCount() throws -> Int {
        let world = MemoryDiskWorld()
        let outcome = CrashScript.run(in: world)
        try #require(outcome.acknowledged == outcome.attempted)
        return world.callCount
    }

    /// All subsets if there are few, else none, all and a seeded choice.
    private func subsets(of world: MemoryDiskWorld, seed: UInt64) -> [Survival] {
        let changes = world.unsyncedChanges
        if changes <= 6 { return (0..<(1 << changes)).map { .mask(UInt64($0)) } }
        return [.mask(0), .mask(.max)]
            + (0..<260).map { .seeded(SeededGenerator(seed: seed << 8 | $0)) }
    }
}

/// Which changes had reached the disk.
enum Survival: CustomStringConvertible {
    /// Those whose bit is set, the first in the lowest bit.
    case mask(UInt64)
    /// Those that a seed picks.
    case seeded(SeededGenerator)

    mutating func next() -> Bool {
        switch self {
        case .mask(let bits):
            self = .mask(bits >> 1 | bits & 1 << 63)
            return bits & 1 == 1
        case .seeded(var generator):
            defer { self = .seeded(generator) }
            return Bool.random(using: &generator)
        }
    }

    var description: String {
        switch self {
        case .mask(let bits): "mask \(bits)"
        case .seeded(let generator): "seed \(generator.seed)"
        }
    }
}

@Suite("A journal with one safeguard taken away")
struct MutantTests {
    /// A safeguard: the calls that it consists of.
    struct Mutant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: MemoryDiskFault.Call
        let prefix: String
    }

    static let mutants = [
        Mutant(testDescription: "the sync of a commit", call: .syncData, prefix: ""),
        Mutant(testDescription: "every sync of a directory", call: .syncDirectory, prefix: ""),
        Mutant(
            testDescription: "the sync of a file before it gets its name", call: .sync, prefix: ""),
        Mutant(
            testDescription: "the sync of a snapshot", call: .sync, prefix: "snapshot-"),
        Mutant(testDescription: "the sync of a new segment's header", call: .sync, prefix: "spare"),
        Mutant(
            testDescription: "the sync of a segment written again", call: .sync,
            prefix: "journal-"),
        Mutant(testDescription: "the sync of format.json", call: .sync, prefix: "format.json"),
    ]

    @Test("is found out by power cuts", arguments: mutants)
    func isFoundOut(_ mutant: Mutant) throws {
        let fault = MemoryDiskFault(
            mutant.call, isLasting: true, namePrefix: mutant.prefix, .ignore)
        let whole = MemoryDiskWorld()
        _ = CrashScript.run(in: whole)
        var generator = SeededGenerator(seed: 3)
        for call in 1...whole.callCount + 1 {
            let world = MemoryDiskWorld()
            world.inject(fault)
            world.cutPower(atCall: call)
            let outcome = CrashScript.run(in: world)
            for survives in [{ false }, { Bool.random(using: &generator) }] {
                let next = world.afterPowerCut(survives: survives)
                if CrashScript.violation(in: next, after: outcome) != nil { return }
            }
        }
        Issue.record("no power cut tells this journal from a whole one")
    }
}

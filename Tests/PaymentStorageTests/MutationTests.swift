import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Thousands of damaged state directories, each made by a seed. `make mutations MUTATIONS=…` makes more.
///
/// A start and a verification judge alike, and no start goes on with less than was acknowledged.
@Suite("A damaged state directory")
struct MutationTests {
    /// A state directory as a process left it.
    struct Base: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let files: [String: [UInt8]]
        /// The last event that was acknowledged.
        let acknowledged: UInt64
        /// The number of the orders in the embedded store.
        var orders = 15
        /// Whether the files prove how far the log went.
        var isProven = false
    }

    static let count =
        ProcessInfo.processInfo.environment["PAYQUEUED_MUTATIONS"].flatMap { UInt64($0) } ?? 3000

    static let bases: [Base] = {
        do {
            return try [
                life("stopped", seed: 1) { queue, store in
                    try queue.close()
                    try store.close()
                },
                life("killed when idle", seed: 2) { queue, store in
                    try queue.markIdle()
                    try store.markIdle()
                },
                fixture("v1"), fixture("v2"), fixture("v2-unmarked"),
            ]
        } catch {
            preconditionFailure("a base cannot be made: \(error)")
        }
    }()

    /// A life with several segments, two snapshots, and orders in the embedded store.
    private static func life(
        _ name: String, seed: UInt64,
        end: (LocalLog, RecordJournal<Note>) throws -> Void
    ) throws -> Base {
        let world = MemoryDiskWorld()
        let opened = try StateRig(world: world, seed: seed).open()
        for number in 1...60 as ClosedRange<UInt64> {
            try opened.queue.commitNumbers(number...number)
            if number.isMultiple(of: 4) {
                _ = opened.store.append(Note(text: "\(number)"), time: Samples.time)
                try opened.store.commit()
            }
            guard number == 20 || number == 40 else { continue }
            let ticket = try #require(try opened.queue.log.beginSnapshot())
            let receipt = try LocalLog.writeSnapshot(ticket) { body in
                body(.counters(incarnation: number))
            }
            try opened.queue.log.snapshotWasWritten(receipt)?.perform()
        }
        try end(opened.queue, opened.store)
        return Base(
            testDescription: name, files: world.afterKill().files, acknowledged: 60,
            isProven: true)
    }

    /// The directory of a version. Its snapshot says nothing that can be counted.
    private static func fixture(_ version: String) throws -> Base {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures").appending(path: version)
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = Array(try Data(contentsOf: folder.appending(path: name)))
        }
        return Base(testDescription: version, files: files, acknowledged: 0)
    }

    /// What a sweep has seen.
    struct Tally: CustomStringConvertible {
        var accepted = 0
        var refused = 0
        var repaired = 0
        var violations: [String] = []
        var description: String {
            "\(accepted) accepted, \(refused) refused, \(repaired) of those repaired, "
                + "\(violations.count) violations"
        }
    }

    /// Damages a directory as each seed says and judges it by a start and by a verification.
    private func sweep(
        _ base: Base, seeds: Range<UInt64>,
        verify: (StateRig) -> Int32 = { $0.verified().exitCode }
    ) throws -> Tally {
        let others = base.files == Self.bases[0].files ? Self.bases[1].files : Self.bases[0].files
        var tally = Tally()
        for seed in seeds {
            var mutation = Mutation(seed: seed, others: others)
            var files = base.files
            mutation.apply(to: &files)
            let rig = StateRig(world: try MemoryDiskWorld(files: files), seed: seed)
            let exitCode = verify(rig)
            if let violation = judge(rig, base, exitCode, &tally) {
                tally.violations.append("seed \(seed): \(mutation)\(violation)")
            }
        }
        return tally
    }

    /// What is wrong with a start, nil if nothing is.
    private func judge(
        _ rig: StateRig, _ base: Base, _ exitCode: Int32, _ tally: inout Tally
    ) -> String? {
        do {
            let opened = try rig.open()
            tally.accepted += 1
            guard exitCode == 0 else { return "a start accepts what verify calls \(exitCode)" }
            guard base.isProven else { return nil }
            guard opened.last >= base.acknowledged else {
                return "\(opened.last) of \(base.acknowledged) are left"
            }
            let first = (opened.replayed.first ?? 1) - 1
            guard opened.replayed == Array(first + 1..<first + 1 + UInt64(opened.replayed.count))
            else { return "a gap in \(opened.replayed)" }
            guard opened.notes.count == base.orders else { return "\(opened.notes.count) orders" }
            return nil
        } catch {
            tally.refused += 1
            guard exitCode != 0 else { return "verify accepts what a start refuses: \(error)" }
            return repair(rig, base, &tally)
        }
    }

    /// What is wrong with a repair, nil if nothing is. One that finds nothing to begin from is none.
    private func repair(_ rig: StateRig, _ base: Base, _ tally: inout Tally) -> String? {
        let source = MemoryDisk(world: rig.world.afterKill())
        let content = { (name: String) -> any RecoveryVisitor in
            name.isEmpty ? LocalLog.visitor(SeenReplay()) : AnyContent()
        }
        guard let surveys = try? JournalRepair.surveyAll(source, visitor: content) else {
            return nil
        }
        let lost = surveys.reduce(0) { $0 + $1.survey.lost }
        let target = StateRig(world: MemoryDiskWorld(), seed: 77)
        do {
            try JournalRepair.repairAll(
                source, into: MemoryDisk(world: target.world), acceptedLoss: lost,
                environment: .foreseeable(seed: 78), visitor: content)
            guard target.verified(isDeep: true).exitCode == 0 else {
                return "a repair does not verify: \(target.verified(isDeep: true).findings)"
            }
            let opened = try target.open()
            tally.repaired += 1
            let named = surveys.first { $0.name.isEmpty }?.survey.lost ?? 0
            let first = (opened.replayed.first ?? opened.last + 1) - 1
            let kept = first + UInt64(opened.replayed.count)
            guard !base.isProven || kept + named >= base.acknowledged else {
                return "\(kept) are left and \(named) are named of \(base.acknowledged)"
            }
            return nil
        } catch {
            return "a repair fails or does not start: \(error)"
        }
    }

    @Test("is judged alike by a start and by a verification", arguments: bases.indices)
    func law(index: Int) throws {
        let base = Self.bases[index]
        let share = Self.count / UInt64(Self.bases.count)
        let tally = try sweep(base, seeds: 0..<share)
        print("\(base.testDescription): \(share) mutations, \(tally)")
        #expect(tally.violations == [])
        #expect(tally.refused > share / 4 && tally.accepted > share / 20)
    }

    @Test("is not judged alike by a verification that does not read the lock file")
    func plantedDefect() throws {
        let tally = try sweep(Self.bases[0], seeds: 0..<400) { rig in
            let world = rig.world.afterKill()
            world.drop("lock")
            return StateRig(world: world).verified().exitCode
        }
        #expect(!tally.violations.isEmpty)
    }
}

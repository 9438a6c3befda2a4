import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Thousands of damaged state directories, each made by a seed. `make mutations MUTATIONS=…` makes more.
///
/// A start, a verification and a repair judge alike; no start continues with less than was
/// acknowledged; a repair names exactly the records that it could not copy.
@Suite("A damaged state directory", .ownThreads)
struct MutationTests {
    static let count =
        ProcessInfo.processInfo.environment["PAYQUEUED_MUTATIONS"].flatMap { UInt64($0) } ?? 3000

    /// What a sweep has seen.
    struct Tally: CustomStringConvertible {
        var accepted = 0
        var quickly = 0
        var refused = 0
        var repaired = 0
        var withoutLoss = 0
        var hopeless = 0
        var violations: [String] = []
        var description: String {
            "\(accepted) accepted, \(quickly) of them in the quick way, \(refused) refused; of those \(repaired) repaired, "
                + "\(withoutLoss) without loss, and \(hopeless) left to a backup; "
                + "\(violations.count) violations"
        }
    }

    /// Damages a directory as each seed says, and judges it by a start, a verification and a repair.
    private func sweep(
        _ base: MutationBase, seeds: Range<UInt64>,
        verify: (StateRig) -> Int32 = { $0.verified().exitCode }
    ) throws -> Tally {
        let others = base.others
        var tally = Tally()
        for seed in seeds {
            var mutation = Mutation(seed: seed, others: others)
            var files = base.files
            mutation.apply(to: &files)
            let rig = StateRig(world: try MemoryDiskWorld(files: files), seed: seed)
            let isProven = base.isProven(files)
            let fault = judge(rig, base, verify(rig), isProven: isProven, &tally)
            if let fault { tally.violations.append("seed \(seed): \(mutation)\(fault)") }
        }
        return tally
    }

    /// What is wrong with the judgement of a directory; nil if nothing is.
    private func judge(
        _ rig: StateRig, _ base: MutationBase, _ exitCode: Int32, isProven: Bool,
        _ tally: inout Tally
    ) -> String? {
        let before = rig.world.files
        let source = MemoryDisk(world: rig.world.afterKill())
        let surveys = try? JournalRepair.surveyAll(source, visitor: StateRig.visitor)
        let isQuick = rig.isAcceptedQuickly()
        do {
            let opened = try rig.open()
            tally.accepted += 1
            tally.quickly += isQuick ? 1 : 0
            guard exitCode == 0 else { return "a start accepts what verify calls \(exitCode)" }
            if let fault = base.fault(in: opened, isProven: isProven)
                ?? base.historyFault(in: opened, before)
            {
                return fault
            }
            let deep = StateRig(world: source.world).verified(isDeep: true)
            guard (deep.exitCode == 0) == (try scrub(source)) else {
                return "a scrub judges in another way than a deep verification: \(deep.findings)"
            }
            guard surveys?.allSatisfy({ $0.survey.finding == nil && $0.survey.lost == 0 }) != true
            else { return nil }
            // A start leaves the lines of archive files unread. A repair reads them.
            guard deep.exitCode != 0, let surveys else {
                return "a start accepts what a repair does not"
            }
            return repair(source, surveys, base, &tally)
        } catch {
            tally.refused += 1
            guard !isQuick else { return "the quick way accepts what a start refuses: \(error)" }
            guard exitCode != 0 else { return "verify accepts what a start refuses: \(error)" }
            // A lock is taken on a file, which is made for it.
            let after = rig.world.files.filter { !$0.value.isEmpty || before[$0.key] != nil }
            guard after == before else { return "a start that refuses has written" }
            guard let surveys else {
                tally.hopeless += 1
                return nil
            }
            guard surveys.contains(where: { $0.survey.finding != nil }) else {
                return "a repair accepts what a start refuses: \(error)"
            }
            return repair(source, surveys, base, &tally)
        }
    }

    /// Whether a scrub finds nothing.
    private func scrub(_ source: MemoryDisk) throws -> Bool {
        let names = try JournalRepair.journals(of: source)
        return try names.allSatisfy { name in
            let disk = try name.isEmpty ? source : source.directory(name, create: false)
            return JournalScrub.run(disk).damage.isEmpty
        }
    }

    /// What is wrong with a repair; nil if nothing is.
    private func repair(
        _ source: MemoryDisk, _ surveys: [(name: String, survey: JournalRepair.Survey)],
        _ base: MutationBase, _ tally: inout Tally
    ) -> String? {
        let target = StateRig(world: MemoryDiskWorld(), seed: 77)
        let lost = surveys.reduce(0) { $0 + $1.survey.lost }
        do {
            try JournalRepair.repairAll(
                source, into: MemoryDisk(world: target.world), acceptedLoss: lost,
                environment: .foreseeable(seed: 78), visitor: StateRig.visitor)
            let verified = target.verified(isDeep: true)
            guard verified.exitCode == 0 else {
                return "a repair does not verify: \(verified.findings)"
            }
            let opened = try target.open()
            tally.repaired += 1
            if lost == 0 { tally.withoutLoss += 1 }
            let ranges = { (name: String) in
                Set(surveys.first { $0.name == name }?.survey.lostRanges.joined().map(\.self) ?? [])
            }
            let closings = surveys.first { $0.name == "" }?.survey.lostClosings ?? []
            return base.fault(
                in: opened, lost: (ranges(""), ranges("sandbox")),
                isProven: surveys.allSatisfy(\.survey.isEndProven))
                ?? base.historyFault(
                    in: opened, [:],
                    lost: Set(closings.flatMap(\.ranges).joined().map(\.self)))
        } catch {
            return "a repair fails or does not start: \(error)"
        }
    }

    @Test(
        "is judged alike by a start, a verification and a repair",
        arguments: MutationBase.all.indices)
    func law(index: Int) throws {
        let base = MutationBase.all[index]
        let share = Self.count / UInt64(MutationBase.all.count)
        let tally = try sweep(base, seeds: 0..<share)
        print("\(base.testDescription): \(share) mutations, \(tally)")
        #expect(tally.violations == [])
        #expect(tally.refused > share / 4 && tally.accepted > share / 20)
        #expect(tally.quickly > tally.accepted / 4)
    }

    @Test("is not judged alike by a verification that does not read the lock file")
    func plantedDefect() throws {
        let tally = try sweep(MutationBase.all[0], seeds: 0..<400) { rig in
            let world = rig.world.afterKill()
            world.drop("lock")
            return StateRig(world: world).verified().exitCode
        }
        #expect(!tally.violations.isEmpty)
    }

    @Test("loses records silently when no mark says how far the log went")
    func plantedLoss() throws {
        let killed = try #require(MutationBase.all.first { $0.testDescription == "v1, killed" })
        let base = try MutationBase("marks that are not there", files: killed.files)
        let tally = try sweep(base, seeds: 0..<400)
        #expect(tally.violations.contains { $0.hasSuffix("is lost silently") })
    }
}

extension MutationBase {
    /// Whether files, made from these by damage, still say how far the log went: by marks, of which
    /// damage to the lock file leaves nothing unnoticed, or by the word of a clean stop.
    fileprivate func isProven(_ damaged: [String: [UInt8]]) -> Bool {
        let hasStop = files["lock"]?.starts(with: Array(#"{"boot":"boot","clean""#.utf8)) == true
        return isMarked || (hasStop && damaged["lock"] == files["lock"])
    }
}

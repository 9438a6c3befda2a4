import Foundation
import PaymentTesting
import Testing

/// Disks as file systems leave them after a loss of power, rebuilt at every operation of drawn lives.
/// `make crash-states STATES=…` runs millions, optimized, and continues where it was stopped.
@Suite("A disk rebuilt as a loss of power can leave it", .ownThreads)
struct CrashStateTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many states are judged.
    static let wanted = environment["PAYQUEUED_CRASH_STATES"].flatMap { Int($0) } ?? 1
    /// The file that keeps the counts of each seed, so that a later run continues.
    static let log = environment["PAYQUEUED_CRASH_LOG"]

    private func states(of seed: UInt64) throws -> CrashStates.Tally {
        var tally = CrashStates.Tally()
        // A few lives are as many as a run of all tests has time for.
        let script = ShopScript(seed: seed, lives: Self.log == nil ? 2 : 5)
        for recording in try CrashRecording.record(script, seed: seed) {
            tally += CrashStates().run(recording, seed: seed)
        }
        return tally
    }

    @Test("starts, with everything that was acknowledged, once")
    func everyOperation() throws {
        var done = CrashLog(path: Self.log)
        var total = CrashStates.Tally()
        while done.states < Self.wanted {
            let seed = done.nextSeed
            let tally = try states(of: seed)
            total += tally
            try done.append(tally, of: seed)
            for violation in tally.violations.prefix(3) { Issue.record("\(violation)") }
            guard tally.violations.isEmpty else { return }
        }
        print(
            "\(total.states) states of \(total.operations) operations, \(total.starts) starts;"
                + " \(done.states) states in all up to seed \(done.nextSeed - 1)")
        for model in CrashModel.allCases where Self.log == nil {
            #expect(total.models[model, default: 0] > 0, "\(model)")
        }
    }

    /// Names that are all there show no missing sync of a directory.
    private static let blind: [CrashModel: Set<CrashRecording.Defect>] = [
        .namesFirst: [.lostDirectorySync], .torn512: [.lostDirectorySync],
        .torn4096: [.lostDirectorySync],
    ]

    @Test("shows a planted defect, whatever it leaves", arguments: CrashModel.allCases)
    func planted(model: CrashModel) throws {
        for defect in CrashRecording.Defect.allCases
        where Self.blind[model]?.contains(defect) != true {
            let isFound = (1...12 as ClosedRange<UInt64>).contains { seed in
                // A start that the defect prevents is as good a finding.
                guard
                    let recordings = try? CrashRecording.record(
                        ShopScript(seed: seed), seed: seed, defect: defect)
                else { return true }
                let states = CrashStates(models: [model], stopsEarly: true)
                return recordings.contains { !states.run($0, seed: seed).violations.isEmpty }
            }
            #expect(isFound, "\(defect)")
        }
    }
}

/// The counts of the seeds that were run, a line for each.
struct CrashLog {
    private let path: String?
    private(set) var states = 0
    private(set) var nextSeed: UInt64 = 1

    init(path: String?) {
        self.path = path
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            return
        }
        for line in text.matches(of: #/"seed":(\d+),"states":(\d+)/#) {
            nextSeed = max(nextSeed, (UInt64(line.1) ?? 0) + 1)
            states += Int(line.2) ?? 0
        }
    }

    /// Adds the counts of a seed.
    mutating func append(_ tally: CrashStates.Tally, of seed: UInt64) throws {
        states += tally.states
        nextSeed = seed + 1
        guard let path else { return }
        let line =
            #"{"seed":\#(seed),"states":\#(tally.states),"starts":\#(tally.starts),"#
            + #""operations":\#(tally.operations),"violations":\#(tally.violations.count)}"# + "\n"
        let url = URL(filePath: path)
        let before = (try? Data(contentsOf: url)) ?? Data()
        try (before + Data(line.utf8)).write(to: url)
    }
}

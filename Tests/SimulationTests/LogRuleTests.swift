import PaymentCore
import PaymentTesting
import Testing

@Suite("A log of the simulation")
struct LogRuleTests {
    @Test("keeps the rules of logs in memory", arguments: LogRule.allCases)
    func memory(_ rule: LogRule) throws {
        try rule.check(SimulatedPlace(RecordingMedium(limits: Limits(), seed: 1)))
    }

    @Test("keeps the rules of logs on a disk", arguments: LogRule.allCases)
    func disk(_ rule: LogRule) throws {
        try rule.check(SimulatedPlace(DiskMedium(limits: Limits(), seed: 1) { nil }))
    }
}

/// A medium of the simulation, whose commits answer later.
private final class SimulatedPlace: LogPlace {
    private let medium: any Medium
    private var work: [() -> Void] = []
    private var life: WatchedJournal?
    private var dice = SeededGenerator(seed: 1)

    init(_ medium: any Medium) {
        self.medium = medium
    }

    func open(_ replay: any LogReplay) throws -> any RecordLog {
        let opened = try medium.open()
        for record in opened.replayed { try replay.replay(record) }
        let journal = WatchedJournal(opened.journal)
        journal.later = { [unowned self] in work.append($0) }
        life = journal
        return journal
    }

    func settle() {
        while !work.isEmpty { work.removeFirst()() }
    }

    func kill() {
        work = []
        medium.processDied(&dice)
    }

    func failNextCommit() {
        life?.fate = { .fails }
        life?.beforeFailure = { [unowned self] in medium.armFailure(&dice) }
    }

    func takeOver() throws -> (any RecordLog)? {
        // A simulated owner is fenced by its fate, not by a second owner.
        nil
    }
}

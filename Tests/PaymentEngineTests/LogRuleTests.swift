import PaymentCore
import PaymentTesting
import Testing

@Suite("A log in memory")
struct LogRuleTests {
    @Test("keeps the rules of logs, answering at once", arguments: LogRule.allCases)
    func atOnce(_ rule: LogRule) throws {
        try rule.check(MemoryPlace())
    }

    @Test("keeps the rules of logs, answering later", arguments: LogRule.allCases)
    func later(_ rule: LogRule) throws {
        try rule.check(MemoryPlace(isLate: true))
    }

    @Test("keeps the rules of logs when answers get lost", arguments: LogRule.allCases)
    func unknown(_ rule: LogRule) throws {
        try rule.check(MemoryPlace(isLate: true, ending: .unknown(asks: 3)))
    }

    @Test("breaks a rule when it commits less than it says")
    func plantedDefect() {
        #expect(throws: LogRule.Broken.self) {
            try LogRule.failsAsAWhole.check(MemoryPlace(failure: .kept))
        }
    }
}

/// A log in memory, and the work that it puts off.
private final class MemoryPlace: LogPlace {
    private var journal = RecordingJournal()
    private var work: [() -> Void] = []
    private let isLate: Bool
    private let ending: RecordingJournal.Ending
    private let failure: RecordingJournal.Ending

    init(
        isLate: Bool = false, ending: RecordingJournal.Ending = .kept,
        failure: RecordingJournal.Ending = .torn(1)
    ) {
        self.isLate = isLate
        self.ending = ending
        self.failure = failure
        prepare(journal)
    }

    func open(_ replay: any LogReplay) throws -> any RecordLog {
        try journal.replay(into: replay)
        return journal
    }

    func settle() {
        while !work.isEmpty { work.removeFirst()() }
    }

    func kill() {
        work = []
        journal = RecordingJournal(durable: journal.durable)
        prepare(journal)
    }

    func failNextCommit() {
        journal.ending = { [failure] _ in failure }
    }

    func takeOver() throws -> (any RecordLog)? {
        let owner = RecordingJournal(takingOver: journal)
        prepare(owner)
        return owner
    }

    private func prepare(_ journal: RecordingJournal) {
        journal.ending = { [ending] _ in ending }
        if isLate { journal.later = { [unowned self] in work.append($0) } }
    }
}

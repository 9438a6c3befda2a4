import PaymentCore
import PaymentTesting

/// A journal in memory that counts how many transactions each commit accepted.
final class RecordingJournalOfTurns {
    let journal = RecordingJournal()
    private let counts = Counts()

    /// The transactions accepted by each commit, oldest commit first.
    var additions: [Int] { counts.additions }

    init() {
        let counts = counts
        journal.onCommit = { records in
            counts.additions.append(records.count { $0.isAddition })
        }
    }

    private final class Counts {
        var additions: [Int] = []
    }
}

extension Record {
    /// Whether a transaction was accepted.
    var isAddition: Bool {
        if case .transaction(.added, _) = event { true } else { false }
    }
}

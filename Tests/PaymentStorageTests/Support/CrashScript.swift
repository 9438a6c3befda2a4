import PaymentCore
import PaymentStorage
import PaymentTesting

/// A life of a journal with everything in it: batches, marks, segments, snapshots, trims, a clean
/// stop and a start after it. Told where the power fails, it stops there.
struct CrashScript {
    /// What was said to be durable, and what was at least begun.
    struct Outcome {
        var acknowledged: UInt64 = 0
        var attempted: UInt64 = 0
    }

    static let policy = JournalPolicy(
        segmentBytes: 2048, firstPrefilledBytes: 1024, reserveBytes: 0, indexEveryLines: 4,
        indexEveryBytes: 512, retention: RetentionPolicy(keepBytes: 1024, keepSeconds: 1 << 30))

    /// Runs in a world until it ends or the power fails.
    static func run(in world: MemoryDiskWorld) -> Outcome {
        var outcome = Outcome()
        // Every failure is the power's, and ends the run where it happens.
        try? live(in: world, &outcome)
        return outcome
    }

    private static func live(in world: MemoryDiskWorld, _ outcome: inout Outcome) throws {
        for life in 0..<3 {
            let journal = try StorageRig(world: world, policy: policy).open().journal
            for batch in 0..<6 {
                let first = outcome.attempted + 1
                let last = first + UInt64(batch % 3)
                outcome.attempted = last
                try journal.commitNumbers(first...last)
                outcome.acknowledged = last
                if batch % 2 == 1 { try journal.markIdle() }
                if batch == 3 { try snapshot(journal, upTo: last) }
            }
            if life == 1 { try snapshot(journal, upTo: outcome.acknowledged) }
            if life != 2 { try journal.close() }
        }
    }

    /// A snapshot that says how many events it stands for.
    private static func snapshot(_ journal: LocalLog, upTo number: UInt64) throws {
        guard let ticket = try journal.log.beginSnapshot() else { return }
        let receipt = try LocalLog.writeSnapshot(ticket) { body in
            body(.counters(incarnation: number))
        }
        try journal.log.snapshotWasWritten(receipt)?.perform()
    }

    /// What is wrong with a world after a power cut, nil if nothing is.
    static func violation(in world: MemoryDiskWorld, after outcome: Outcome) -> String? {
        do {
            let opened = try StorageRig(world: world, policy: policy).open()
            var last: UInt64 = 0
            for item in opened.items {
                if case .counters(let number, _) = item { last = number }
            }
            for number in opened.records.numbers {
                guard number == last + 1 else { return "\(number) follows \(last)" }
                last = number
            }
            guard last >= outcome.acknowledged else {
                return "\(outcome.acknowledged) was acknowledged, \(last) is left"
            }
            guard last <= outcome.attempted else { return "\(last) was never written" }
            try opened.journal.commitNumbers(last + 1...last + 1)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

import PaymentCore
import PaymentStorage
import SandboxStorage

/// The kinds of journals, each with the code with which a start reads it.
enum JournalKind {
    /// The journal of a queue and its embedded store.
    case queue
    /// The journal of `payqueue-store`, or of an embedded store in a directory of an earlier version.
    case store

    /// A receiver of the content, which refuses everything that a start would refuse.
    func visitor() -> any RecoveryVisitor {
        switch self {
        case .queue: LocalLog.visitor(QueueReplay.withSandbox())
        case .store: SandboxFileJournal.visitor()
        }
    }

    /// Creates a receiver that reads quickly; nil if there is none for this kind.
    private var quickVisitor: (() -> any RecoveryVisitor)? {
        guard self == .queue else { return nil }
        return { LocalLog.visitor(QueueReplay.withSandbox(), quickly: true) }
    }

    /// A receiver of the content of a journal of a state directory, by the name of its directory.
    static func visitor(_ name: String) -> any RecoveryVisitor {
        (name == "sandbox" ? JournalKind.store : .queue).visitor()
    }

    /// Verifies a journal. The name of its directory indicates its kind. A copy may have another
    /// name, so a journal without a record of that kind is verified as the other kind.
    static func verify(_ disk: any Disk, at path: String, isDeep: Bool) -> VerifyReport {
        let likely: JournalKind = path.split(separator: "/").last == "sandbox" ? .store : .queue
        let report = likely.verify(disk, isDeep)
        guard report.hasForeignRecords else { return report }
        let second = (likely == .store ? JournalKind.queue : .store).verify(disk, isDeep)
        return second.hasForeignRecords ? report : second
    }

    private func verify(_ disk: any Disk, _ isDeep: Bool) -> VerifyReport {
        JournalVerifier.verify(disk, isDeep: isDeep, visitor: visitor, quick: quickVisitor)
    }
}

import PaymentStorage

/// The findings of a verification, as text.
enum JournalText {
    /// The lines of one report.
    static func lines(_ report: VerifyReport, path: String) -> [String] {
        let range = report.first.flatMap { first in
            report.last.map { " (\(first) to \($0))" }
        }
        guard !report.isEmpty else {
            return ["\(ScreenText.plain(path)): no journal, as in the directory of payqueue-store"]
        }
        let verdict =
            switch report.exitCode {
            case 0: Console.styled("whole", .good)
            case 1: Console.styled("damaged", .bad)
            default: Console.styled("unreadable", .bad)
            }
        let summary =
            "\(ScreenText.plain(path)): \(verdict), "
            + "\(Wording.count(report.lines, "line"))\(range ?? ""), "
            + "\(Wording.count(report.events, "event")), "
            + Wording.count(report.snapshots, "snapshot")
        return [summary]
            + report.findings.map { finding in
                ScreenText.plain(
                    "  \(finding.severity.rawValue)  \(finding.file)  \(words(finding.detail))")
            }
    }

    /// The failure for a directory without a journal.
    static func missing(_ path: String, action: String) -> CommandFailure {
        CommandFailure(
            .refused, "cannot \(action) '\(path)': there is no journal",
            advice: "name the state directory; a new one gets its journal at the first start")
    }

    /// The failure for damaged files.
    ///
    /// - Parameters:
    ///   - exitCode: The exit code of the worst report, at least 1.
    ///   - path: The state directory.
    /// - Returns: The failure with its advice.
    static func failure(exitCode: Int32, path: String) -> CommandFailure {
        let directory = Shell.quoted(path)
        let backup = "'payqueuectl restore-backup BACKUP --state-directory \(directory) --replace'"
        guard exitCode == ExitStatus.refused.rawValue else {
            return CommandFailure(
                .unreadable, "cannot verify '\(path)': not all of it can be read",
                advice: "run this as the daemon's user or as root; if the disk fails, restore a "
                    + "backup with \(backup)", kind: ExitStatus.unreadableKind)
        }
        return CommandFailure(
            .refused, "cannot verify '\(path)': it is damaged",
            advice: "restore a backup with \(backup), or save what is left with "
                + "'payqueuectl journal repair --state-directory \(directory) --into NEW'")
    }

    /// A message of the storage, with its error words replaced by phrases.
    static func words(_ text: String) -> String {
        RecoveryRefusal.Reason.allCases.reduce(text) { text, reason in
            text.replacing(reason.rawValue, with: phrase(reason))
        }
    }

    private static func phrase(_ reason: RecoveryRefusal.Reason) -> String {
        switch reason {
        case .badChecksum: "a line that does not match its checksum"
        case .unfinishedLine: "a line without an end"
        case .lineTooLong: "a line that is too long"
        case .sequenceGap: "a number of the sequence that is missing or comes twice"
        case .missingEnd: "lines that are gone from the end"
        case .malformedLine: "a line that is not of this format"
        case .unknownType: "a line of a type that is not known"
        case .inconsistentRecord: "a line that cannot follow those before it"
        case .missingHistory: "a file of closed things that is missing or damaged"
        case .missingSegment: "a segment that is missing"
        case .missingPart: "a store that is missing"
        case .missingHeader: "a segment without its header"
        case .missingSeal: "a segment without its seal"
        case .brokenLink: "a segment that does not follow the one before it"
        case .foreignFile: "a file of another store"
        case .noUsableSnapshot: "no snapshot that can be used"
        case .badFormatFile: "a format file that is missing or cannot be read"
        case .badLockFile: "a lock file that is missing or cannot be read"
        case .unsupportedVersion: "a format newer than this program"
        // This word is plain English as well.
        case .unreadable: reason.rawValue
        }
    }
}

import PaymentStorage

/// What verifying found, in words.
enum JournalText {
    /// The lines of one report.
    static func lines(_ report: VerifyReport, path: String) -> [String] {
        let range = report.first.flatMap { first in
            report.last.map { " (\(first) to \($0))" }
        }
        let verdict =
            switch report.exitCode {
            case 0: Console.styled("whole", .good)
            case 1: Console.styled("damaged", .bad)
            default: Console.styled("unreadable", .bad)
            }
        let summary =
            "\(path): \(verdict), \(report.lines) lines\(range ?? ""), \(report.events) events, "
            + "\(report.snapshots) snapshots"
        return [summary]
            + report.findings.map { "  \($0.severity.rawValue)  \($0.file)  \($0.detail)" }
    }
}

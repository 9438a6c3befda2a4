import Glibc
import StrictJSON

/// The terminal, or whatever stands in its place.
///
/// Every line is written at once, so that pipes see it when it happens.
enum Console {
    /// Whether people read standard output.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether errors are written as JSON: a command line that cannot be parsed has the option, too.
    private static let isForPrograms = CommandWords.isForPrograms(CommandLine.arguments)

    private static let isColourful = ColourChoice.named(in: CommandLine.arguments)
        .isColourful(isTerminal: isTerminal, environment: environment)

    /// How a word may stand out.
    enum Style: String {
        case good = "32"
        case bad = "31"
        case busy = "33"
        case quiet = "2"
        case strong = "1"
    }

    /// The text in a style, if standard output shows styles.
    static func styled(_ text: String, _ style: Style) -> String {
        isColourful ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line to standard output. A reader that went away ends the process the way every
    /// filter ends: by SIGPIPE. Any other failure ends it with a sentence and a status: what nobody
    /// was shown must not count as seen, so nothing that follows from it is done.
    static func line(_ text: String) {
        // On a terminal, no name may move the cursor.
        let shown = isTerminal ? ScreenText.harmless(text) : text
        switch write(shown + "\n", to: STDOUT_FILENO) {
        case 0: return
        case EPIPE:
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        case let reason:
            let failure = CommandFailure(
                .refused, "cannot write to standard output: \(SystemWords.of(reason))",
                advice: "free space there or redirect the output; the daemon may have executed the "
                    + "call")
            report(Complaint(failure))
            ExitStatus.refused.exit()
        }
    }

    /// How many columns and rows the terminal has now; nil if there is none, or it does not tell.
    static var size: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return nil }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// How wide lines may be that must not wrap; nil without a terminal.
    static var columns: Int? {
        guard isTerminal else { return nil }
        return environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            ?? size?.columns
    }

    /// Writes a line of a stream; where it is longer than the terminal is wide, what does not fit stands
    /// below, behind an indentation.
    static func foldedLine(_ text: String) {
        guard let columns else { return line(text) }
        ScreenText.folded(text, to: columns, indentation: 15).forEach(line)
    }

    /// Writes to standard output as it is, for the owner of the whole screen.
    static func raw(_ text: String) {
        // A terminal that is gone sends a signal, which is how this is noticed.
        _ = write(text, to: STDOUT_FILENO)
    }

    /// Writes a line to standard error, where nothing has a style.
    static func error(_ text: String) {
        // Nothing is left to tell about a closed standard error.
        _ = write(ScreenText.plainLines(text) + "\n", to: STDERR_FILENO)
    }

    /// Writes what went wrong to standard error: one JSON object for programs, else what went wrong
    /// and what to do about it, on a line each.
    static func report(_ complaint: Complaint) {
        if isForPrograms {
            _ = write(complaint.json.jsonText() + "\n", to: STDERR_FILENO)
        } else {
            complaint.lines.forEach(error)
        }
    }

    /// Writes a remark to standard error, for people only: programs find nothing but errors there.
    static func remark(_ text: String) {
        if !isForPrograms { error(text) }
    }

    /// Whether a line that moves can be shown next to the output.
    static let showsProgress =
        isTerminal && !isForPrograms && isatty(STDERR_FILENO) == 1
        && environment("TERM") != "dumb"

    /// Replaces the line that moves; an empty text takes it away.
    static func progress(_ text: String) {
        _ = write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    /// Whether a person can be asked a question.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isTerminal }

    /// Asks a question; whether the answer is yes.
    static func agrees(_ question: String) -> Bool {
        _ = write(question, to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// An environment variable.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Writes a text.
    ///
    /// - Returns: 0, or the number of the error that kept some of it from being written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard written >= 0 else {
                    let reason = errno
                    switch reason {
                    case EINTR: break
                    // Another process that shares the descriptor may have set it not to block.
                    case EAGAIN: waitUntilWritable(descriptor)
                    default: return reason
                    }
                    continue
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
            return 0
        }
    }

    private static func waitUntilWritable(_ descriptor: Int32) {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&place, 1, -1)
    }
}

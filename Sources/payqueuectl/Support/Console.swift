import Glibc
import StrictJSON

/// Standard output and standard error of this process.
///
/// Every line is written at once, so that pipes receive it without delay.
enum Console {
    /// Whether standard output is a terminal.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether errors are written as JSON. The raw command line decides, because it may fail to
    /// parse.
    private static let isForPrograms = CommandWords.isForPrograms(CommandLine.arguments)

    private static let isColourful = ColourChoice.named(in: CommandLine.arguments)
        .isColourful(isTerminal: isTerminal, environment: environment)

    /// A style of text.
    enum Style: String {
        case good = "32"
        case bad = "31"
        case busy = "33"
        case quiet = "2"
        case strong = "1"
    }

    /// The text in a style, if standard output supports styles.
    static func styled(_ text: String, _ style: Style) -> String {
        isColourful ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line to standard output. If the reader has gone, the process ends by SIGPIPE, as
    /// every filter does. Any other failure ends it with a message and a status, because actions
    /// must not follow unseen output.
    static func line(_ text: String) {
        // On a terminal, foreign names must not contain control sequences.
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
                    + "call", kind: "outputFailed", effect: "unknown")
            report(Complaint(failure))
            ExitStatus.refused.exit()
        }
    }

    /// The size of the terminal in columns and rows; nil without a terminal.
    static var size: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return nil }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// The maximum width of lines that must not wrap, in columns; nil without a terminal.
    static var columns: Int? {
        guard isTerminal else { return nil }
        return environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            ?? size?.columns
    }

    /// Writes a line of a stream. A line that is wider than the terminal continues on indented
    /// lines.
    static func foldedLine(_ text: String) {
        guard let columns else { return line(text) }
        ScreenText.folded(text, to: columns, indentation: 15).forEach(line)
    }

    /// Writes text unchanged to standard output, for full-screen views.
    static func raw(_ text: String) {
        // A closed terminal sends a signal, so the result is ignored.
        _ = write(text, to: STDOUT_FILENO)
    }

    /// Writes a line without styles to standard error.
    static func error(_ text: String) {
        // A closed standard error cannot be reported.
        _ = write(ScreenText.plainLines(text) + "\n", to: STDERR_FILENO)
    }

    /// Writes a failure to standard error: one JSON object for programs, or the failure and the
    /// advice on separate lines.
    static func report(_ complaint: Complaint) {
        if isForPrograms {
            _ = write(complaint.json.jsonText() + "\n", to: STDERR_FILENO)
        } else {
            complaint.lines.forEach(error)
        }
    }

    /// Writes a remark to standard error, for users only; programs expect only errors there.
    static func remark(_ text: String) {
        if !isForPrograms { error(text) }
    }

    /// Whether a progress line can be shown next to the output.
    static let showsProgress =
        isTerminal && !isForPrograms && isatty(STDERR_FILENO) == 1
        && environment("TERM") != "dumb"

    /// Replaces the progress line; an empty text removes it.
    static func progress(_ text: String) {
        _ = write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    /// Whether the user can answer a question.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isTerminal }

    /// Prints a question; returns whether the answer is yes.
    static func agrees(_ question: String) -> Bool {
        _ = write(question, to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// An environment variable.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Writes text to a descriptor.
    ///
    /// - Returns: 0, or the error number if not all of it was written.
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
                    // Another process may have made the shared descriptor non-blocking.
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

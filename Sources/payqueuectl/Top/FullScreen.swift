import Glibc

/// The terminal as one page that is drawn again and again, and given back as it was found.
///
/// Draws on the alternate screen, so that nothing of it is left in the scrollback.
final class FullScreen {
    /// How many columns and rows there are.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var before = termios()
    private var isOn = false

    deinit { leave() }

    /// Takes the terminal over. A second call changes nothing.
    ///
    /// - Throws: ``CommandFailure`` if standard input and output are no terminal.
    func enter() throws {
        guard !isOn else { return }
        guard tcgetattr(STDIN_FILENO, &before) == 0, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(
                .usage, "cannot show a live view: standard input or output is not a terminal",
                advice: "show it once with '--once'")
        }
        var raw = before
        // Keys come one by one and are not shown; Ctrl-C and Ctrl-Z stay signals.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 0
            characters[Int(VTIME)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        isOn = true
        // The other screen, no cursor, no line breaks where a line is too long.
        Console.raw("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H\u{1B}[2J")
    }

    /// Gives the terminal back. A second call changes nothing.
    func leave() {
        guard isOn else { return }
        isOn = false
        Console.raw("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// The size of the terminal at this moment.
    var size: Size {
        let (columns, rows) = Console.size ?? (80, 24)
        return Size(columns: columns, rows: rows)
    }

    /// Draws the lines from the top left; the rest of the screen becomes empty.
    func draw(_ lines: [String], _ size: Size) {
        // Each line is cleared before it is written: behind a full one the cursor stays on its last
        // character, and clearing would take that away. All of it is one write, so that none of it
        // flickers.
        let page = lines.prefix(size.rows).map { line in
            "\u{1B}[K" + ScreenText.clipped(line, to: size.columns)
        }
        let rest = page.count < size.rows ? "\r\n\u{1B}[J" : ""
        Console.raw("\u{1B}[H" + page.joined(separator: "\r\n") + rest)
    }

    /// A key that was pressed; nil if none was. Never waits.
    func key() -> Character? {
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
        return Character(UnicodeScalar(byte))
    }

    /// Gives the terminal back, stops this process as the shell asked, and takes the terminal over
    /// when it goes on.
    func suspend() throws {
        leave()
        raise(SIGSTOP)
        try enter()
    }
}

import Glibc

/// A full-screen view on the terminal, which is restored afterwards.
///
/// It uses the alternate screen, so that nothing remains in the scrollback.
final class FullScreen {
    /// The size in columns and rows.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var before = termios()
    private var isOn = false

    deinit { leave() }

    /// Switches to the full screen. A second call changes nothing.
    ///
    /// - Throws: ``CommandFailure`` if standard input and output are not a terminal.
    func enter() throws {
        guard !isOn else { return }
        guard tcgetattr(STDIN_FILENO, &before) == 0, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(
                .usage, "cannot show a live view: standard input or output is not a terminal",
                advice: "show it once with '--once'")
        }
        var raw = before
        // Keys are read one by one without echo; Ctrl-C and Ctrl-Z remain signals.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 0
            characters[Int(VTIME)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        isOn = true
        // The sequence selects the alternate screen, hides the cursor and disables line wrapping.
        Console.raw("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H\u{1B}[2J")
    }

    /// Restores the terminal. A second call changes nothing.
    func leave() {
        guard isOn else { return }
        isOn = false
        Console.raw("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// The current size of the terminal.
    var size: Size {
        let (columns, rows) = Console.size ?? (80, 24)
        return Size(columns: columns, rows: rows)
    }

    /// Draws the lines from the top left and clears the rest of the screen.
    func draw(_ lines: [String], _ size: Size) {
        // Each line is cleared before it is written. After a full line the cursor stays on the last
        // character, which clearing would remove. A single write avoids flicker.
        let page = lines.prefix(size.rows).map { line in
            "\u{1B}[K" + ScreenText.clipped(line, to: size.columns)
        }
        let rest = page.count < size.rows ? "\r\n\u{1B}[J" : ""
        Console.raw("\u{1B}[H" + page.joined(separator: "\r\n") + rest)
    }

    /// A pressed key; nil if there is none. Never waits.
    func key() -> Character? {
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
        return Character(UnicodeScalar(byte))
    }

    /// Restores the terminal, stops this process, and switches to the full screen again when it
    /// continues.
    func suspend() throws {
        leave()
        raise(SIGSTOP)
        try enter()
    }
}

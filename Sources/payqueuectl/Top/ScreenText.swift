/// Text for a terminal; names in it may come from any client.
enum ScreenText {
    /// The text cut to a number of columns. Its styles have no width and are ended.
    static func clipped(_ text: String, to columns: Int) -> String {
        var shown = ""
        var used = 0
        var isStyled = false
        var rest = text[...]
        while let character = rest.first {
            if let style = styleSequence(rest) {
                shown += style
                isStyled = true
                rest = rest.dropFirst(style.count)
                continue
            }
            let width = columnsOf(character)
            guard used + width <= columns else { break }
            shown.append(harmless(character))
            used += width
            rest.removeFirst()
        }
        return isStyled && !rest.isEmpty ? shown + "\u{1B}[0m" : shown
    }

    /// The text on lines of a number of columns, broken between words; a longer word is broken
    /// anywhere. The text has no styles.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        let columns = max(1, columns)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            if !line.isEmpty, self.columns(of: line) + 1 + self.columns(of: word) > columns {
                lines.append(line)
                line = ""
            }
            while self.columns(of: word) > columns {
                let start = clipped(word, to: columns)
                guard !start.isEmpty else { break }
                lines.append(start)
                word.removeFirst(start.count)
            }
            line += line.isEmpty ? word : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// The text on lines of a number of columns, broken at spaces; all lines except the first are
    /// indented. Styles have no width. Text without spaces is not broken.
    static func folded(_ text: String, to columns: Int, indentation: Int) -> [String] {
        guard columns > 2 * indentation else { return [text] }
        var lines: [String] = []
        var start = ""
        var rest = text[...]
        while let end = fold(rest, to: columns - start.count) {
            lines.append(start + rest[..<end].trimmingBlanks())
            rest = rest[end...].drop { $0 == " " }
            start = String(repeating: " ", count: indentation)
        }
        return rest.isEmpty && !lines.isEmpty ? lines : lines + [start + rest]
    }

    /// The last space before the text is too long; nil if it fits or has no space.
    private static func fold(_ text: Substring, to columns: Int) -> String.Index? {
        var used = 0
        var blank: String.Index?
        var index = text.startIndex
        while index < text.endIndex {
            if let style = styleSequence(text[index...]) {
                index = text.index(index, offsetBy: style.count)
                continue
            }
            if text[index] == " ", used > 0 { blank = index }
            used += columnsOf(text[index])
            if used > columns { return blank }
            index = text.index(after: index)
        }
        return nil
    }

    /// The width of text without styles, in columns.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columnsOf($1) }
    }

    /// The text padded with spaces to a number of columns.
    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
    }

    /// The text on one line, without characters that could forge a line, a colour or a writing
    /// direction. For foreign text, before this program adds styles.
    static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isControl(scalar) ? "?" : scalar) }
        return String(shown)
    }

    /// The same for text with several lines.
    static func plainLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { plain(String($0)) }.joined(separator: "\n")
    }

    /// The text without sequences that move the cursor or change the terminal. Line feeds and the
    /// styles of this program stay.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = ""
        var rest = text[...]
        while let character = rest.first {
            if let style = styleSequence(rest) {
                shown += style
                rest = rest.dropFirst(style.count)
            } else {
                shown.append(character == "\n" ? character : harmless(character))
                rest.removeFirst()
            }
        }
        return shown
    }

    /// A style sequence `ESC [ digits m` at the start; nil for anything else.
    private static func styleSequence(_ text: Substring) -> String? {
        guard text.hasPrefix("\u{1B}[") else { return nil }
        let digits = text.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 2, text.dropFirst(2 + digits.count).first == "m" else { return nil }
        return "\u{1B}[\(digits)m"
    }

    private static func harmless(_ character: Character) -> Character {
        character.unicodeScalars.contains(where: isControl) ? "?" : character
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Some terminals treat them as line ends.
        case 0x2028, 0x2029: true
        // Marks of the writing direction can hide text.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: scalar.properties.generalCategory == .control
        }
    }

    /// The width of a character in columns; East Asian characters and emoji have two.
    private static func columnsOf(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // A variation selector makes the character an emoji.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        return switch scalar.value {
        case 0x200B...0x200F, 0x2060...0x2064, 0xFEFF, 0x0300...0x036F: 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

extension Substring {
    /// The text without spaces at its end.
    fileprivate func trimmingBlanks() -> Substring {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

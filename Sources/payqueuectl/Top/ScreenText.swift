/// Text for a terminal that belongs to somebody else: names may come from anywhere.
enum ScreenText {
    /// The text cut to so many columns; the styles in it count nothing and are ended.
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

    /// The text without what could move the cursor or change the terminal. Line feeds and the
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

    /// `ESC [ digits m` at the beginning; nil for anything else.
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
        scalar.properties.generalCategory == .control
            // Marks that turn the direction of writing around hide what is written.
            || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    /// East Asian characters and pictures are two columns wide.
    private static func columnsOf(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

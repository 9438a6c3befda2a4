/// Swift source taken apart into its code and the text of its literals.
enum SwiftCode {
    /// The source without its comments and the text of its literals, line for line, so that a check
    /// finds calls and not the words of a sentence about them. Code inside interpolations stays.
    static func lines(of source: String) -> [String] {
        var scanner = Scanner(bytes: Array(source.utf8))
        scanner.code(until: nil)
        return String(decoding: scanner.output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The string literals in the order in which they begin. Literals joined by `+` are one, and an
    /// interpolation is an ellipsis.
    static func literals(of source: String) -> [Literal] {
        var scanner = Scanner(bytes: Array(source.utf8))
        scanner.code(until: nil)
        return scanner.literals.sorted { $0.start < $1.start }.map {
            Literal(line: $0.line, text: String(decoding: $0.text, as: UTF8.self))
        }
    }

    /// One string literal.
    struct Literal {
        /// Line of its first quotation mark, from 1.
        let line: Int
        /// Text with its escapes resolved.
        let text: String
    }

    private struct Scanner {
        /// One literal, or several that are joined by `+`.
        struct Piece {
            let start: Int
            var end: Int
            let line: Int
            var text: [UInt8]
        }

        let bytes: [UInt8]
        var position = 0
        /// Line of the position, from 1.
        var line = 1
        var output: [UInt8] = []
        /// In the order in which they end.
        var literals: [Piece] = []

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        private var atEnd: Bool { position >= bytes.count }

        private func sees(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        }

        /// Copies code up to the closing parenthesis of an interpolation, or to the end.
        mutating func code(until end: UInt8?) {
            var depth = 0
            while !atEnd {
                let byte = bytes[position]
                if sees("//") {
                    skipLineComment()
                } else if sees("/*") {
                    skipBlockComment()
                } else if let hashes = stringStart() {
                    string(hashes: hashes)
                } else {
                    if byte == UInt8(ascii: "(") { depth += 1 }
                    if byte == UInt8(ascii: ")") {
                        if depth == 0 && end == byte { return }
                        depth -= 1
                    }
                    if byte == UInt8(ascii: "\n") { line += 1 }
                    output.append(byte)
                    position += 1
                }
            }
        }

        private mutating func skipLineComment() {
            while !atEnd && bytes[position] != UInt8(ascii: "\n") { position += 1 }
        }

        private mutating func skipBlockComment() {
            var depth = 0
            repeat {
                if sees("/*") {
                    depth += 1
                    position += 2
                } else if sees("*/") {
                    depth -= 1
                    position += 2
                } else {
                    skipKeepingLines()
                }
            } while depth > 0 && !atEnd
        }

        private mutating func skipKeepingLines() {
            if bytes[position] == UInt8(ascii: "\n") {
                output.append(bytes[position])
                line += 1
            }
            position += 1
        }

        /// The number of `#` in front of a string literal that starts here; nil if none does.
        private func stringStart() -> Int? {
            var index = position
            while index < bytes.count && bytes[index] == UInt8(ascii: "#") { index += 1 }
            guard index < bytes.count && bytes[index] == UInt8(ascii: "\"") else { return nil }
            return index - position
        }

        private mutating func string(hashes: Int) {
            var piece = Piece(start: position, end: position, line: line, text: [])
            position += hashes
            let quotes = sees("\"\"\"") ? 3 : 1
            position += quotes
            output.append(UInt8(ascii: "\""))
            let mark = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
            let end = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + mark
            let escape = [UInt8(ascii: "\\")] + mark
            while !atEnd && !bytes[position...].starts(with: end) {
                guard bytes[position...].starts(with: escape) else {
                    piece.text.append(bytes[position])
                    skipKeepingLines()
                    continue
                }
                position += escape.count
                if !atEnd && bytes[position] == UInt8(ascii: "(") {
                    position += 1
                    output.append(UInt8(ascii: "("))
                    code(until: UInt8(ascii: ")"))
                    output.append(UInt8(ascii: ")"))
                    piece.text += Array("…".utf8)
                } else if !atEnd {
                    piece.text += Self.meaning(ofEscape: bytes[position])
                }
                if !atEnd { skipKeepingLines() }
            }
            position = min(position + end.count, bytes.count)
            output.append(UInt8(ascii: "\""))
            piece.end = position
            keep(piece)
        }

        /// An escaped line feed joins two lines; a Unicode escape stays as it is written.
        private static func meaning(ofEscape byte: UInt8) -> [UInt8] {
            switch byte {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): [UInt8(ascii: " ")]
            case UInt8(ascii: "\n"): []
            default: [byte]
            }
        }

        private mutating func keep(_ piece: Piece) {
            if let last = literals.indices.last, literals[last].end < piece.start {
                let between = bytes[literals[last].end..<piece.start].filter {
                    $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n")
                }
                if between == [UInt8(ascii: "+")] {
                    literals[last].text += piece.text
                    literals[last].end = piece.end
                    return
                }
            }
            literals.append(piece)
        }
    }
}

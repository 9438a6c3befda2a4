/// Swift source without its comments and the text of its literals, line for line, so that a check
/// finds calls and not the words of a sentence about them. Code inside interpolations stays.
enum SwiftCode {
    static func lines(of source: String) -> [String] {
        var scanner = Scanner(bytes: Array(source.utf8))
        scanner.code(until: nil)
        return String(decoding: scanner.output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0
        var output: [UInt8] = []

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
            if bytes[position] == UInt8(ascii: "\n") { output.append(bytes[position]) }
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
            position += hashes
            let quotes = sees("\"\"\"") ? 3 : 1
            position += quotes
            output.append(UInt8(ascii: "\""))
            let mark = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
            let end = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + mark
            let escape = [UInt8(ascii: "\\")] + mark
            while !atEnd && !bytes[position...].starts(with: end) {
                guard bytes[position...].starts(with: escape) else {
                    skipKeepingLines()
                    continue
                }
                position += escape.count
                if !atEnd && bytes[position] == UInt8(ascii: "(") {
                    position += 1
                    output.append(UInt8(ascii: "("))
                    code(until: UInt8(ascii: ")"))
                    output.append(UInt8(ascii: ")"))
                }
                if !atEnd { skipKeepingLines() }
            }
            position = min(position + end.count, bytes.count)
            output.append(UInt8(ascii: "\""))
        }
    }
}

/// The texts that a user can meet: help, errors, log messages, alerts, descriptions of metrics, the words
/// of the pages, and the documentation. `make texts` writes them into one file, to be read as a whole.
enum UserTexts {
    /// One text on one line, and the place where it begins.
    struct Text: CustomStringConvertible {
        let path: String
        /// From 1.
        let line: Int
        let text: String

        var description: String { "\(path):\(line): \(text)" }
    }

    /// All texts of the tree, by file and line.
    static func all(in tree: SourceTree) -> [Text] {
        tree.files.flatMap(texts).filter { hasTwoWords($0.text) }
    }

    private static func texts(of file: SourceFile) -> [Text] {
        let isSource = file.target != nil && !file.path.contains("/Documentation.docc/")
        if isSource && file.isSwift {
            return SwiftCode.literals(of: file.text).map {
                Text(path: file.path, line: $0.line, text: oneLine($0.text))
            }
        }
        if isSource && file.path.hasSuffix(".js") { return quoted(in: file, by: "'\"`") }
        if isSource && file.path.hasSuffix(".json") || file.path.hasSuffix("/dashboard.json") {
            return quoted(in: file, by: "\"")
        }
        if file.path.hasSuffix(".rules.yml") { return summaries(of: file) }
        let isProse =
            file.path.hasSuffix(".md") || file.path.hasSuffix(".catalog")
            || file.path.hasSuffix("/control.in") || isSource && file.path.hasSuffix(".html")
        return isProse ? paragraphs(of: file) : []
    }

    /// The texts of the alerts.
    private static func summaries(of file: SourceFile) -> [Text] {
        file.lines.enumerated().compactMap { index, line in
            line.firstRange(of: "summary: ").map {
                Text(path: file.path, line: index + 1, text: String(line[$0.upperBound...]))
            }
        }
    }

    /// Runs of lines without an empty one between them; a row of a table is one by itself. A quoted
    /// block of code is not prose.
    private static func paragraphs(of file: SourceFile) -> [Text] {
        var result: [Text] = []
        var start = 1
        var words: [Substring] = []
        var isCode = false
        for (index, line) in (file.lines + [""]).enumerated() {
            let isFence = line.hasPrefix("```")
            if isFence { isCode.toggle() }
            let isRow = !isCode && line.hasPrefix("|")
            if isRow {
                let row = oneLine(String(line))
                result.append(Text(path: file.path, line: index + 1, text: row))
            }
            guard line.isEmpty || isFence || isCode || isRow else {
                if words.isEmpty { start = index + 1 }
                words.append(line)
                continue
            }
            if !words.isEmpty {
                let text = oneLine(words.joined(separator: " "))
                result.append(Text(path: file.path, line: start, text: text))
            }
            words = []
        }
        return result
    }

    /// The text between two equal quotation marks of a line, comments of whole lines left out.
    private static func quoted(in file: SourceFile, by marks: String) -> [Text] {
        file.lines.enumerated().flatMap { index, line -> [Text] in
            guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
            var texts: [Text] = []
            var open: Character?
            var text = ""
            for character in line {
                if let mark = open {
                    if character == mark {
                        texts.append(Text(path: file.path, line: index + 1, text: oneLine(text)))
                        open = nil
                    } else {
                        text.append(character)
                    }
                } else if marks.contains(character) {
                    open = character
                    text = ""
                }
            }
            return texts
        }
    }

    private static func oneLine(_ text: String) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ")
    }

    /// Names, keys and formats are one word; what is written for people has two beside each other.
    private static func hasTwoWords(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        return zip(words, words.dropFirst()).contains { first, second in
            first.drop { "('\"`".contains($0) }.prefix { $0.isLetter }.count > 1
                && second.first(where: { !"('\"`".contains($0) })?.isLetter == true
        }
    }
}

import PaymentAPI

/// The text of a man page, built with the few necessary macros and escapes.
struct Roff {
    private(set) var text: String
    /// Whether the last heading has no content yet.
    private var isAtHeading = false

    /// The maximum length of a line in bytes; readers and checkers of man pages expect at most 80.
    private static let lineBytes = 78

    /// Begins a page. The same program always gives the same page.
    init(name: String, section: Int, summary: String) {
        let manual =
            switch section {
            case 1: "User Commands"
            case 5: "File Formats"
            case 7: "Methods of payqueued"
            default: "System Administration"
            }
        text = """
            .TH "\(Self.escaped(name.uppercased()))" "\(section)" "\(Version.date)" \
            "payqueued \(Version.current)" "\(manual)"
            .nh
            .ad l
            .SH NAME
            \(Self.lines("\(Self.escaped(name)) \\- \(Self.escaped(summary))"))
            """
    }

    /// Begins a section.
    mutating func section(_ title: String) {
        text += ".SH \(Self.escaped(title.uppercased()))\n"
        isAtHeading = true
    }

    /// Adds a paragraph.
    mutating func paragraph(_ prose: String) {
        text += (isAtHeading ? "" : ".PP\n") + Self.filled(prose)
        isAtHeading = false
    }

    /// Adds a paragraph for each non-empty line.
    mutating func paragraphs(_ prose: String) {
        for line in prose.split(separator: "\n") { paragraph(String(line)) }
    }

    /// Adds lines without filling.
    mutating func literal(_ lines: [String]) {
        text += ".nf\n" + lines.map(Self.unfilled).joined() + ".fi\n"
        isAtHeading = false
    }

    /// Adds a term in bold with its meaning.
    mutating func term(_ term: String, argument: String? = nil, _ meaning: String) {
        let tail = argument.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        text += ".TP\n\\fB\(Self.escaped(term))\\fR\(tail)\n\(Self.filled(meaning))"
        isAtHeading = false
    }

    /// Adds references to other pages.
    mutating func seeAlso(_ pages: [(name: String, section: Int)]) {
        guard !pages.isEmpty else { return }
        section("See also")
        text +=
            pages.map { "\\fB\(Self.escaped($0.name))\\fR(\($0.section))" }
            .joined(separator: ",\n") + "\n"
    }

    /// Escaped text for filling, in lines of whole words.
    private static func filled(_ text: String) -> String {
        lines(escaped(text))
    }

    /// Splits text into lines of whole words.
    private static func lines(_ escaped: String) -> String {
        var lines: [String] = []
        for word in escaped.split(separator: " ") {
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= lineBytes {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { broken($0) }.joined()
    }

    /// An escaped line without filling.
    private static func unfilled(_ text: String) -> String {
        broken(escaped(text))
    }

    /// An escaped line that is never a request, continued on the next line if it is too long.
    private static func broken(_ line: String) -> String {
        var result = line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : ""
        var bytes = result.utf8.count
        for part in line.matches(of: #/\\(\(..|.)|[^\\]/#).map(\.output.0) {
            if bytes + part.utf8.count > lineBytes {
                result += "\\c\n\\&"
                bytes = 2
            }
            result += part
            bytes += part.utf8.count
        }
        return result + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .replacing("\"", with: "\\(dq").replacing("'", with: "\\(aq")
            .replacing("^", with: "\\(ha").replacing("~", with: "\\(ti")
            .replacing("…", with: "...").replacing("–", with: "\\(en")
    }
}

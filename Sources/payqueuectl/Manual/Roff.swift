import PaymentAPI

/// A man page in the making. Knows the few macros that the pages need, and how to escape.
struct Roff {
    private(set) var text: String
    /// Whether nothing stands below the last heading yet.
    private var isAtHeading = false

    /// The longest line of a page, in bytes; readers of pages and their checkers ask for 80.
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

    /// Adds a paragraph, whatever stands before it.
    mutating func paragraph(_ prose: String) {
        text += (isAtHeading ? "" : ".PP\n") + Self.filled(prose)
        isAtHeading = false
    }

    /// Adds paragraphs, one for each line that is not empty.
    mutating func paragraphs(_ prose: String) {
        for line in prose.split(separator: "\n") { paragraph(String(line)) }
    }

    /// Adds lines that stay as they are.
    mutating func literal(_ lines: [String]) {
        text += ".nf\n" + lines.map(Self.unfilled).joined() + ".fi\n"
        isAtHeading = false
    }

    /// Adds a term in bold and what it means.
    mutating func term(_ term: String, argument: String? = nil, _ meaning: String) {
        let tail = argument.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        text += ".TP\n\\fB\(Self.escaped(term))\\fR\(tail)\n\(Self.filled(meaning))"
        isAtHeading = false
    }

    /// Names other pages.
    mutating func seeAlso(_ pages: [(name: String, section: Int)]) {
        guard !pages.isEmpty else { return }
        section("See also")
        text +=
            pages.map { "\\fB\(Self.escaped($0.name))\\fR(\($0.section))" }
            .joined(separator: ",\n") + "\n"
    }

    /// Text that is filled when it is shown: lines of whole words.
    private static func filled(_ text: String) -> String {
        lines(escaped(text))
    }

    /// Lines of whole words.
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

    /// A line that is shown as it is.
    private static func unfilled(_ text: String) -> String {
        broken(escaped(text))
    }

    /// A line of text that is no request, whatever it begins with, and goes on in the next line where
    /// it is too long.
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

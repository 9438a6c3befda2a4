import PaymentAPI

/// A man page in the making. Knows the few macros that the pages need, and how to escape.
struct Roff {
    private(set) var text: String

    /// Begins a page. There is no date: the same program always gives the same page.
    init(name: String, section: Int, summary: String) {
        let manual =
            switch section {
            case 1: "User Commands"
            case 7: "Methods of payqueued"
            default: "System Administration"
            }
        text = """
            .TH "\(Self.escaped(name.uppercased()))" "\(section)" "" \
            "payqueued \(Version.current)" "\(manual)"
            .nh
            .ad l
            .SH NAME
            \(Self.escaped(name)) \\- \(Self.escaped(summary))

            """
    }

    /// Begins a section.
    mutating func section(_ title: String) {
        text += ".SH \(Self.escaped(title.uppercased()))\n"
    }

    /// Adds a paragraph, whatever stands before it.
    mutating func paragraph(_ prose: String) {
        text += ".PP\n" + Self.line(prose) + "\n"
    }

    /// Adds paragraphs, one for each line that is not empty.
    mutating func paragraphs(_ prose: String) {
        for line in prose.split(separator: "\n") { paragraph(String(line)) }
    }

    /// Adds lines that stay as they are.
    mutating func literal(_ lines: [String]) {
        text += ".nf\n" + lines.map { Self.line($0) + "\n" }.joined() + ".fi\n"
    }

    /// Adds a term in bold and what it means.
    mutating func term(_ term: String, argument: String? = nil, _ meaning: String) {
        let tail = argument.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        text += ".TP\n\\fB\(Self.escaped(term))\\fR\(tail)\n\(Self.line(meaning))\n"
    }

    /// Names other pages.
    mutating func seeAlso(_ pages: [(name: String, section: Int)]) {
        guard !pages.isEmpty else { return }
        section("See also")
        text +=
            pages.map { "\\fB\(Self.escaped($0.name))\\fR(\($0.section))" }
            .joined(separator: ",\n") + "\n"
    }

    /// A line of text that is no request, whatever it begins with.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .replacing("\"", with: "\\(dq").replacing("'", with: "\\(aq")
            .replacing("^", with: "\\(ha").replacing("~", with: "\\(ti")
            .replacing("…", with: "...")
    }
}

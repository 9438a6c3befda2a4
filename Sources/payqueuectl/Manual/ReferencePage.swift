/// The documentation page of a file format, in Markdown.
struct ReferencePage {
    let reference: SchemaReference
    let title: String
    /// The sentence below the title.
    let summary: String
    /// The paragraphs after the introduction, such as the use of the schema in editors.
    let notes: [String]

    var text: String {
        var lines = [
            "# \(title)", "", summary, "", "## Overview", "",
            "<!-- Written by `payqueuectl manual` from the declarations in the code; run the tests",
            "with RECORD=1 after changing those. -->", "",
        ]
        for paragraph in reference.introduction.map(Self.quoted) + notes {
            lines += [paragraph, ""]
        }
        lines += ["```json"] + reference.example.split(separator: "\n").map(String.init) + ["```"]
        for section in reference.sections {
            let heading =
                section.name.isEmpty ? "Members of the file" : "Members of \(section.name)"
            lines += ["", "### \(heading)", ""]
            if !section.name.isEmpty { lines += [Self.quoted(section.meaning), ""] }
            if section.members.contains(where: { $0.variable != nil }) {
                for member in section.members { lines += Self.entry(member) }
                lines.removeLast()
            } else {
                lines += Self.table(section.members)
            }
        }
        if !reference.values.isEmpty {
            lines += ["", "### Values", ""] + Self.table(reference.values)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The complete description of a member.
    private static func entry(_ member: SchemaReference.Member) -> [String] {
        var lines = ["#### \(member.name)", "", quoted(member.meaning), ""]
        lines.append("- Takes: \(quoted(member.values))")
        if let standard = standard(of: member) { lines.append("- Default: \(standard)") }
        let places = [
            member.flag.map { "flag `\($0)`" }, member.variable.map { "environment `\($0)`" },
        ]
        .compactMap { $0 }
        if !places.isEmpty { lines.append("- Also: \(places.joined(separator: ", "))") }
        if let isReloadable = member.isReloadable {
            lines.append("- Takes effect after: \(isReloadable ? "a reload" : "a restart")")
        }
        if let example = member.example {
            lines.append("- Example: `\"\(member.name)\": \(example)`")
        }
        return lines + [""]
    }

    private static func standard(of member: SchemaReference.Member) -> String? {
        member.standard.map { "`\($0)`" } ?? member.standardWords.map(quoted)
    }

    private static func table(_ members: [SchemaReference.Member]) -> [String] {
        let reloads = Set(members.compactMap(\.isReloadable))
        var lines: [String] = []
        if let all = reloads.first, reloads.count == 1 {
            lines += [
                all
                    ? "New values take effect after a reload."
                    : "New values take effect after a restart.", "",
            ]
        }
        lines += ["| Member | Takes | Default | Meaning | Example |", "|---|---|---|---|---|"]
        lines += members.map { member in
            let cells = [
                "`\(member.name)`", quoted(member.values),
                member.isRequired ? "required" : standard(of: member) ?? "",
                quoted(member.meaning), member.example.map { "`\($0)`" } ?? "",
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
                + " |"
        }
        return lines
    }

    /// Prose with variables, commands and JSON marked as code, so that Markdown does not interpret
    /// them.
    private static func quoted(_ prose: String) -> String {
        prose.replacing(
            #/(^|[\s(])(?:'(payqueued [^']+)'|(\$[A-Z_]+|--[a-z-]+|\{"[^\s]*\}+|"[^"\s]*"))/#
        ) {
            "\($0.1)`\($0.2 ?? $0.3 ?? "")`"
        }
    }
}

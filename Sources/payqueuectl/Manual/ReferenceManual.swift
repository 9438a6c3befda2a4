/// The manual page of a file format.
struct ReferenceManual {
    let reference: SchemaReference
    /// The name of the page.
    let name: String
    /// The summary after the name.
    let summary: String
    /// The files of this format, each with its meaning.
    let files: [ProgramFacts.Term]
    let related: [(name: String, section: Int)]

    var text: String {
        var page = Roff(name: name, section: 5, summary: summary)
        page.section("Description")
        for paragraph in reference.introduction { page.paragraph(paragraph) }
        for section in reference.sections {
            page.section(section.name.isEmpty ? "Members of the file" : section.name)
            if !section.name.isEmpty { page.paragraph(section.meaning) }
            for member in section.members { page.term(member.name, Self.meaning(of: member)) }
        }
        if !reference.values.isEmpty {
            page.section("Values")
            for value in reference.values { page.term(value.name, Self.meaning(of: value)) }
        }
        page.section("Files")
        for file in files { page.term(file.name, file.meaning) }
        page.section("Examples")
        page.literal(reference.example.split(separator: "\n").map(String.init))
        page.seeAlso(related)
        return page.text
    }

    private static func meaning(of member: SchemaReference.Member) -> String {
        var sentences = [member.meaning, "Takes \(member.values)."]
        if member.isRequired { sentences.append("Required.") }
        if let standard = member.standard ?? member.standardWords {
            sentences.append("Default: \(standard).")
        }
        if let flag = member.flag { sentences.append("Flag: \(flag).") }
        if let variable = member.variable { sentences.append("Environment: \(variable).") }
        if let isReloadable = member.isReloadable {
            sentences.append(
                isReloadable ? "Takes effect after a reload." : "Takes effect after a restart.")
        }
        if let example = member.example { sentences.append("Example: \(example)") }
        return sentences.joined(separator: " ")
    }
}

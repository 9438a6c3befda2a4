import StrictJSON

/// The man page of a program or of one of its subcommands.
struct CommandPage {
    let command: ProgramHelp.Command
    let section: Int
    let usage: [String]
    /// The facts that a program's page adds to its help; nil for a subcommand.
    let facts: ProgramFacts?

    /// The words of the command, joined as in names of man pages.
    var name: String { command.words.joined(separator: "-") }

    var text: String {
        let summary = command.description["abstract"]?.stringValue ?? ""
        var page = Roff(name: name, section: section, summary: Self.phrase(summary))
        page.section("Synopsis")
        page.literal(usage)
        page.section("Description")
        page.paragraphs(summary)
        if let discussion = command.description["discussion"]?.stringValue {
            page.paragraphs(discussion)
        }
        terms(&page, "Arguments") { $0["kind"]?.stringValue == "positional" }
        if !command.subcommands.isEmpty {
            page.section("Commands")
            for inner in command.subcommands {
                page.term(
                    inner.words.last ?? "", inner.description["abstract"]?.stringValue ?? "")
            }
        }
        terms(&page, "Options") { $0["kind"]?.stringValue != "positional" }
        facts?.write(into: &page)
        page.seeAlso(related)
        return page.text
    }

    private func terms(_ page: inout Roff, _ title: String, _ isWanted: (JSONValue) -> Bool) {
        let arguments = (command.description["arguments"]?.arrayValue ?? []).filter {
            $0["shouldDisplay"]?.boolValue != false && isWanted($0)
        }
        guard !arguments.isEmpty else { return }
        page.section(title)
        for argument in arguments {
            let names = (argument["names"]?.arrayValue ?? []).compactMap(Self.spelled)
            let value = argument["valueName"]?.stringValue ?? "value"
            var meaning = argument["abstract"]?.stringValue ?? ""
            if let standard = argument["defaultValue"]?.stringValue {
                meaning += " (default: \(standard))"
            }
            if names.isEmpty {
                page.term(value, meaning)
            } else {
                let takesValue = argument["kind"]?.stringValue == "option"
                page.term(
                    names.joined(separator: ", "), argument: takesValue ? value : nil, meaning)
            }
        }
    }

    private var related: [(name: String, section: Int)] {
        let program = command.words[0]
        let parent =
            command.words.count > 1
            ? [(name: command.words.dropLast().joined(separator: "-"), section: section)] : []
        let children = command.subcommands.map {
            (name: $0.words.joined(separator: "-"), section: section)
        }
        let others = [(name: "payqueuectl", section: 1), (name: "payqueued", section: 8)]
        let formats = [
            (name: "payqueued.json", section: 5), (name: "payqueued-catalog", section: 5),
        ]
        let isServer = section == 8 && command.words.count == 1
        let pages =
            parent + children + others.filter { $0.name != program } + (isServer ? formats : [])
        var seen: Set<String> = []
        return pages.filter { seen.insert($0.name).inserted }
    }

    /// A name as it is typed, with its dashes.
    static func spelled(_ name: JSONValue) -> String? {
        guard let word = name["name"]?.stringValue else { return nil }
        return name["kind"]?.stringValue == "long" ? "--\(word)" : "-\(word)"
    }

    /// A summary in the style of the NAME section: without capital and full stop.
    static func phrase(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

import ArgumentParser
import FoundationEssentials
import PaymentAPI
import StrictJSON

/// Writes the man pages and the completions, for `make man`; hidden in the help.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write man pages and shell completions into a directory.",
        usage: "payqueuectl manual --into .build",
        discussion: """
            Writes man, completions, schemas and pages. The manual pages of the programs come from \
            the programs' own help, those of the methods from the contract, those of the files from \
            the daemon's schemas, which are written as well, and as Markdown.
            """,
        shouldDisplay: false)

    @Option(help: ArgumentHelp("Where to write.", valueName: "directory"), completion: .directory)
    var into: String

    /// The programs that get a page, with its section.
    private static let programs = [("payqueued", 8), ("payqueue-store", 8), ("payqueuectl", 1)]

    func run() throws {
        let folder = URL(filePath: ProgramHelp.ownPath).deletingLastPathComponent()
        for (name, section) in Self.programs {
            let path = folder.appending(path: name).path
            // A build of a single product lacks the other programs.
            guard FileManager.default.isExecutableFile(atPath: path) else { continue }
            let help = ProgramHelp(path: path)
            let configuration = name == "payqueued" ? try references(of: help) : nil
            for command in try help.commands() {
                let facts =
                    command.words.count == 1
                    ? ProgramFacts.of(name, flags: command.flags, configuration: configuration)
                    : nil
                let page = CommandPage(
                    command: command, section: section, usage: try help.usage(of: command),
                    facts: facts)
                try write(page.text, to: "man/man\(section)/\(page.name).\(section)")
            }
        }
        for method in Contract.methods {
            let page = MethodPage(spec: method.spec)
            try write(page.text, to: "man/man7/\(page.name).7")
        }
        let own = ProgramHelp(path: ProgramHelp.ownPath)
        for (shell, file) in Self.completions {
            let script = try own.output(["--generate-completion-script", shell])
            try write(script, to: "completions/\(file)")
        }
    }

    /// Writes schemas, manual pages and Markdown pages of the daemon's input files.
    ///
    /// - Returns: The schema of the configuration file.
    private func references(of daemon: ProgramHelp) throws -> JSONValue? {
        var configuration: JSONValue?
        for format in FileFormat.allCases {
            let text = try daemon.output(["--print-schema", format.rawValue])
            guard let schema = try? JSONValue(parsing: text.utf8) else {
                throw CommandFailure(
                    .refused, "cannot describe '\(daemon.path)': its schema is not JSON",
                    advice: "install all programs of one release in one directory")
            }
            if format == .config { configuration = schema }
            let reference = SchemaReference(schema)
            try write(text, to: "schemas/\(format.schemaFile)")
            try write(format.manual(reference).text, to: "man/man5/\(format.manualName).5")
            try write(format.page(reference).text, to: "pages/\(format.pageFile)")
        }
        return configuration
    }

    /// The file names that each shell expects.
    private static let completions = [
        ("bash", "payqueuectl.bash"), ("zsh", "_payqueuectl"), ("fish", "payqueuectl.fish"),
    ]

    private func write(_ text: String, to name: String) throws {
        let file = URL(filePath: into).appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        } catch {
            throw CommandFailure(
                .refused, "cannot write '\(file.path)': \(FileReason.phrase(error))",
                advice: "name a directory that this user may write to with --into")
        }
    }
}

import FoundationEssentials
import Glibc
import StrictJSON

/// The description of a program in its own output.
struct ProgramHelp {
    /// The maximum length of the output, in bytes.
    private static let limitBytes = 16 << 20

    /// The file of the program.
    let path: String

    /// The file of this program.
    static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    /// A command with its position below the program.
    struct Command {
        /// The program's name and the names of the commands down to this one.
        let words: [String]
        /// The parser's description of the command.
        let description: JSONValue

        /// The long names of its flags and options, without dashes.
        var flags: [String] {
            (description["arguments"]?.arrayValue ?? []).flatMap { argument in
                (argument["names"]?.arrayValue ?? []).filter { $0["kind"]?.stringValue == "long" }
                    .compactMap { $0["name"]?.stringValue }
            }
        }

        /// The direct subcommands that are not hidden.
        var subcommands: [Command] {
            (description["subcommands"]?.arrayValue ?? []).compactMap { inner in
                guard inner["shouldDisplay"]?.boolValue != false,
                    let name = inner["commandName"]?.stringValue, name != "help"
                else { return nil }
                return Command(words: words + [name], description: inner)
            }
        }
    }

    /// The program's command and all below it, parents first.
    func commands() throws -> [Command] {
        let text = try output(["--experimental-dump-help"])
        guard let root = try? JSONValue(parsing: text.utf8, limits: .trusted)["command"],
            let name = root["commandName"]?.stringValue
        else { throw failure("cannot describe '\(path)': its help cannot be read") }
        var found: [Command] = []
        var open = [Command(words: [name], description: root)]
        while let command = open.first {
            open.removeFirst()
            found.append(command)
            open = command.subcommands + open
        }
        return found
    }

    /// The usage of a command: the first paragraph of its help, an example first.
    func usage(of command: Command) throws -> [String] {
        let help = try output(command.words.dropFirst() + ["--help"])
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { !$0.isEmpty }.map { line in
            line.trimming(prefix: "USAGE: ").trimmed(\.isWhitespace)
        }
    }

    /// The output of the program.
    func output(_ arguments: [String]) throws -> String {
        var pipe: [Int32] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else {
            throw failure("cannot make a pipe: \(SystemWords.of(errno))")
        }
        defer { close(pipe[0]) }
        let program = try start(arguments, writingTo: pipe[1])
        let bytes = Source.bytes(ofDescriptor: pipe[0], limit: Self.limitBytes) ?? []
        let status = program.waitForStatus()
        guard status == 0 else {
            let words = arguments.joined(separator: " ")
            throw failure("cannot describe '\(path)': '\(words)' ended with \(status)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Starts the program with one end of the pipe as its output.
    private func start(_ arguments: [String], writingTo output: Int32) throws -> ChildProcess {
        defer { close(output) }
        return try ChildProcess(
            path, arguments, environment: ChildProcess.inheritedEnvironment(without: []),
            descriptors: [(own: output, child: STDOUT_FILENO)])
    }

    private func failure(_ sentence: String) -> CommandFailure {
        CommandFailure(
            .refused, sentence, advice: "install all programs of one release in one directory")
    }
}

extension Substring {
    /// The text without a prefix, if it has it.
    fileprivate func trimming(prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self
    }
}

import Foundation
import StrictJSON

/// What a program says about itself, asked of the program.
struct ProgramHelp {
    /// The file of the program.
    let path: String

    /// The file of this program.
    static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    /// A command and where it stands below the program.
    struct Command {
        /// The program's name and those of the commands down to this one.
        let words: [String]
        /// The parser's description of it.
        let description: JSONValue

        /// The long names of its flags and options, without dashes.
        var flags: [String] {
            (description["arguments"]?.arrayValue ?? []).flatMap { argument in
                (argument["names"]?.arrayValue ?? []).filter { $0["kind"]?.stringValue == "long" }
                    .compactMap { $0["name"]?.stringValue }
            }
        }

        /// The commands directly below that are for people.
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
        else { throw failure("cannot describe '\(path)': it does not say what it takes") }
        var found: [Command] = []
        var open = [Command(words: [name], description: root)]
        while let command = open.first {
            open.removeFirst()
            found.append(command)
            open = command.subcommands + open
        }
        return found
    }

    /// How a command is typed: the first paragraph of its help, an example first.
    func usage(of command: Command) throws -> [String] {
        let help = try output(command.words.dropFirst() + ["--help"])
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { !$0.isEmpty }.map { line in
            String(line.trimming(prefix: "USAGE: ")).trimmingCharacters(in: .whitespaces)
        }
    }

    /// What the program prints.
    func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            throw failure("cannot start '\(path)': \(FileReason.phrase(error))")
        }
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = arguments.joined(separator: " ")
            throw failure(
                "cannot describe '\(path)': '\(words)' ended with \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func failure(_ sentence: String) -> CommandFailure {
        CommandFailure(
            .refused, sentence, advice: "install all programs of one release beside one another")
    }
}

extension Substring {
    /// The text without a beginning, if it has it.
    fileprivate func trimming(prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self
    }
}

import Foundation
import PaymentTesting
import Testing

/// The help of every program and of all that is below it.
@Suite("Help", .ownThreads)
struct HelpTests {
    @Test(
        "Help begins with an example and fits a screen, for every program and subcommand",
        arguments: ["payqueued", "payqueuectl", "payqueue-store"])
    func fits(program: String) throws {
        let file = URL(filePath: Built.control).deletingLastPathComponent()
            .appending(path: program).path
        for words in try Self.all(file) {
            let shown = try Child.run([file] + words + ["--help"], in: try Workplace())
            let name = ([program] + words).joined(separator: " ")
            #expect(shown.ending == .exit(0), "\(name)")
            let lines = shown.output.trimmingCharacters(in: .newlines)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let first = lines.first ?? ""
            #expect(first.hasPrefix("USAGE: \(name)"), "\(name) begins with '\(first)'")
            #expect(!first.contains("[--") && !first.contains("<"), "\(name): \(first)")
            // The help of a program fits a larger screen, that of a command a small one.
            #expect(lines.count <= (words.isEmpty ? 40 : 24), "\(name) has \(lines.count) lines")
            let widest = lines.max { $0.count < $1.count } ?? ""
            #expect(widest.count <= 80, "\(name) is too wide: \(widest)")
        }
    }

    @Test("help --json says of every command what its page says, and --help --json the same")
    func programs() throws {
        let place = try Workplace()
        let whole = try Child.run([Built.control, "help", "--json"], in: place)
        #expect(whole.ending == .exit(0), "\(whole.errors)")
        #expect(whole.output.count { $0 == "\n" } == 1)
        let commands = try JSON(whole.output)["commands"]?.array ?? []
        let names = commands.compactMap { $0["command"]?.string }
        #expect(names == (try Self.commands(of: Built.control)).map { "payqueuectl \($0)" })
        for command in commands {
            let name = command["command"]?.string ?? ""
            #expect(command["summary"]?.string?.hasSuffix(".") == true, "\(name)")
            #expect(command["examples"]?[0]?.string?.hasPrefix(name) == true, "\(name)")
        }
        let buy = try #require(commands.first { $0["command"]?.string == "payqueuectl buy" })
        #expect(buy["arguments"]?[0]?["name"]?.string == "product")
        let options = buy["options"]?.array ?? []
        let timeout = options.first { $0["names"]?[0]?.string == "--timeout" }
        #expect(timeout?["value"]?.string == "seconds")
        #expect(timeout?["default"]?.string == "30")
        let finish = options.first { $0["names"]?[0]?.string == "--finish" }
        #expect(finish != nil && finish?["value"] == nil)
        for words in [
            ["help", "buy", "--json"], ["buy", "--help", "--json"], ["--json", "help", "buy"],
            ["buy", "coins.100", "-h", "--json"],
        ] {
            let one = try Child.run([Built.control] + words, in: place)
            #expect(try JSON(one.output) == buy, "\(words): \(one.errors)")
        }
        let typo = try Child.run([Built.control, "help", "stauts", "--json"], in: place)
        #expect(typo.ending == .exit(3))
        #expect(try JSON(typo.errors)["message"]?.string?.contains("'status'") == true)
    }

    @Test("The shells complete what a wait may be for, as they do states")
    func completion() throws {
        let script = try Child.run(
            [Built.control, "--generate-completion-script", "bash"], in: try Workplace())
        #expect(script.ending == .exit(0))
        let part = script.output.split(separator: "'--until')").dropFirst().first ?? ""
        let offered = part.split(separator: ";;").first ?? ""
        for word in ["purchasing", "purchased", "restored", "failed", "removed"] {
            #expect(offered.contains("'\(word)'"), "\(word): \(offered)")
        }
    }

    /// The program itself and all below it, parents first.
    private static func all(_ program: String, _ words: [String] = []) throws -> [[String]] {
        [words] + (try commands(of: program, words).flatMap { try all(program, words + [$0]) })
    }

    /// The names of the subcommands that a help page lists.
    static func commands(of program: String, _ words: [String] = []) throws -> [String] {
        let help = try Child.run([program] + words + ["--help"], in: try Workplace()).output
        var isList = false
        return help.split(separator: "\n").compactMap { line in
            // A group of commands has a title of its own.
            if !line.hasPrefix(" ") {
                isList = line.hasSuffix(":") && line != "ARGUMENTS:" && line != "OPTIONS:"
            }
            // Lines that go on are indented further, and the last one is a sentence.
            guard isList, line.hasPrefix("  "),
                line.dropFirst(2).first?.isLowercase == true
            else { return nil }
            return line.split(separator: " ").first.map(String.init)
        }
    }
}

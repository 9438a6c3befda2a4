import Foundation
import PaymentTesting
import Testing

/// Whatever lists the methods lists the same ones.
@Suite("Names", .ownThreads)
struct NamesTests {
    @Test("Contract, help, man pages, completions and reference name the same methods")
    func methods() throws {
        let contract = try Self.contract()
        #expect(contract.count > 40)

        try Daemon.run { daemon in
            let line = try daemon.connect()
            let help = try line.call("help")["text"]?.string ?? ""
            // Lines that go on are indented further.
            let listed = help.split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(Set(listed) == contract, "help lists others")
            let discovered = try line.call("rpc.discover")["methods"]?.array ?? []
            #expect(Set(discovered.compactMap { $0["name"]?.string }) == contract)

            let place = daemon.place
            let manual = try Child.run(
                [Built.control, "manual", "--into", place("manual")], in: place, seconds: 120)
            #expect(manual.ending == .exit(0), "\(manual.errors)")
            let pages = try Self.names(in: place("manual/man/man7")).map { name in
                String(name.dropFirst("payqueued-".count).dropLast(".7".count))
            }
            #expect(Set(pages) == contract, "the man pages are of others")
            for script in ["payqueuectl.bash", "_payqueuectl", "payqueuectl.fish"] {
                // Each shell quotes a list in its own way.
                let words = text(of: place("manual/completions/\(script)"))
                    .replacing("\\n", with: " ")
                    .split { !$0.isLetter && $0 != "." }.map(String.init)
                #expect(contract.isSubset(of: words), "\(script) completes others")
            }
        }

        let reference = text(
            of: Built.root
                .appending(path: "Sources/payqueued/Documentation.docc/Methods.md").path)
        let headings = reference.split(separator: "\n").filter { $0.hasPrefix("### ") }
            .map { String($0.dropFirst("### ".count)) }
        #expect(headings.count == Set(headings).count)
        #expect(Set(headings) == contract, "the reference is of others")
    }

    @Test("Every subcommand has a man page that man reads without a warning")
    func pages() throws {
        let place = try Workplace()
        let manual = try Child.run(
            [Built.control, "manual", "--into", place("manual")], in: place, seconds: 120)
        #expect(manual.ending == .exit(0), "\(manual.errors)")
        let help = try Child.run([Built.control, "--help"], in: place).output
        let commands = help.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { $0 != "See" && $0 != "payqueuectl" && !$0.hasPrefix("-") }
        let pages = Set(try Self.names(in: place("manual/man/man1")))
        for command in commands where command.first?.isLowercase == true {
            #expect(pages.contains("payqueuectl-\(command).1"), "\(command) has no page")
        }
        guard Built.has("groff") else { return Skip.because("groff is not installed") }
        for section in ["man1", "man5", "man7", "man8"] {
            for name in try Self.names(in: place("manual/man/\(section)")) {
                let shown = try Child.run(
                    [
                        "groff", "-man", "-Tutf8", "-ww", "-rCHECKSTYLE=1",
                        place("manual/man/\(section)/\(name)"),
                    ], in: place)
                #expect(shown.errors.isEmpty, "\(name): \(shown.errors.prefix(300))")
                #expect(!shown.output.isEmpty, "\(name) shows nothing")
            }
        }
    }

    @Test(
        "Each shell takes its completion script",
        arguments: [
            ("bash", "payqueuectl.bash"), ("zsh", "_payqueuectl"), ("fish", "payqueuectl.fish"),
        ])
    func completions(shell: String, script: String) throws {
        guard Built.has(shell) else { return Skip.because("\(shell) is not installed", shell) }
        let place = try Workplace()
        let made = try Child.run(
            [Built.control, "--generate-completion-script", shell], in: place)
        let file = try place.write(made.output, to: script)
        let checked = try Child.run([shell, "-n", file], in: place)
        #expect(checked.ending == .exit(0), "\(checked.errors)")
    }

    @Test("A name from StoreKit or OnsideKit leads to ours, on the wire and on the command line")
    func familiar() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            let refused = try line.ask("restoreCompletedTransactions")["error"]
            #expect(refused?["code"]?.int == -32601)
            #expect(refused?["data"]?["didYouMean"]?.string == "restore")
            let unknown = try line.ask("add", #"{"applicationUsername":"u"}"#)
            #expect(unknown["error"]?["data"]?["didYouMean"]?.string == "appAccountToken")
        }
        let place = try Workplace()
        func say(_ words: String...) throws -> (
            ending: Child.Ending, output: String, errors: String
        ) {
            try Child.run([Built.control] + words, in: place)
        }
        let command = try say("restoreCompletedTransactions")
        #expect(command.ending == .exit(3))
        #expect(command.errors.contains("type 'payqueuectl restore'"), "\(command.errors)")
        let option = try say("buy", "coins.100", "--applicationUsername", "u")
        #expect(option.ending == .exit(3))
        #expect(option.errors.contains("'payqueuectl buy --token'"), "\(option.errors)")
        let help = try say("help", "OnsidePaymentQueueDelegate")
        #expect(help.ending == .exit(0))
        #expect(help.output.contains("'delegate', 'questions', 'answer'"), "\(help.output)")
    }

    private static func contract() throws -> Set<String> {
        let file = Built.root.appending(path: "clients/openrpc.json").path
        let methods = try JSON(text(of: file))["methods"]?.array ?? []
        return Set(methods.compactMap { $0["name"]?.string })
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}

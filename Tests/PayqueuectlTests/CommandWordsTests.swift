import Testing

@testable import payqueuectl

/// What is done to a command line before it is taken apart.
@Suite("The words of a command line")
struct CommandWordsTests {
    @Test(
        "A socket before the command goes behind it",
        arguments: [
            (["--socket", "p", "ping"], ["ping", "--socket", "p"]),
            (["--socket=p", "ping", "--json"], ["ping", "--json", "--socket=p"]),
            (["-s", "p", "history", "verify"], ["history", "verify", "-s", "p"]),
            (
                ["--socket", "p", "call", "add", "--", "-x"],
                ["call", "add", "--socket", "p", "--", "-x"]
            ),
            (
                ["--json", "--socket", "p", "--color=never", "ping", "--wait"],
                ["ping", "--wait", "--json", "--socket", "p", "--color=never"]
            ),
            (["--color", "never", "list"], ["list", "--color", "never"]),
            (["--json"], ["--json"]), (["--json", "--help"], ["--help", "--json"]),
            (["ping", "--socket", "p"], ["ping", "--socket", "p"]),
            (["--socket", "p"], ["--socket", "p"]), (["--socket"], ["--socket"]),
            (["--sockets", "p", "ping"], ["--sockets", "p", "ping"]), ([], []),
        ])
    func socket(words: [String], arranged: [String]) {
        #expect(CommandWords.arranged(words) == arranged)
    }

    @Test(
        "The socket that was given is named in what is suggested",
        arguments: [
            (["finish", "t1", "--socket", "/s"], " --socket /s"),
            (["finish", "--socket=/s", "t1"], " --socket /s"),
            (["list", "-s", "/a b"], " --socket '/a b'"), (["list"], ""), ([], ""),
            (["call", "add", "--", "--socket", "/s"], ""), (["list", "--socket"], ""),
            (["list", "-s", "/a", "-s", "/b"], " --socket /b"),
        ])
    func connection(words: [String], expected: String) {
        #expect(CommandWords.connection(words) == expected)
    }

    @Test(
        "Advice sends every command that asks the daemon to the same one",
        arguments: [
            ("see 'payqueuectl list'", "see 'payqueuectl list --socket /s'"),
            (
                "the daemon's list: 'payqueuectl list', 'payqueuectl finish t1'",
                "the daemon's list: 'payqueuectl list --socket /s', "
                    + "'payqueuectl finish t1 --socket /s'"
            ),
            ("'payqueuectl list --socket /x' says", "'payqueuectl list --socket /x' says"),
            ("'payqueuectl --version'", "'payqueuectl --version'"),
            ("'payqueuectl list --help'", "'payqueuectl list --help'"),
            ("'payqueuectl journal verify'", "'payqueuectl journal verify'"),
            ("try again", "try again"), ("", ""),
        ])
    func reaching(advice: String, expected: String) {
        #expect(Advice.reaching(advice, connection: " --socket /s") == expected)
        #expect(Advice.reaching(advice, connection: "") == advice)
    }

    @Test(
        "A first word that is no command is put right where that can be told",
        arguments: [
            ("stauts", "'status'", "'payqueuectl status'"),
            ("pnig", "'ping'", "'payqueuectl ping'"),
            ("frobnicate", "there is no command", "'payqueuectl --help'"),
            ("add", "a method of the daemon", "'payqueuectl call add name=value'"),
            ("transactions", "a method", "'payqueuectl call transactions name=value'"),
        ])
    func correction(word: String, sentence: String, advice: String) {
        let correction = CommandWords.correction(word, commands: ["status", "ping", "call"])
        #expect(correction.sentence.contains("'\(word)'"))
        #expect(correction.sentence.contains(sentence))
        #expect(correction.advice.contains(advice))
    }

    @Test("A word below a command is corrected with the command before it")
    func nested() {
        let found = CommandWords.correction(
            "verfy", commands: ["verify", "dump"], after: ["journal"])
        #expect(found.sentence == "there is no command 'journal verfy'; the nearest is 'verify'")
        #expect(found.advice.hasPrefix("type 'payqueuectl journal verify'"))
    }

    @Test(
        "Words that name no command are refused before they are parsed",
        arguments: [
            ["nosuch"], ["help", "nosuch"], ["help", "stauts"], ["journal", "nosuch"],
            ["help", "journal", "verfy"], ["history", "fetsch"],
        ])
    func refused(words: [String]) {
        #expect(throws: CommandFailure.self) { try CommandTree.page(words) }
    }

    @Test(
        "Command lines that name a command, or begin with an option, are left to the parser",
        arguments: [
            ["buy", "nosuch"], ["journal", "verify", "x"], ["--version"], ["help", "buy"],
            ["help", "journal", "verify"], ["history", "--limit", "3"], ["history"], ["manual"],
        ])
    func parsed(words: [String]) throws {
        #expect(try CommandTree.page(words) == nil)
    }

    @Test(
        "The list of commands is the same however one asks for it",
        arguments: [[], ["help"], ["--help"], ["-h"]])
    func overview(words: [String]) throws {
        let page = try #require(try CommandTree.page(words))
        #expect(page == CommandTree.overview)
        for name in CommandTree.names where name != "manual" {
            #expect(page.contains("\n  \(name) "), "\(name)")
        }
    }

    @Test(
        "A first word from StoreKit or OnsideKit is told what it is here",
        arguments: [
            ("restoreCompletedTransactions", "is 'restore'", "'payqueuectl restore'"),
            (
                "makeSignedInAppsHistoryRequest", "'signedHistory'",
                "call help method=signedHistory'"
            ),
            ("Merchant ID", "'payqueue-store merchant add'", "'payqueuectl --help'"),
            ("loginDiscarded", "(1104)", "'payqueuectl --help'"),
        ])
    func familiar(word: String, sentence: String, advice: String) {
        let correction = CommandWords.correction(word, commands: ["restore", "call", "help"])
        #expect(correction.sentence.contains("'\(word)'"))
        #expect(correction.sentence.contains(sentence))
        #expect(correction.advice.contains(advice), "\(correction.advice)")
    }

    @Test("An option from StoreKit is told what it is here, once the parser has refused it")
    func options() {
        let words = ["buy", "coins", "--applicationUsername=u", "--quantity"]
        let complaint = "Error: Unknown option '--applicationUsername'"
        #expect(
            CommandWords.familiarOption(words, complaint: complaint)?
                .contains("'payqueuectl buy --token'") == true)
        #expect(CommandWords.familiarOption(["buy", "--zzz"], complaint: complaint) == nil)
        #expect(CommandWords.familiarOption(words, complaint: "Error: Missing value") == nil)
    }
}

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
            ("add", "a method of the daemon", "'payqueuectl call add name=value'"),
            ("transactions", "a method", "'payqueuectl call transactions name=value'"),
        ])
    func correction(word: String, sentence: String, advice: String) throws {
        let correction = try #require(
            CommandWords.correction([word, "--json"], commands: ["status", "ping", "call"]))
        #expect(correction.sentence.contains("'\(word)'"))
        #expect(correction.sentence.contains(sentence))
        #expect(correction.advice.contains(advice))
    }

    @Test(
        "Nothing is put right that is a command, an option, or like none",
        arguments: [["status"], ["--stauts"], ["frobnicate"], []])
    func nothing(words: [String]) {
        #expect(CommandWords.correction(words, commands: ["status", "ping"]) == nil)
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
    func familiar(word: String, sentence: String, advice: String) throws {
        let correction = try #require(
            CommandWords.correction([word], commands: ["restore", "call", "help"]))
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

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
}

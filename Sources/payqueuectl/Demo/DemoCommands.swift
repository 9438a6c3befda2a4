/// What to type after the demonstration.
struct DemoCommands {
    /// The daemon's program, as the person named it.
    let daemon: String

    private static let socket = "/tmp/pq.sock"
    private static let conversation = """
        '{"jsonrpc":"2.0","id":1,"method":"subscribe"}' \
        '{"jsonrpc":"2.0","id":2,"method":"add","params":{"product":"coins.100","key":"k1"}}'
        """

    /// Three commands, with the words that introduce them.
    var lines: [String] {
        [
            "That was all of it, and nothing is left running. To do it yourself, type:",
            "",
            "  \(Shell.quoted(daemon)) --demo --socket \(Self.socket) &",
            "  printf '%s\\n' \(Self.conversation) | socat -t5 - UNIX-CONNECT:\(Self.socket)",
            "  \(OwnProgram.path) watch --socket \(Self.socket)",
        ]
    }
}

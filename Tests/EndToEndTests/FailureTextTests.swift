import Foundation
import PaymentTesting
import Testing

/// What goes wrong before the daemon can say no, as people meet it.
@Suite("The words of failures", .ownThreads)
struct FailureTextTests {
    @Test("Through every subcommand, a way to the daemon that fails reads as reviewed")
    func connections() throws {
        let place = try Workplace()
        var page = ErrorWords(in: place)
        for (number, (title, socket)) in try Self.unreachable(in: place).enumerated() {
            page.section(title)
            page.add(try Self.ask(socket, page, of: ErrorWords.some(number)))
        }
        let fake = try FakeDaemon(in: place)
        for (number, (title, manner)) in Self.manners.enumerated() {
            page.section(title)
            fake.behave(manner)
            page.add(try Self.ask(fake.socket, page, of: ErrorWords.some(number)))
        }
        // Once through all of them: no subcommand has a way of its own.
        page.section("The connection ends before the answer")
        fake.behave(.breakingOff(""))
        page.add(try Self.ask(fake.socket, page, of: ErrorWords.asking))
        page.section("The daemon takes the request and stays silent")
        fake.behave(.saying(""))
        page.add(try Self.ask(fake.socket, page, of: Self.impatient))
        try page.compare(with: "failures.txt")
    }

    @Test("Permission that is denied is said, to a user whom the socket is closed to")
    func permission() throws {
        guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
        let place = try Workplace()
        guard chmod(place.path, 0o755) == 0 else { throw Trouble("cannot open \(place.path)") }
        let fake = try FakeDaemon(in: place)
        guard chmod(fake.socket, 0o600) == 0 else { throw Trouble("cannot close \(fake.socket)") }
        let other = ["setpriv", "--reuid=61233", "--regid=61233", "--clear-groups"]
        let may = try Child.run(other + ["test", "-x", Built.control], in: place)
        guard may.ending == .exit(0) else { return Skip.because("others cannot run the build") }
        var page = ErrorWords(in: place)
        page.section("The socket is not for this user")
        let asked = ErrorWords.some(0)
        let said = try page.run(
            asked.map { other + [Built.control] + $0 + ["--socket", fake.socket] },
            name: { $0.dropFirst(other.count + 1).dropLast(2).joined(separator: " ") })
        said.forEach { ErrorWords.inspect($0) }
        page.add(said)
        try page.compare(with: "permission.txt")
    }

    @Test("What cannot be meant on a command line reads as reviewed, in every program")
    func commandLines() throws {
        let place = try Workplace()
        try place.write("{}", to: "empty.json")
        try place.write("secret", to: "secret")
        #expect(mkdir(place("shop"), 0o700) == 0)
        try place.write("", to: "nothing")
        chmod(place("nothing"), 0o600)
        chmod(place("secret"), 0o644)
        var page = ErrorWords(in: place)
        let environment = ["HOME": place.path, "PAYQUEUED_SOCKET": place("s")]
        let all = Self.mistakes(place) + [(Built.control, Self.credentials(place))]
        for (program, lines) in all {
            let name = URL(filePath: program).lastPathComponent
            page.section(name)
            let said = try page.run(
                lines.map { [program] + $0 }, environment: environment,
                name: { $0.dropFirst().joined(separator: " ") })
            said.forEach { ErrorWords.inspect($0, program: name) }
            page.add(said)
        }
        try page.compare(with: "usage.txt")
    }

    private static func ask(
        _ socket: String, _ page: ErrorWords, of commands: [[String]]
    ) throws -> [ErrorWords.Said] {
        let said = try page.run(
            commands.map { [Built.control] + $0 }, environment: ["PAYQUEUED_SOCKET": socket])
        for one in said {
            ErrorWords.inspect(one)
            #expect(one.ending == .exit(2) || one.ending == .exit(4) || one.ending == .exit(1))
        }
        return said
    }

    /// Those that may be told how long to wait for an answer.
    private static let impatient = [["list"], ["restore"], ["ping"], ["doctor"], ["login", "ann"]]
        .map { $0 + ["--timeout", "0.2"] }

    /// Sockets that nobody can connect to.
    private static func unreachable(in place: Workplace) throws -> [(String, String)] {
        let plain = try place.write("", to: "plain")
        // A socket whose listener is gone without taking the file along.
        let left = try FakeDaemon(in: place).socket
        try FileManager.default.moveItem(atPath: left, toPath: place("left"))
        return [
            ("There is no socket", place("missing")),
            ("Nobody listens at the socket any more", place("left")),
            ("There is a plain file in its place", plain),
            ("The path leads through a file", plain + "/s"),
            ("The path is too long", place(String(repeating: "long", count: 30))),
        ]
    }

    /// Peers that are no daemon, or one that has enough.
    private static let manners: [(String, FakeDaemon.Manner)] = [
        ("It closes the connection at once", .closing),
        ("It closes the connection in the middle of the answer", .breakingOff(#"{"jsonrpc":"2"#)),
        ("It does not speak JSON", .saying("220 mail.example ESMTP\n")),
        ("It speaks JSON, and something else", .saying("[]\n")),
        ("-32700 without an id", unasked(-32700, "Parse error", "syntax")),
        ("-32600 without an id", unasked(-32600, "Invalid Request", "notAnObject")),
        ("-32001 without an id", unasked(-32001, "The line is too long", "lineTooLong")),
        ("-32005 without an id", unasked(-32005, "Too many connections", "tooManyConnections")),
    ]

    private static func unasked(_ code: Int, _ message: String, _ kind: String) -> FakeDaemon.Manner
    {
        .breakingOff(
            #"{"jsonrpc":"2.0","id":null,"error":{"code":\#(code),"message":"\#(message)","#
                + #""data":{"kind":"\#(kind)","retry":"no","effect":"none"}}}"# + "\n")
    }

    /// Command lines by program.
    private static func mistakes(_ place: Workplace) -> [(String, [[String]])] {
        let merchant = ["--store", "http://127.0.0.1:9", "--merchant", "m", "--key", "k"]
        let order = "00000000-0000-4000-8000-000000000001"
        return [
            (
                Built.control,
                [
                    ["frobnicate"], ["stauts"], ["add", "product=coins.100"], ["list", "--bogus"],
                    ["watch", "--obsrve"], ["buy"], ["finish"],
                    ["answer", "q1"], ["answer", "q1", "perhaps"], ["drain", "maybe"],
                    ["decide", "t1"], ["decide", "t1", "maybe"], ["list", "--timeout", "soon"],
                    ["list", "--timeout=-1"], ["ping", "--timeout=nan"],
                    ["buy", "coins.100", "--timeout=1e18"], ["list", "--filter", "queue"],
                    ["list", "--filter", "nope["], ["journal", "dump", "--after", "first"],
                    ["list", "--socket"], ["wait"], ["wait", "t1", "--restore", "r1"],
                    ["watch", "--after", "then"], ["watch", "--cursor", "c", "--after", "3"],
                    ["watch", "--cursor", place("empty.json")], ["call"],
                    ["call", "ping", "nonsense"], ["call", "ping", "a=1", "a=2"],
                    ["call", "ping", "--params", "{"], ["call", "ping", "--params", "5"],
                    ["call", "ping", "{"],
                    ["call", "ping", "a=1", "--params", "{}"], ["call", "ping", "a:=x"],
                    ["top", "--interval", "fast"], ["history", "verify", place("missing")],
                    ["history", "verify", place("secret"), "--keys", place("missing")],
                    ["history", "verify", place("secret"), "--keys", place("empty.json")],
                    ["history", "verify", place("secret"), "--keys", "http://127.0.0.1:9/"],
                    ["history", "verify", place("secret"), "--keys", "http://"],
                    ["journal", "verify", "--state-directory", place("missing")],
                    ["journal", "verify", place("missing")],
                    ["journal", "verify", "a", "--state-directory", "b"],
                    ["journal", "dump", "--state-directory", place("missing")],
                    ["journal", "repair", "--state-directory", place("missing"), "--into", "x"],
                    ["journal", "repair"],
                    [
                        "restore-backup", place("missing"), "--state-directory", place("new"),
                    ], ["restore-backup", place.path, "--state-directory", place("new")],
                    ["merchant", "history", "o1", "--secret-file", "s"] + merchant,
                    ["merchant", "history", order, "--secret-file", place("missing")] + merchant,
                    ["merchant", "history", order, "--secret-file", place("secret")] + merchant,
                    ["merchant", "history", order, "--secret-file", place("nothing")] + merchant,
                    ["demo", "--daemon", place("missing")],
                    ["manual", "--into", "/proc/payqueued"],
                ]
            ),
            (
                Built.daemon,
                [
                    ["--bogus"], ["--socket"], ["frobnicate"], ["--log-level", "loud"],
                    ["--log-format", "xml"], ["--store", "ftp://example"],
                    ["--config", place("missing")], ["--catalog", place("missing")],
                    ["--catalog", place("empty.json")], ["--catalog", place("nothing")],
                    ["--demo", "--socket", place("missing/s")],
                    ["--demo", "--socket", place(String(repeating: "long", count: 30))],
                    ["--demo", "--socket", place("empty.json")],
                    ["--demo", "--socket", place("d"), "--state-directory", "/proc/payqueued"],
                ]
            ),
            (
                Built.store,
                [
                    ["--bogus"], ["--listen"], ["--listen", "nowhere"],
                    ["--catalog", place("missing")], ["--tls-key", place("missing")],
                    ["merchant", "add"], ["merchant", "rotate", "nobody", "--keep", "-1"],
                    ["merchant", "rotate", "nobody", "--state-directory", place("shop")],
                    ["merchant", "revoke", "nobody", "--state-directory", place("shop")],
                    ["merchant", "add", "A publisher", "--state-directory", place("missing")],
                    ["merchant", "list", "--state-directory", place("missing")],
                ]
            ),
        ]
    }

    /// Ways to name a credential that cannot be used.
    private static func credentials(_ place: Workplace) -> [[String]] {
        let files = ["missing", "secret", "nothing"].map { name in
            ["login", "ann", "--credential-file", place(name)]
        }
        return files + [["login", "--credential", "x", "--credential-file", place("nothing")]]
    }
}

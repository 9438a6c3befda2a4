import Foundation
import PaymentTesting
import Testing

/// What `--check-config` and `--print-config` say is what a start does.
@Suite("Looking at a configuration", .ownThreads)
struct ConfigurationTests {
    /// A configuration that a start refuses with exit 78.
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sentence: String
        let flags: @Sendable (Workplace) throws -> [String]

        init(
            _ name: String, _ sentence: String,
            _ flags: @escaping @Sendable (Workplace) throws -> [String]
        ) {
            testDescription = name
            self.sentence = sentence
            self.flags = flags
        }
    }

    static let refused: [Refused] = [
        Refused("a long path", "the system allows 107") {
            ["--socket", $0(String(repeating: "long", count: 30))]
        },
        Refused("no parent directory", "No such file or directory") {
            ["--demo", "--socket", $0("missing/s")]
        },
        Refused("a parent that is a file", "is not a directory") {
            ["--demo", "--socket", try $0.write("", to: "file") + "/s"]
        },
        Refused("a file where the socket should be", "is not a socket") {
            ["--demo", "--socket", try $0.write("", to: "file")]
        },
        Refused("a group that does not exist", "socketGroup 'nobodies' does not exist") {
            [
                "--demo", "--socket", $0("s"), "--config",
                try $0.write(#"{"socketGroup":"nobodies"}"#, to: "config"),
            ]
        },
        Refused("one path for two sockets", "two sockets have the path") {
            let text = #"{"adminSocket":"\#($0("s"))"}"#
            return ["--demo", "--socket", $0("s"), "--config", try $0.write(text, to: "config")]
        },
        Refused("measurements in no directory", "No such file or directory") {
            ["--demo", "--socket", $0("s"), "--metrics-socket", $0("missing/m")]
        },
        Refused("a state directory that others may write to", "chmod go-w") {
            ["--socket", $0("s"), "--state-directory", try open($0("state"))]
        },
        Refused("a state directory below a file", "not a directory") {
            ["--socket", $0("s"), "--state-directory", try $0.write("", to: "file") + "/state"]
        },
        Refused("a collector over TLS", "a collector on this machine can forward the traces") {
            let text = #"{"otlpEndpoint":"https://collector.example:4318"}"#
            return ["--demo", "--socket", $0("s"), "--config", try $0.write(text, to: "config")]
        },
        Refused("certificates that are none", "cannot use the certificates") {
            let text = #"{"storeCertificates":"\#($0("missing.pem"))"}"#
            return [
                "--socket", $0("s"), "--store", "https://127.0.0.1:1", "--state-directory",
                $0("state"), "--config", try $0.write(text, to: "config"),
            ]
        },
    ]

    @Test("--check-config refuses what a start refuses, in the same words", arguments: refused)
    func refuses(_ example: Refused) throws {
        let place = try Workplace()
        let flags = try example.flags(place)
        let environment = ["HOME": place.path, "TMPDIR": place.path]
        let before = try Self.names(in: place)
        let checked = try Child.run(
            [Built.daemon, "--check-config"] + flags, in: place, environment: environment)
        #expect(checked.ending == .exit(78), "\(checked.output)")
        #expect(checked.errors.contains(example.sentence), "\(checked.errors)")
        #expect(try Self.names(in: place) == before, "it made something")
        let started = try Child.run([Built.daemon] + flags, in: place, environment: environment)
        #expect(started.ending == .exit(78))
        #expect(started.errors == checked.errors)
    }

    @Test("--check-config refuses the directory of another user")
    func foreignOwner() throws {
        guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
        let place = try Workplace()
        try FileManager.default.createDirectory(
            atPath: place("theirs"), withIntermediateDirectories: false)
        try #require(chown(place("theirs"), 61233, 61233) == 0)
        for flags in [
            ["--demo", "--socket", place("theirs/s")],
            ["--socket", place("s"), "--state-directory", place("theirs")],
        ] {
            let checked = try Child.run([Built.daemon, "--check-config"] + flags, in: place)
            #expect(checked.ending == .exit(78), "\(checked.output)")
            #expect(checked.errors.contains("belongs to user 61233"), "\(checked.errors)")
        }
    }

    @Test("--check-config takes what a start would make, and makes nothing")
    func makesNothing() throws {
        let place = try Workplace()
        let environment = [
            "HOME": place.path, "TMPDIR": place.path, "XDG_RUNTIME_DIR": place.path,
        ]
        let before = try Self.names(in: place)
        for flags in [
            [], ["--demo"], ["--socket", "beside"], ["--state-directory", place("new/state")],
        ] {
            let checked = try Child.run(
                [Built.daemon, "--check-config"] + flags, in: place, environment: environment)
            #expect(checked.ending == .exit(0), "\(checked.errors)")
        }
        let demo = try Child.run(
            [Built.daemon, "--check-config", "--demo"], in: place,
            environment: ["TMPDIR": place.path])
        #expect(demo.ending == .exit(0), "\(demo.errors)")
        #expect(try Self.names(in: place) == before)
    }

    @Test("--check-config leaves it to the start to miss a place that nothing names")
    func missesNothing() throws {
        let place = try Workplace()
        let checked = try Child.run(
            ["env", "-u", "HOME", Built.daemon, "--check-config"], in: place)
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        for missing in ["socket", "state directory"] {
            #expect(checked.output.contains("no path for the \(missing) is set here"))
        }
        for (flags, sentence) in [
            ([], "no path for the socket"), (["--socket", place("s")], "no path for the state"),
        ] {
            let started = try Child.run(
                ["env", "-u", "HOME", Built.daemon] + flags, in: place)
            #expect(started.ending == .exit(78))
            #expect(started.errors.contains(sentence), "\(started.errors)")
        }
    }

    @Test("--check-config looks for no place of the socket where systemd passes one")
    func passedSocket() throws {
        guard Built.has("systemd-socket-activate") else {
            return Skip.because("systemd-socket-activate is not installed")
        }
        let place = try Workplace()
        let child = try Child(
            [
                "systemd-socket-activate", "-l", place("activated"), Built.daemon,
                "--check-config",
            ],
            in: place, name: "activated")
        let connected = eventually(within: 60) { try? Line(to: place("activated")) }
        _ = try #require(connected, "nothing listens: \(child.standardError)")
        #expect(try child.wait() == .exit(0), "\(child.standardError)")
    }

    @Test(
        "A key or a variable that sets nothing is refused with the one that was meant",
        arguments: [
            (#"{"logLevl":"info"}"#, "", "did you mean 'logLevel'?"),
            (#"{"timeouts":{"login":5}}"#, "", "did you mean 'loginSeconds'?"),
            (#"{"retention":{"log":5}}"#, "", "did you mean 'logDays'?"),
            (#"{"limits":{"dpth":5}}"#, "", "did you mean 'depth'?"),
            (#"{"logDays":5}"#, "", "did you mean 'retention.logDays'?"),
            ("{}", "PAYQUEUED_STATE_DIR", "did you mean 'PAYQUEUED_STATE_DIRECTORY'?"),
            ("{}", "PAYQUEUED_LOGLEVEL", "did you mean 'PAYQUEUED_LOG_LEVEL'?"),
            ("{}", "PAYQUEUED_CONIFG", "did you mean 'PAYQUEUED_CONFIG'?"),
            ("{}", "PAYQUEUED_QQQ", "'payqueued --print-config' lists the keys"),
        ])
    func names(file: String, variable: String, sentence: String) throws {
        let place = try Workplace()
        let flags = ["--demo", "--config", try place.write(file, to: "config.json")]
        for check in [["--check-config"], []] {
            let shown = try Child.run(
                [Built.daemon] + check + flags, in: place,
                environment: variable.isEmpty ? [:] : [variable: "x"])
            #expect(shown.ending == .exit(78))
            #expect(shown.errors.contains(sentence), "\(shown.errors)")
        }
    }

    @Test(
        "--print-config shows where socket and state are, and who says so",
        arguments: [
            (
                ["RUNTIME_DIRECTORY": "/run/a:/run/b", "STATE_DIRECTORY": "/var/lib/a"], [],
                "/run/a/payqueued.sock  [service manager RUNTIME_DIRECTORY]",
                "/var/lib/a  [service manager STATE_DIRECTORY]"
            ),
            (
                ["XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/srv/a/state"], [],
                "/run/user/7/payqueued/payqueued.sock  [environment XDG_RUNTIME_DIR]",
                "/srv/a/state/payqueued  [environment XDG_STATE_HOME]"
            ),
            (
                ["HOME": "/srv/a"], ["--socket", "/tmp/s"], "/tmp/s  [flag --socket]",
                "/srv/a/.local/state/payqueued  [environment HOME]"
            ),
            (
                ["HOME": "/srv/a"], ["--demo"], "(in a temporary directory)  [flag --demo]",
                "(in a temporary directory)  [flag --demo]"
            ),
            (["HOME": ""], [], "(none)  [default]", "(none)  [default]"),
        ])
    func places(
        environment: [String: String], flags: [String], socket: String, state: String
    ) throws {
        let shown = try Child.run(
            [Built.daemon, "--print-config"] + flags, in: try Workplace(),
            environment: environment)
        let lines = shown.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("socket = \(socket)"), "\(shown.output)")
        #expect(lines.contains("stateDirectory = \(state)"), "\(shown.output)")
    }

    @Test("--print-config names the file behind those values only that it sets")
    func members() throws {
        let place = try Workplace()
        let file = try place.write(
            #"{"limits":{"depth":16},"timeouts":{"drainSeconds":5},"#
                + #""retention":{"logDays":7},"roles":{"users":{"0":["observe"]}}}"#,
            to: "config.json")
        let shown = try Child.run(
            [Built.daemon, "--print-config", "--config", file], in: place)
        let labelled = shown.output.split(separator: "\n")
            .filter { $0.hasSuffix("[file \(file)]") }.map { $0.prefix { $0 != " " } }
        #expect(
            labelled == [
                "retention.logDays", "timeouts.drainSeconds", "limits.depth", "roles.users",
            ])
    }

    private static func open(_ path: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        try #require(chmod(path, 0o777) == 0)
        return path
    }

    /// What is in a workplace beside the output of programs.
    private static func names(in place: Workplace) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: place.path)
            .filter { !$0.hasPrefix("run-") }.sorted()
    }
}

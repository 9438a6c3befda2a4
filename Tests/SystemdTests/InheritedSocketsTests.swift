import Foundation
import Testing

@testable import Systemd

@Suite struct InheritedSocketsTests {
    @Test(
        arguments: [
            ("control", true, nil),
            ("example", true, nil),
            ("unknown", true, nil),
            ("", true, nil),
            ("example.socket", true, nil),
            ("example@one.socket", true, nil),
            ("control.socket", true, nil),
            ("other.socket", true, .unknownName),
            ("controls", true, .unknownName),
            ("example@one", true, .unknownName),
            ("stored", false, .unknownName),
            ("control", false, .notAUnixListener),
            ("", false, .notAUnixListener),
        ] as [(String, Bool, InheritedSockets.Foreign.Reason?)])
    func `a descriptor is taken by its name and its kind`(
        name: String, isListener: Bool, reason: InheritedSockets.Foreign.Reason?
    ) {
        let refusal = InheritedSockets.refusal(
            name: name, isListener: isListener, names: ["control", "example"])
        #expect(refusal == reason)
    }

    @Test(
        arguments: [
            ([], nil),
            ([0], nil),
            (Array("/run/a".utf8), "/run/a"),
            (Array("/run/a\0junk".utf8), "/run/a"),
            (Array("\0name".utf8), "@name"),
        ] as [([UInt8], String?)])
    func `an address is a path, a name behind an at sign, or nothing`(
        bytes: [UInt8], path: String?
    ) {
        #expect(SocketAddress.path(name: bytes) == path)
    }

    @Test func `our listeners are taken and everything else is closed`() throws {
        let path = "/tmp/inherit-\(getpid())"
        let report = path + "-report"
        let abstract = "@inherit-\(getpid())"
        let passed = [
            listenUnix(path), socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0),
            listenUnix(abstract), listenUnix(path + "-other"),
            socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0),
        ]
        defer {
            passed.forEach { close($0) }
            for made: String in [path, path + "-other", report] { unlink(made) }
        }
        let status = try ActivatedServiceTests.start(
            passing: passed,
            settings: [
                "LISTEN_FDNAMES=control:control:example.socket:metrics:unknown",
                "\(ActivatedServiceTests.reportVariable)=\(report)",
            ])
        #expect(status == 0)
        #expect(
            try String(contentsOfFile: report, encoding: .utf8) == """
                3 control \(path)
                5 example.socket \(abstract)
                4 control notAUnixListener
                6 metrics unknownName
                7 unknown notAUnixListener
                descriptor flags [1, -1, 1, -1, -1]
                variables left []
                """)
    }

    @Test func `an offer to another process is left alone`() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            let sockets = try InheritedSockets.take(names: ["control"])
            #expect(sockets.listeners.isEmpty && sockets.foreign.isEmpty)
        }
    }

    @Test(arguments: ["soon", "-1", "99999999999"])
    func `an offer that makes no sense is refused with a sentence`(count: String) async {
        await #expect(processExitsWith: .success) { [count] in
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", count, 1)
            let fault = #expect(throws: InheritanceFault.self) {
                try InheritedSockets.take(names: ["control"])
            }
            #expect(
                fault?.description.hasPrefix(
                    "cannot take over sockets from the service manager: ") == true)
        }
    }

    @Test(
        .enabled(if: Tool.exists("systemd-socket-activate"), "systemd-socket-activate is missing"))
    func `a socket that systemd-socket-activate opened is served`() throws {
        let path = "/tmp/activate-\(getpid())"
        let activator = Process()
        activator.executableURL = Tool.url("systemd-socket-activate")
        activator.arguments =
            ["-l", path, "--fdname=control", "-E", "\(ActivatedServiceTests.variable)=\(path)"]
            + ActivatedServiceTests.command
        activator.standardOutput = FileHandle.nullDevice
        activator.standardError = FileHandle.nullDevice
        try activator.run()
        defer {
            activator.terminate()
            activator.waitUntilExit()
            unlink(path)
        }
        let client = try #require(Patience.value { connectUnix(path) })
        let answer = FileHandle(fileDescriptor: client, closeOnDealloc: true)
        #expect(try answer.readToEnd() == Data("control at \(path)".utf8))
    }
}

/// The services that the tests above start: this very test program, as another process.
@Suite struct ActivatedServiceTests {
    static let variable = "SYSTEMD_TESTS_ACTIVATED"
    static let reportVariable = "SYSTEMD_TESTS_REPORT"
    private static let filter = ["--testing-library", "swift-testing", "--filter"]

    /// What starts this program so that it runs one of the tests below.
    static let command: [String] =
        CommandLine.arguments.prefix(1) + filter + ["ActivatedServiceTests"]

    @Test(.enabled(if: getenv(variable) != nil, "only runs as an activated service"))
    func `an activated service finds its listener`() throws {
        let sockets = try InheritedSockets.take(names: ["control"])
        let listener = try #require(sockets.listeners.first)
        let client = FileHandle(
            fileDescriptor: accept(listener.descriptor, nil, nil), closeOnDealloc: true)
        try client.write(contentsOf: Data("\(listener.name) at \(listener.path ?? "-")".utf8))
    }

    @Test(.enabled(if: getenv(reportVariable) != nil, "only runs as an activated service"))
    func `an activated service tells what it took and what it closed`() throws {
        let sockets = try InheritedSockets.take(names: ["control", "example"])
        let flags = (3...7).map { fcntl($0, F_GETFD) }
        let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let left = names.filter { (name: String) in getenv(name) != nil }
        let lines =
            sockets.listeners.map { "\($0.descriptor) \($0.name) \($0.path ?? "-")" }
            + sockets.foreign.map { "\($0.descriptor) \($0.name) \($0.reason)" }
            + ["descriptor flags \(flags)", "variables left \(left)"]
        let report = try #require(ProcessInfo.processInfo.environment[Self.reportVariable])
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: report))
    }

    /// Starts a service as a manager does: descriptors from 3 on, and its own number in
    /// `LISTEN_PID`, which only a shell in its place can know beforehand. Returns its exit status.
    static func start(passing descriptors: [Int32], settings: [String]) throws -> Int32 {
        let shell: [String] = ["/bin/sh", "-c", "exec env LISTEN_PID=$$ \"$@\"", "sh"]
        let words: [String] = shell + ["LISTEN_FDS=\(descriptors.count)"] + settings + command
        // Out of the way first, or one would be overwritten before it is passed.
        let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { sources.forEach { close($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        for (index, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, 3 + Int32(index))
        }
        var arguments = words.map { (word: String) in strdup(word) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, environ) == 0)
        var status: Int32 = 0
        try #require(waitpid(child, &status, 0) == child)
        return status
    }
}

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

    @Test func `our listeners are taken and everything else is closed`() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/inherit-\(getpid())"
            let passed = PassedDescriptors([
                listenUnix(path), socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0),
                listenUnix("@inherit-\(getpid())"), listenUnix(path + "-other"),
                socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0),
            ])
            setenv("LISTEN_FDNAMES", "control:control:example.socket:metrics:unknown", 1)
            let sockets = try InheritedSockets.take(names: ["control", "example"])
            let isOpen = (3...7).map { fcntl($0, F_GETFD) }
            passed.putBack()
            unlink(path)
            unlink(path + "-other")
            #expect(
                sockets.listeners.map(\.name) == ["control", "example.socket"])
            #expect(sockets.listeners.map(\.descriptor) == [3, 5])
            #expect(sockets.listeners.map(\.path) == [path, "@inherit-\(getpid())"])
            #expect(
                sockets.foreign == [
                    .init(descriptor: 4, name: "control", reason: .notAUnixListener),
                    .init(descriptor: 6, name: "metrics", reason: .unknownName),
                    .init(descriptor: 7, name: "unknown", reason: .notAUnixListener),
                ])
            #expect(isOpen == [FD_CLOEXEC, -1, FD_CLOEXEC, -1, -1])
            #expect(getenv("LISTEN_FDS") == nil)
            #expect(getenv("LISTEN_PID") == nil)
            #expect(getenv("LISTEN_FDNAMES") == nil)
        }
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
            + CommandLine.arguments.prefix(1)
            + ["--testing-library", "swift-testing", "--filter", "ActivatedServiceTests"]
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

/// The service that the test above has activated: this very test program, as another process.
@Suite struct ActivatedServiceTests {
    static let variable = "SYSTEMD_TESTS_ACTIVATED"

    @Test(.enabled(if: getenv(variable) != nil, "only runs as an activated service"))
    func `an activated service finds its listener`() throws {
        let sockets = try InheritedSockets.take(names: ["control"])
        let listener = try #require(sockets.listeners.first)
        let client = FileHandle(
            fileDescriptor: accept(listener.descriptor, nil, nil), closeOnDealloc: true)
        try client.write(contentsOf: Data("\(listener.name) at \(listener.path ?? "-")".utf8))
    }
}

/// Puts descriptors where a manager passes them, and what lay there back afterwards.
private struct PassedDescriptors {
    private let saved: [Int32]

    init(_ descriptors: [Int32]) {
        let away: Int32 = 100
        let sources = descriptors.map { fcntl($0, F_DUPFD, away) }
        descriptors.forEach { close($0) }
        saved = (0..<Int32(descriptors.count)).map { fcntl(3 + $0, F_DUPFD, away) }
        for (index, source) in sources.enumerated() {
            dup2(source, 3 + Int32(index))
            close(source)
        }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "\(descriptors.count)", 1)
    }

    func putBack() {
        for (index, descriptor) in saved.enumerated() {
            close(3 + Int32(index))
            if descriptor >= 0 { dup2(descriptor, 3 + Int32(index)) }
        }
    }
}

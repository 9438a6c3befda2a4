import Foundation
import Testing

/// Files and sockets at places that other users could have prepared.
@Suite("Places of files and sockets", .ownThreads)
struct PlaceTests {
    @Test("A stop removes the own socket, and none that has taken its path")
    func foreignSocket() throws {
        for isReplaced in [false, true] {
            let daemon = try Daemon()
            daemon.flags += ["--metrics-socket", daemon.place("m")]
            try daemon.start()
            #expect(eventually(within: 60) { try? Line(to: daemon.place("m")) } != nil)
            let store = StoreServer(in: try Workplace())
            try store.start()
            let paths = [daemon.socket, daemon.place("m"), store.socket]
            if isReplaced {
                for path in paths { try Self.replace(path) }
            }
            try daemon.stop()
            try store.stop()
            for path in paths {
                #expect(FileManager.default.fileExists(atPath: path) == isReplaced, "\(path)")
            }
            let left = try FileManager.default.contentsOfDirectory(
                atPath: (store.socket as NSString).deletingLastPathComponent)
            #expect(!left.contains { $0.hasPrefix(".") }, "\(left)")
        }
    }

    @Test("A socket in a directory that others can write to is refused, unless it is sticky")
    func directories() throws {
        let place = try Workplace()
        let commands = [
            [Built.daemon, "--demo", "--check-config", "--socket", place("d/s")],
            [Built.store, "--demo", "--listen", "unix:\(place("d/s"))"],
        ]
        try FileManager.default.createDirectory(
            atPath: place("d"), withIntermediateDirectories: false)
        chmod(place("d"), 0o777)
        for command in commands {
            let refused = try Child.run(command, in: place)
            #expect(refused.ending == .exit(78), "\(refused)")
            #expect(refused.errors.contains("could replace the socket; run chmod go-w"))
        }
        chmod(place("d"), 0o1777)
        let taken = try Child.run(commands[0], in: place)
        #expect(taken.ending == .exit(0), "\(taken.errors)")
    }

    @Test("A pipe where a file is expected is refused at once, and in words")
    func pipes() throws {
        let place = try Workplace()
        let pipe = place("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let credentials = try place.write(#"{"storeCredentials":"\#(pipe)"}"#, to: "config.json")
        let roots = try place.write(#"{"storeCertificates":"\#(pipe)"}"#, to: "roots.json")
        for command in [
            [
                Built.daemon, "--store", "https://localhost:1", "--socket", place("s"),
                "--state-directory", place("state"), "--config", roots,
            ], [Built.daemon, "--demo", "--config", pipe],
            [Built.daemon, "--demo", "--catalog", pipe],
            [Built.daemon, "--demo", "--config", credentials],
            [Built.store, "--demo", "--catalog", pipe],
            [Built.store, "--demo", "--operator-password", pipe],
            [Built.store, "--demo", "--tls-certificate", pipe, "--tls-key", pipe],
        ] {
            let refused = try Child.run(command + ["--check-config"], in: place)
            #expect(refused.ending == .exit(78), "\(refused)")
            #expect(refused.errors.contains("it is not a file"), "\(refused.errors)")
            #expect(refused.errors.contains("'\(pipe)'"))
        }
    }

    @Test("A configuration that others can change is refused")
    func configuration() throws {
        let place = try Workplace()
        let file = try place.write("{}", to: "config.json")
        for (mode, status) in [(0o666, 78), (0o646, 78), (0o644, 0)] as [(mode_t, Int32)] {
            chmod(file, mode)
            let checked = try Child.run(
                [Built.daemon, "--demo", "--check-config", "--config", file], in: place)
            #expect(checked.ending == .exit(status), "\(checked)")
            #expect(checked.errors.contains("other users can change it") == (status == 78))
        }
    }

    /// Puts another socket at a path.
    private static func replace(_ path: String) throws {
        unlink(path)
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(made) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }
}

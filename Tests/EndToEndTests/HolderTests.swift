import Foundation
import PaymentTesting
import Testing

/// One daemon per state directory and per socket.
@Suite("Two daemons", .ownThreads)
struct HolderTests {
    @Test("A second daemon on the same state directory exits 69 and names the holder")
    func sameState() throws {
        try Daemon.run { daemon in
            let second = try Child.run(
                [
                    Built.daemon, "--demo", "--socket", daemon.place("other"),
                    "--state-directory", daemon.state,
                ],
                in: daemon.place)
            #expect(second.ending == .exit(69))
            #expect(second.errors.contains("\(try #require(daemon.child).id)"))
            #expect(second.errors.contains(daemon.state))
            try daemon.connect().call("ping")
        }
    }

    @Test("A second daemon on the same socket exits 69 and leaves the first one alone")
    func sameSocket() throws {
        try Daemon.run { daemon in
            let second = try Child.run(
                [
                    Built.daemon, "--demo", "--socket", daemon.socket,
                    "--state-directory", daemon.place("other-state"),
                ],
                in: daemon.place)
            #expect(second.ending == .exit(69))
            #expect(second.errors.contains(daemon.socket))
            try daemon.connect().call("ping")
        }
    }

    @Test("A daemon whose socket is held by a program that answers nobody exits 69 and names it")
    func silentHolder() throws {
        let place = try Workplace()
        let script = """
            import socket, sys, time
            held = socket.socket(socket.AF_UNIX)
            held.bind(sys.argv[1])
            held.listen(1)
            print("listening", flush=True)
            time.sleep(600)
            """
        let holder = try Child(["python3", "-c", script, place("s")], in: place, name: "holder")
        let isThere = eventually(within: 60) {
            holder.standardOutput.contains("listening") ? true : nil
        }
        try #require(isThere == true, "\(holder.standardError)")
        // The first one finds room in the queue of connections, the next ones do not.
        for names in [["pid \(holder.id)"], []] {
            let refused = try Child.run(
                [
                    Built.daemon, "--demo", "--socket", place("s"), "--state-directory",
                    place("state"),
                ], in: place)
            #expect(refused.ending == .exit(69))
            for name in names + [place("s"), "in use", "does not answer"] {
                #expect(refused.errors.contains(name), "\(refused.errors)")
            }
        }
        #expect(FileManager.default.fileExists(atPath: place("s")))
    }

    @Test("A socket file left by kill -9 does not stand in the way")
    func staleSocket() throws {
        let daemon = try Daemon()
        try daemon.start()
        try daemon.killHard()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        try daemon.start()
        try daemon.connect().call("ping")
        try daemon.stop()
    }

    @Test("Who kills a daemon may start the next one at once, not waiting for its end")
    func restartedAtOnce() throws {
        let daemon = try Daemon()
        try daemon.start()
        let former = try #require(daemon.child)
        let cpu = try #require(
            text(of: "/proc/self/status").firstMatch(of: /Cpus_allowed_list:\s*(\d+)/)?.output.1)
        // It runs only when nobody else wants to, and somebody always does: it dies slowly.
        for tool in [
            ["chrt", "--all-tasks", "--idle", "--pid", "0"],
            ["taskset", "--all-tasks", "--pid", "--cpu-list", String(cpu)],
        ] {
            let ending = try Child.run(tool + ["\(former.id)"], in: daemon.place).ending
            try #require(ending == .exit(0))
        }
        let busy = try Child(
            ["taskset", "--cpu-list", String(cpu), "sh", "-c", "ulimit -t 2; while :; do :; done"],
            in: daemon.place, name: "busy")
        former.send(SIGKILL)
        let next = try daemon.launch()
        sleep(1)
        // Slowly enough; it need not starve where a whole test run is in its way.
        _ = try Child.run(
            ["chrt", "--all-tasks", "--other", "--pid", "0", "\(former.id)"], in: daemon.place)
        let isReady = eventually(within: 60) {
            next.poll() == nil && !daemon.log.contains("ready") ? nil : true
        }
        #expect(isReady == true)
        #expect(next.poll() == nil, "\(daemon.log)")
        try daemon.connect().call("ping")
        _ = try former.wait()
        _ = try busy.wait()
        try daemon.stop()
    }

    @Test("A file that is not a socket is not removed; the daemon exits 78 with a sentence")
    func foreignFile() throws {
        let place = try Workplace()
        try place.write("precious", to: "s")
        let refused = try Child.run(
            [Built.daemon, "--demo", "--socket", place("s"), "--state-directory", place("state")],
            in: place)
        #expect([.exit(78), .exit(69)].contains(refused.ending))
        #expect(refused.errors.contains(place("s")))
        #expect(text(of: place("s")) == "precious")
    }

    @Test(
        "A stale socket of another user is not removed, by root either",
        .enabled(if: geteuid() == 0, "skipped: only root can give a file away"))
    func foreignSocket() throws {
        let place = try Workplace()
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: place("s").utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        try #require(isBound)
        #expect(chown(place("s"), 65_534, 65_534) == 0)
        let refused = try Child.run(
            [Built.daemon, "--demo", "--socket", place("s"), "--state-directory", place("state")],
            in: place)
        #expect(refused.ending == .exit(78))
        #expect(refused.errors.contains("it belongs to user 65534"))
        #expect(FileManager.default.fileExists(atPath: place("s")))
    }

    @Test("Everything that the daemon makes is closed to others")
    func modes() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("add", #"{"product":"coins.100"}"#)
            let found = FileManager.default.enumerator(atPath: daemon.state)?.allObjects ?? []
            #expect(!found.isEmpty)
            for case let name as String in found + ["."] {
                let path = "\(daemon.state)/\(name)"
                // A temporary file gets its final name while the list is read.
                guard let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                else {
                    #expect(name.hasSuffix(".tmp"), "\(name) is gone")
                    continue
                }
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
                #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
            }
        }
    }
}

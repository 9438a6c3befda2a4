import Foundation
import PaymentTesting
import Testing

/// How the service manager sees the daemon.
@Suite("Start and stop under a service manager", .ownThreads)
struct StartTests {
    @Test(
        "On a long journal STATUS comes, then READY, and whoever connects at that instant is served"
    )
    func longJournal() throws {
        let megabytes = Built.number("PAYQUEUED_START_MEGABYTES", default: 20)
        let daemon = try Daemon()
        try daemon.start()
        try Self.fill(daemon, megabytes: megabytes)
        try daemon.killHard()
        let manager = try NotifySocket(at: daemon.place("notify"))
        daemon.environment = ["NOTIFY_SOCKET": manager.path]
        let began = ContinuousClock.now
        let child = try daemon.launch()
        let states = try manager.states(within: 300) { $0.contains("READY=1") }
        let pong = try daemon.connect().call("ping")
        #expect(pong["pong"]?.bool == true)
        let ready = try #require(states.firstIndex { $0.contains("READY=1") })
        let isProgress: (String) -> Bool = { $0.hasPrefix("STATUS=") }
        #expect(
            states[..<ready].contains {
                $0.split(separator: "\n").map(String.init).contains(where: isProgress)
            })
        // Asks for more time again and again, but about once a second only.
        let seconds = Int((ContinuousClock.now - began).components.seconds)
        let extensions = states[..<ready].count { $0.contains("EXTEND_TIMEOUT_USEC=") }
        #expect((max(2, seconds / 4)...seconds + 3).contains(extensions))
        child.send(SIGTERM)
        _ = try manager.states(within: 60) { $0.contains("STOPPING=1") }
        #expect(try child.wait() == .exit(0), "\(daemon.log)")
        daemon.inspectLog()
    }

    @Test(
        "A stop that gives clients no time to read answers what was received, and says why it ends")
    func stopAtOnce() throws {
        let place = try Workplace()
        let file = try place.write(#"{"timeouts":{"drainSeconds":0}}"#, to: "config")
        let daemon = try Daemon(["--demo", "--config", file], in: place)
        try daemon.start()
        let lines = try (1...4).map { _ in try daemon.connect() }
        for line in lines { try line.call("ping") }
        // More than the loop reads at once. The replies fit into the socket of a client that does not read,
        // even if each of them is sent alone: the kernel counts some 2.3 KB for one of 1.2 KB.
        let request = #"{"jsonrpc":"2.0","id":1,"method":"status"}"#
        for line in lines {
            line.type([String](repeating: request, count: 60).joined(separator: "\n"))
        }
        try daemon.stop()
        for line in lines {
            let last = line.drain().last ?? []
            #expect(String(decoding: last, as: UTF8.self).contains(#""method":"closing""#))
        }
    }

    @Test("The demo logs in where the state is new; a logout holds over kill -9 and stop")
    func demoLogout() throws {
        let daemon = try Daemon()
        try daemon.start()
        let first = try daemon.connect()
        #expect(try first.call("storefront")["account"]?.string == "demo")
        try daemon.stop()
        try daemon.start()
        let second = try daemon.connect()
        #expect(try second.call("storefront")["account"]?.string == "demo")
        try second.call("logout")
        try daemon.killHard()
        for _ in 1...2 {
            try daemon.start()
            #expect(try daemon.connect().call("storefront")["account"]?.string == nil)
            try daemon.stop()
        }
    }

    @Test("A state that has lost the clock of retention forgets nothing for the whole time")
    func lostClock() throws {
        let daemon = try Daemon()
        let file = daemon.state + "/clock/retention.json"
        let whole = 90 * 86_400_000
        // Between the first look at the clocks and the next a little of the time has passed.
        let almostWhole = (whole - 600_000)...whole
        for (isLost, expected) in [(false, 0...0), (false, 0...0), (true, almostWhole)] {
            if isLost { try FileManager.default.removeItem(atPath: file) }
            try daemon.start()
            let held = eventually(within: 60) {
                (try? String(contentsOfFile: file, encoding: .utf8))
                    .flatMap { try? JSON($0) }?["heldMs"]?.int
            }
            #expect(held.map(expected.contains) == true, "\(held as Any)")
            try daemon.stop()
        }
    }

    @Test("READY is not sent while another daemon holds the state")
    func noReadyWithoutState() throws {
        try Daemon.run { daemon in
            let manager = try NotifySocket(at: daemon.place("notify"))
            let second = try Child.run(
                [
                    Built.daemon, "--demo", "--socket", daemon.place("other"),
                    "--state-directory", daemon.state,
                ],
                in: daemon.place, environment: ["NOTIFY_SOCKET": manager.path])
            #expect(second.ending == .exit(69))
            #expect(!manager.received().contains { $0.contains("READY=1") })
        }
    }

    @Test("A state directory that somebody named is warned of if it does not last")
    func volatileState() throws {
        let memory = "/dev/shm/payqueued-e2e-\(UInt64.random(in: 0...UInt64.max))"
        guard mkdir(memory, 0o700) == 0 else { return Skip.because("there is no /dev/shm") }
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let place = try Workplace()
        for (flags, isWarned) in [(["--state-directory", "\(memory)/state"], true), ([], false)] {
            let child = try Child(
                [Built.daemon, "--demo", "--socket", place("s")] + flags, in: place,
                name: "warned-\(isWarned)", environment: ["TMPDIR": memory])
            let isReady = eventually(within: 60) {
                child.standardError.contains("ready") ? true : nil
            }
            try #require(isReady == true, "\(child.standardError)")
            #expect(child.standardError.contains("state directory is volatile") == isWarned)
            child.send(SIGTERM)
            #expect(try child.wait() == .exit(0))
        }
    }

    @Test("A socket from systemd-socket-activate is served, and --socket is ignored then")
    func socketActivation() throws {
        guard Built.has("systemd-socket-activate") else {
            return Skip.because("systemd-socket-activate is not installed")
        }
        let place = try Workplace()
        let child = try Child(
            [
                "systemd-socket-activate", "-l", place("activated"), Built.daemon, "--demo",
                "--socket", place("ignored"), "--state-directory", place("state"),
            ],
            in: place, name: "activated")
        let connected = eventually(within: 60) { try? Line(to: place("activated")) }
        let line = try #require(connected, "nothing listens: \(child.standardError)")
        #expect(try line.call("ping")["pong"]?.bool == true)
        #expect(!FileManager.default.fileExists(atPath: place("ignored")))
        child.send(SIGTERM)
        #expect(try child.wait() == .exit(0))
        #expect(FileManager.default.fileExists(atPath: place("activated")), "not ours to remove")
    }

    @Test("--check-config tells a good configuration from a bad one with file, path and reason")
    func checkConfig() throws {
        let place = try Workplace()
        let good = try place.write(#"{"limits":{"requestLineBytes":131072}}"#, to: "good.json")
        let bad = try place.write(#"{"limits":{"requestLineByte":131072}}"#, to: "bad.json")
        let check = [Built.daemon, "--check-config", "--config"]
        let accepted = try Child.run(check + [good], in: place)
        #expect(accepted.ending == .exit(0), "\(accepted.errors)")
        let refused = try Child.run(check + [bad], in: place)
        #expect(refused.ending == .exit(78))
        #expect(refused.errors.contains(bad))
        #expect(refused.errors.contains("requestLineByte"))
        #expect(refused.errors.contains("requestLineBytes"))
    }

    @Test(
        "A command line that makes no sense exits 64 with a sentence",
        arguments: [["--frobnicate"], ["--socket"], ["surplus"]])
    func usage(arguments: [String]) throws {
        let place = try Workplace()
        let refused = try Child.run([Built.daemon] + arguments, in: place)
        #expect(refused.ending == .exit(64))
        #expect(!refused.errors.isEmpty)
    }

    @Test("A flag with a value that it cannot have exits 78 and names flag and value")
    func badValue() throws {
        let refused = try Child.run([Built.daemon, "--log-level", "loud"], in: try Workplace())
        #expect(refused.ending == .exit(78))
        #expect(refused.errors.contains("log-level") || refused.errors.contains("logLevel"))
        #expect(refused.errors.contains("loud"))
    }

    @Test("--help fits 40 lines and starts with an example")
    func help() throws {
        let place = try Workplace()
        let shown = try Child.run([Built.daemon, "--help"], in: place)
        #expect(shown.ending == .exit(0))
        let lines = shown.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 41)
        #expect(lines.prefix(3).contains { $0.contains("payqueued --demo") })
    }

    /// Adds without an observer until the journal is that long.
    static func fill(_ daemon: Daemon, megabytes: Int) throws {
        let line = try daemon.connect()
        let token = String(repeating: "t", count: 256)
        var number = 0
        while try journalBytes(daemon) < megabytes * 1_000_000 {
            let calls = (0..<500).map { _ in
                number += 1
                let key = "fill-\(number)-" + String(repeating: "k", count: 100)
                return (
                    method: "add",
                    params:
                        #"{"product":"coins.100","key":"\#(key)","appAccountToken":"\#(token)"}"#
                )
            }
            let answers = try line.askAll(calls)
            guard answers.allSatisfy({ $0["result"] != nil }) else {
                throw Trouble(
                    "cannot fill the journal: \(answers.first { $0["result"] == nil } ?? .null)")
            }
        }
    }

    private static func journalBytes(_ daemon: Daemon) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: daemon.state)
            .filter { $0.hasPrefix("journal-") }
            .map { name in
                let path = "\(daemon.state)/\(name)"
                let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
                return (size as? NSNumber)?.intValue ?? 0
            }.reduce(0, +)
    }
}

import Foundation
import PaymentTesting
import Testing

/// A daemon on a state directory that it cannot write, or whose old files are damaged.
@Suite("A state directory that is not as it was", .ownThreads)
struct DamagedStateTests {
    @Test(
        "A daemon that only reads serves what is there, takes nothing and changes no byte",
        arguments: [false, true])
    func readOnly(isKilled: Bool) throws {
        let daemon = try Daemon()
        let (open, finished) = try Self.fill(daemon)
        if isKilled {
            try daemon.killHard()
        } else {
            try daemon.stop()
            // Reserve files may be missing from a copy.
            for name in try Self.files(in: daemon.state).keys where name.contains("reserve") {
                try FileManager.default.removeItem(atPath: "\(daemon.state)/\(name)")
            }
        }
        let before = try Self.files(in: daemon.state)
        try Self.serveReadOnly(daemon, open: open, finished: finished)
        #expect(try Self.files(in: daemon.state) == before)
        daemon.flags = ["--demo"]
        try daemon.start()
        #expect(
            try daemon.connect().call("transactions", #"{"ids":["\#(open)"]}"#)["transactions"]?
                .array?.count == 1)
        try daemon.stop()
    }

    @Test("A daemon on a file system that is mounted read-only says what to do, and does it")
    func mount() throws {
        guard geteuid() == 0 else { return Skip.because("only root can mount") }
        let daemon = try Daemon()
        let (open, finished) = try Self.fill(daemon)
        try daemon.stop()
        let state = daemon.state
        guard try Self.run(daemon, "mount", "--bind", state, state).ending == .exit(0) else {
            return Skip.because("this machine does not let the test mount anything")
        }
        defer { _ = try? Self.run(daemon, "umount", "--lazy", state) }
        let remounted = try Self.run(daemon, "mount", "-o", "remount,ro,bind", state)
        try #require(remounted.ending == .exit(0), "\(remounted.errors)")
        daemon.flags = []
        daemon.logFormat = "text"
        let refused = try daemon.launch()
        #expect(try refused.wait() == .exit(74))
        #expect(daemon.log.contains(state) && daemon.log.contains("--read-only"), "\(daemon.log)")
        daemon.logFormat = "json"
        try Self.serveReadOnly(daemon, open: open, finished: finished)
    }

    @Test("A daemon that only reads refuses a directory without a store, and makes none")
    func nothingThere() throws {
        let daemon = try Daemon(["--read-only"])
        daemon.logFormat = "text"
        #expect(try daemon.launch().wait() == .exit(78))
        #expect(!FileManager.default.fileExists(atPath: daemon.state))
        try FileManager.default.createDirectory(
            atPath: daemon.state, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(try daemon.launch().wait() == .exit(78))
        #expect(daemon.log.contains("there is no store"), "\(daemon.log)")
        #expect(try Self.files(in: daemon.state).isEmpty)
        let both = try Child.run(
            [Built.daemon, "--demo", "--read-only", "--socket", daemon.socket], in: daemon.place)
        #expect(both.ending == .exit(78))
    }

    @Test(
        "A damaged index is built again, readers go on behind damage to an old segment, and everything names it"
    )
    func oldSegment() throws {
        let daemon = try Daemon()
        daemon.flags.append("--config")
        daemon.flags.append(
            try daemon.place.write(#"{"retention":{"logBytes":1048576}}"#, to: "config.json"))
        try daemon.start()
        let buyers = try Buyers(daemon, purchases: 320, connections: 4)
        let snapshot = eventually(within: 60) { () -> Bool? in
            // Until it has its name, it is in a temporary file.
            Self.names(daemon.state).contains {
                $0.hasPrefix("snapshot-") && $0.hasSuffix(".json")
            } ? true : nil
        }
        try #require(snapshot == true)
        while !buyers.isDone { usleep(10_000) }
        try buyers.finish()
        try daemon.stop()
        try Self.damageIndex(daemon)
        let segment = try #require(Self.names(daemon.state).first { $0.hasPrefix("journal-") })
        var bytes = contents(of: "\(daemon.state)/\(segment)")
        // A digit of a price or a time is as good as any other byte of a line.
        bytes[bytes.count / 3] ^= 2
        try Data(bytes).write(to: URL(filePath: "\(daemon.state)/\(segment)"))

        daemon.mayComplain = true
        try daemon.start()
        try Self.expectGap(daemon)
        let status = try daemon.connect().call("status")
        let damage = try #require(status["storage"]?["damage"]?.array?.first)
        #expect(damage["file"]?.string == segment && damage["from"]?.int != nil)
        let backup = try daemon.connect().ask("backup", "{}")["error"]
        #expect(backup?["code"]?.int == -32008 && backup?["data"]?["kind"]?.string == "damaged")
        let doctor = try Self.control(daemon, "doctor")
        #expect(doctor.ending != .exit(0) && doctor.output.contains(segment), "\(doctor)")
        #expect(try Self.control(daemon, "status").output.contains(segment))
        let scrub = try Self.control(daemon, "journal", "scrub", "--state-directory", daemon.state)
        #expect(scrub.ending == .exit(1) && scrub.output.contains(segment), "\(scrub)")
        #expect(try Self.control(daemon, "journal", "verify", daemon.state).ending == .exit(0))
        let deep = try Self.control(daemon, "journal", "verify", "--deep", daemon.state)
        #expect(deep.ending == .exit(1) && deep.output.contains(segment))
        try daemon.stop()
        #expect(daemon.log.contains(segment) || daemon.child == nil)
    }

    @Test("The journal's numbers are counted")
    func numbers() throws {
        let daemon = try Daemon()
        _ = try Self.fill(daemon)
        let running = try Self.control(
            daemon, "journal", "stats", "--json", "--state-directory", daemon.state)
        #expect(running.ending == .exit(0), "\(running.errors)")
        let stats = try JSON(running.output)
        #expect(stats["open"]?.int == 2 && stats["closedInMemory"]?.int == 3)
        #expect(stats["segments"]?["files"]?.int == 1 && stats["unindexed"]?.array == nil)
        try daemon.stop()
        let whole = try Self.control(
            daemon, "journal", "scrub", "--json", "--state-directory", daemon.state)
        #expect(whole.ending == .exit(0), "\(whole.errors)")
        #expect(try JSON(whole.output)["whole"]?.bool == true)
    }

    /// Damages an index. While another process holds the directory, a scrub names it as damage; then it builds it
    /// again.
    private static func damageIndex(_ daemon: Daemon) throws {
        // The stop may have interrupted a checkpoint, whose files no snapshot names.
        let files = names(daemon.state)
        let snapshot = try #require(
            files.filter { $0.hasPrefix("snapshot-") && $0.hasSuffix(".json") }.max())
        let named = String(decoding: contents(of: "\(daemon.state)/\(snapshot)"), as: UTF8.self)
        let index = try #require(
            files.first { file in
                guard file.hasSuffix(".index") else { return false }
                let header = String(
                    decoding: contents(of: "\(daemon.state)/\(file)").prefix(1024), as: UTF8.self)
                let digest = header.firstMatch(of: #/"sha256":"([0-9a-f]+)"/#)?.output.1
                return digest.map { named.contains($0) } ?? false
            })
        let bytes = contents(of: "\(daemon.state)/\(index)")
        var damaged = bytes
        damaged[bytes.count / 2] ^= 1
        try Data(damaged).write(to: URL(filePath: "\(daemon.state)/\(index)"))
        let lock = open("\(daemon.state)/lock", O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let used = try control(
            daemon, "journal", "scrub", "--json", "--state-directory", daemon.state)
        #expect(used.ending == .exit(1), "\(used.errors)")
        #expect(try JSON(used.output)["whole"]?.bool == false)
        close(lock)
        let built = try control(
            daemon, "journal", "scrub", "--json", "--state-directory", daemon.state)
        #expect(built.ending == .exit(0), "\(built.errors)")
        #expect(try JSON(built.output)["whole"]?.bool == true)
        #expect(contents(of: "\(daemon.state)/\(index)") == bytes)
    }

    /// Buys five things and finishes three.
    ///
    /// - Returns: A transaction that is open, and one that is finished.
    private static func fill(_ daemon: Daemon) throws -> (open: String, finished: String) {
        try daemon.start()
        for number in 0..<5 {
            let bought = try control(
                daemon,
                ["buy", "coins.100", "--key", "key-\(number)"]
                    + (number < 3 ? ["--finish"] : []))
            try #require(bought.ending == .exit(0), "\(bought.errors)")
        }
        let line = try daemon.connect()
        let open = try line.call("transactions")["transactions"]?.array ?? []
        let closed = try line.call("transactions", #"{"states":["finished"]}"#)
        let finished = closed["transactions"]?.array ?? []
        return (
            try #require(open.first?["id"]?.string), try #require(finished.first?["id"]?.string)
        )
    }

    private static func serveReadOnly(
        _ daemon: Daemon, open: String, finished: String
    ) throws {
        daemon.flags = ["--read-only"]
        try daemon.start()
        let line = try daemon.connect()
        let status = try line.call("status")
        #expect(status["storage"]?["readOnly"]?.bool == true)
        #expect(status["state"]?.string == "degraded")
        for id in [open, finished] {
            let found = try line.call("transactions", #"{"ids":["\#(id)"]}"#)
            #expect(found["transactions"]?.array?.count == 1)
        }
        try line.call("subscribe", #"{"after":"start"}"#)
        let seen = try line.notifications { $0.isCaughtUp }
        #expect(seen.contains { $0.shows(open, "purchased") })
        #expect(try line.call("events", #"{"after":0}"#)["events"]?.array?.isEmpty == false)
        for (method, params) in [
            ("add", #"{"product":"coins.100"}"#), ("finish", #"{"transaction":"\#(open)"}"#),
            ("login", #"{"account":"demo"}"#), ("logout", "{}"), ("backup", "{}"),
            ("subscribe", #"{"name":"named"}"#), ("storefront", #"{"assume":"DE"}"#),
            ("delegate", #"{"mode":"stop"}"#), ("drain", #"{"on":true}"#),
            ("test.set", #"{"latencyMs":1}"#), ("restore", "{}"),
        ] {
            let error = try line.ask(method, params)["error"]
            #expect(error?["code"]?.int == -32008, "\(method)")
            #expect(error?["data"]?["kind"]?.string == "readOnly", "\(method)")
            #expect(error?["data"]?["retry"]?.string == "no", "\(method)")
            #expect(error?["data"]?["effect"]?.string == "none", "\(method)")
        }
        let check = #"{"method":"add","params":{"product":"coins.100"}}"#
        #expect(try line.ask("check", check)["error"]?["data"]?["kind"]?.string == "readOnly")
        #expect(try line.call("delegate")["mode"]?.string != nil)
        try line.call("reload")
        let doctor = try control(daemon, "doctor")
        #expect(doctor.output.contains("--read-only"), "\(doctor.output)")
        try daemon.stop()
    }

    private static func expectGap(_ daemon: Daemon) throws {
        let line = try daemon.connect()
        var after = 0
        var gaps = 0
        var count = 0
        while true {
            let page = try line.call("events", #"{"after":\#(after),"limit":100}"#)
            if let gap = page["gap"] {
                gaps += 1
                #expect(try #require(gap["from"]?.int) <= #require(gap["to"]?.int))
            }
            let events = page["events"]?.array ?? []
            count += events.count
            after = try #require(page["next"]?.int)
            guard !events.isEmpty || page["gap"] != nil else { break }
        }
        #expect(gaps == 1 && count > 500)
        try line.call("subscribe", #"{"after":0}"#)
        let seen = try line.notifications { $0.isCaughtUp }
        let gap = try #require(seen.first { $0["method"]?.string == "gap" })
        #expect(gap["params"]?["reason"]?.string == "damaged")
        let behind = seen.drop { $0["method"]?.string != "gap" }
        #expect(behind.contains { ($0.seq ?? 0) > (gap["params"]?["to"]?.int ?? .max) })
        let unwilling = try daemon.connect()
        try unwilling.call("subscribe", #"{"after":0,"onGap":"error"}"#)
        let end = try unwilling.notifications { $0["method"]?.string == "ended" }
        #expect(end.last?["params"]?["reason"]?.string == "unreadable")
    }

    private static func control(
        _ daemon: Daemon, _ arguments: String...
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try control(daemon, arguments)
    }

    private static func control(
        _ daemon: Daemon, _ arguments: [String]
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control] + arguments, in: daemon.place,
            environment: ["PAYQUEUED_SOCKET": daemon.socket])
    }

    private static func run(
        _ daemon: Daemon, _ arguments: String...
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(arguments, in: daemon.place)
    }

    private static func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    }

    /// The bytes of all files below a directory, and the directories.
    private static func files(in folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            files[name] = contents(of: "\(folder)/\(name)")
        }
        return files
    }
}

import Foundation
import PaymentTesting
import Testing

/// One command for each thing that a person does.
@Suite("payqueuectl, command by command", .ownThreads)
struct ControlCommandTests {
    private static func run(
        _ daemon: Daemon, _ arguments: String..., seconds: Double = 60
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control] + arguments, in: daemon.place,
            environment: ["PAYQUEUED_SOCKET": daemon.socket], seconds: seconds)
    }

    private static func start(
        _ daemon: Daemon, _ name: String, _ arguments: String...
    ) throws -> Child {
        try Child(
            [Built.control] + arguments, in: daemon.place, name: name,
            environment: ["PAYQUEUED_SOCKET": daemon.socket])
    }

    private static func expect(_ words: String, from child: Child) {
        let isSaid = eventually(within: 60) {
            child.standardOutput.contains(words) ? true : nil
        }
        #expect(isSaid == true, "\(words): \(child.standardOutput) \(child.standardError)")
    }

    @Test("list shows what is unfinished, --filter a part of it for the shell")
    func list() throws {
        try Daemon.run { daemon in
            #expect(try Self.run(daemon, "list").output == "No transactions.\n")
            let added = try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let id = added["transaction"]?.string ?? ""
            let people = try Self.run(daemon, "list")
            #expect(people.output.contains("TRANSACTION"))
            #expect(people.output.contains("\(id)  purchasing  coins.100  1.99 EUR"))
            #expect(people.output.contains("waiting for an observer"))
            let shell = try Self.run(daemon, "list", "--filter", ".transactions[].id")
            #expect(shell.output == "\(id)\n")
            let none = try Self.run(daemon, "list", "--state", "failed", "--json")
            #expect(try JSON(none.output)["transactions"]?.array?.isEmpty == true)
            #expect(try Self.run(daemon, "list", "--filter", "no path").ending == .exit(3))
        }
    }

    @Test("wait exits 0 when it is decided and 4 when the time runs out; finish says what became")
    func waitAndFinish() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string ?? ""
            let early = try Self.run(daemon, "wait", id, "--timeout", "0.2")
            #expect(early.ending == .exit(4))
            #expect(early.errors.contains("watch --observe"))
            try line.call("subscribe")
            let decided = try Self.run(daemon, "wait", id)
            #expect(decided.ending == .exit(0), "\(decided.errors)")
            #expect(decided.output.contains("purchased"))
            #expect(try Self.run(daemon, "finish", id).output.hasPrefix(id))
            let gone = try Self.run(daemon, "wait", id, "--until", "removed")
            #expect(gone.ending == .exit(0), "\(gone.errors)")
            #expect(try Self.run(daemon, "finish", id).output.contains("already finished"))
            #expect(try Self.run(daemon, "finish", "nothing").ending == .exit(1))
            #expect(try Self.run(daemon, "wait").ending == .exit(3))
        }
    }

    @Test("login, logout and storefront say who is there")
    func session() throws {
        try Daemon.run { daemon in
            let out = try Self.run(daemon, "logout")
            #expect(out.output == "no account is logged in\n")
            #expect(try Self.run(daemon, "storefront").output.contains("no account is logged in"))
            #expect(try Self.run(daemon, "login", "demo").output.contains("demo is logged in"))
            #expect(try Self.run(daemon, "storefront").output == "DE, account demo\n")
            #expect(try Self.run(daemon, "login", "nobody at all").ending == .exit(1))
        }
    }

    @Test("products shows prices, and says what is not sold here")
    func products() throws {
        try Daemon.run { daemon in
            let shown = try Self.run(daemon, "products", "coins.100", "nope")
            #expect(shown.output.contains("1.99 EUR"))
            #expect(shown.output.contains("not sold here: nope"))
        }
    }

    @Test("watch with a cursor shows each record once, over restarts of both sides")
    func cursor() throws {
        let daemon = try Daemon()
        try daemon.start()
        let file = daemon.place("cursor")
        let first = try Self.start(daemon, "first", "watch", "--cursor", file, "--reconnect")
        Self.expect("caught up", from: first)
        try daemon.connect().call("add", #"{"product":"coins.100","key":"one"}"#)
        Self.expect("coins.100", from: first)
        try daemon.stop()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"remove-ads","key":"two"}"#)
        Self.expect("remove-ads", from: first)
        first.send(SIGKILL)
        _ = try first.wait()
        try daemon.connect().call("add", #"{"product":"map.berlin","key":"three"}"#)
        let second = try Self.start(daemon, "second", "watch", "--cursor", file)
        Self.expect("map.berlin", from: second)
        for watcher in [first, second] {
            let seen = watcher.standardOutput.split(separator: "\n").filter { $0.contains("#") }
                .filter { !$0.contains("caught up") }
            #expect(seen.count == Set(seen).count, "\(seen)")
        }
        #expect(!second.standardOutput.contains("coins.100"))
        try daemon.stop()
        #expect(try second.wait(seconds: 60) == .exit(2))
        #expect(second.standardError.contains("watch --cursor"))
    }

    @Test("watch --finish observes, and takes what is bought out of the queue")
    func finishing() throws {
        try Daemon.run { daemon in
            let watcher = try Self.start(daemon, "watch", "watch", "--finish")
            Self.expect("caught up", from: watcher)
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            Self.expect("removed: finished", from: watcher)
            #expect(try Self.run(daemon, "list").output == "No transactions.\n")
        }
    }

    @Test("doctor exits 0 where nothing is wrong and 1, with what to do, where something is")
    func doctor() throws {
        try Daemon.run { daemon in
            let well = try Self.run(daemon, "doctor")
            #expect(well.ending == .exit(0), "\(well.output) \(well.errors)")
            try daemon.connect().call("logout")
            let ill = try Self.run(daemon, "doctor")
            #expect(ill.ending == .exit(1))
            #expect(ill.output.contains("no account is logged in"))
            #expect(ill.output.contains("Next: log in with 'payqueuectl login NAME'"))
            let report = try JSON(try Self.run(daemon, "doctor", "--json").output)
            #expect(report["healthy"]?.bool == false)
            #expect(report["findings"]?.array?.allSatisfy { $0["level"]?.string != nil } == true)
        }
    }

    @Test("doctor and ping tell a daemon that hangs, and what to do about it")
    func hanging() throws {
        try Daemon.run { daemon in
            daemon.child?.send(SIGSTOP)
            let ill = try Self.run(daemon, "doctor", "--timeout", "0.5")
            #expect(ill.ending == .exit(1), "\(ill.errors)")
            #expect(ill.output.contains("but does not answer within 0.5 s"))
            #expect(ill.output.contains("systemctl status payqueued"))
            let silent = try Self.run(daemon, "ping", "--timeout", "0.5")
            #expect(silent.ending == .exit(4))
            #expect(silent.errors.contains("systemctl status payqueued"))
            daemon.child?.send(SIGCONT)
        }
    }

    @Test("restore without any patience says that the restore goes on, and how to follow it")
    func impatientRestore() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("logout")
            let shown = try Self.run(daemon, "restore", "--timeout", "0")
            #expect(shown.ending == .exit(4))
            #expect(shown.errors.contains("is still running"), "\(shown.errors)")
            #expect(shown.errors.contains("payqueuectl wait --restore "))
        }
    }

    @Test("journal verify tells whole from damaged; journal dump prints the very lines")
    func journal() throws {
        let daemon = try Daemon()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"coins.100"}"#)
        try daemon.stop()
        let whole = try Self.run(daemon, "journal", "verify", "--state-directory", daemon.state)
        #expect(whole.ending == .exit(0), "\(whole.output)")
        #expect(whole.output.contains("\(daemon.state): whole"), "\(whole.output)")
        let named = try Self.run(daemon, "journal", "verify", daemon.state)
        #expect(named.ending == .exit(0), "\(named.errors)")
        #expect(named.output == whole.output)
        let missing = try Self.run(daemon, "journal", "verify", daemon.place("missing"))
        #expect(missing.ending == .exit(2))
        let none = try Self.run(daemon, "journal", "verify", "/etc")
        #expect(none.ending == .exit(1))
        #expect(none.errors.contains("cannot verify '/etc': there is no journal"))
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.state)
        let name = try #require(names.first { $0.hasPrefix("journal-") })
        let path = "\(daemon.state)/\(name)"
        let dumped = try Self.run(
            daemon, "journal", "dump", "--all", "--state-directory", daemon.state)
        #expect(dumped.output == text(of: path))
        let elsewhere = try Self.run(daemon, "journal", "dump", "--state-directory", "/etc")
        #expect(elsewhere.ending == .exit(1))
        #expect(elsewhere.errors.contains("cannot find a journal in '/etc'"))
        // One digit of a record in the middle.
        let damaged = text(of: path).replacing(
            #""coins.100""#, with: #""coins.200""#, maxReplacements: 1)
        try Data(damaged.utf8).write(to: URL(filePath: path))
        let broken = try Self.run(daemon, "journal", "verify", "--state-directory", daemon.state)
        #expect(broken.ending == .exit(1))
        #expect(broken.output.contains("damaged"))
    }

    @Test("restore-backup makes a store of its own, refuses to replace one, and deletes nothing")
    func restoreBackup() throws {
        let daemon = try Daemon()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"coins.100","key":"k"}"#)
        let inUse = try Self.run(
            daemon, "restore-backup", daemon.state, "--state-directory", daemon.state)
        #expect(inUse.ending == .exit(1))
        let epoch = try daemon.connect().call("hello")["epoch"]?.string
        try daemon.stop()
        let copy = daemon.place("copy")
        try FileManager.default.copyItem(atPath: daemon.state, toPath: copy)
        let refused = try Self.run(
            daemon, "restore-backup", copy, "--state-directory", daemon.state)
        #expect(refused.ending == .exit(1))
        #expect(refused.errors.contains("'\(daemon.state)' already contains a store"))
        #expect(refused.errors.contains("--replace"))
        #expect(!refused.errors.contains("journal verify"))
        let target = daemon.place("target")
        let damaged = try Self.run(
            daemon, "restore-backup", "/etc", "--state-directory", target)
        #expect(damaged.ending == .exit(1))
        #expect(!FileManager.default.fileExists(atPath: target))
        let restored = try Self.run(
            daemon, "restore-backup", copy, "--state-directory", daemon.state, "--replace",
            "--json")
        #expect(restored.ending == .exit(0), "\(restored.errors)")
        let report = try JSON(restored.output)
        #expect(report["setAside"]?.string?.hasPrefix("quarantine/") == true)
        try daemon.start()
        let line = try daemon.connect()
        let now = try line.call("hello")["epoch"]?.string
        #expect(now == report["epoch"]?.string)
        #expect(now != epoch)
        let again = try line.call("add", #"{"product":"coins.100","key":"k"}"#)
        #expect(again["duplicate"]?.bool == true)
        try daemon.stop()
    }

    @Test("top shows everything once where there is no terminal")
    func top() throws {
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let shown = try Self.run(daemon, "top")
            #expect(shown.ending == .exit(0), "\(shown.errors)")
            #expect(shown.output.contains("1 unfinished"))
            #expect(shown.output.contains("coins.100"))
            #expect(!shown.output.contains("\u{1B}"))
        }
    }

    @Test("test sets and shows the sandbox, and lists its orders")
    func sandbox() throws {
        try Daemon.run { daemon in
            #expect(
                try Self.run(daemon, "test", "set", "failTransactionsEnabled=true").ending
                    == .exit(0))
            let shown = try Self.run(daemon, "test", "--filter", ".failTransactionsEnabled")
            #expect(shown.output == "true\n")
            #expect(try Self.run(daemon, "test", "orders").output == "No orders.\n")
        }
    }
}

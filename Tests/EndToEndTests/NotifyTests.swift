import Foundation
import PaymentTesting
import Testing

/// What the service manager is told, and when.
@Suite("Service manager", .ownThreads)
struct NotifyTests {
    @Test("Under a watchdog a daemon that is well gives every sign of life, and no false alarm")
    func watchdog() throws {
        let manager = try ServiceManager()
        manager.environment["WATCHDOG_USEC"] = "4000000"
        try manager.start()
        let lives = eventually(within: 60) {
            manager.messages.count { $0.contains("WATCHDOG=1") } >= 3 ? true : nil
        }
        #expect(lives == true)
        #expect(!manager.log.contains("stands still"), "\(manager.log)")
        try manager.stop()
    }

    @Test("A manager that reads nothing stops nobody")
    func silentManager() throws {
        let manager = try ServiceManager()
        manager.environment["WATCHDOG_USEC"] = "4000000"
        try manager.start()
        let line = try Line(to: manager.socket)
        // For more than one sign of life.
        try manager.whileBusy {
            for _ in 0..<25 {
                usleep(100_000)
                let reply = try line.call("ping")
                #expect(reply["pong"]?.bool == true)
            }
        }
        // The daemon goes on as soon as it is read again.
        let heard = manager.messages.count
        let lives = eventually(within: 60) {
            manager.messages.dropFirst(heard).contains { $0.contains("WATCHDOG=1") } ? true : nil
        }
        #expect(lives == true)
        try manager.stop()
    }

    @Test("The status follows what changes, and nothing is said while nothing does")
    func status() throws {
        let daemon = try Daemon()
        let manager = try NotifySocket(at: daemon.place("notify"))
        daemon.environment = ["NOTIFY_SOCKET": manager.path]
        try daemon.start()
        func tells(_ words: String...) throws {
            _ = try manager.states(within: 60) { state in
                state.contains("STATUS=") && words.allSatisfy { state.contains($0) }
            }
        }
        try tells("0 unfinished, 0 observers, store up")
        let line = try daemon.connect()
        try line.call("add", #"{"product":"coins.100"}"#)
        try tells("1 unfinished", "1 wait for observer", "0 observers")
        try line.call("test.set", #"{"storeDown":true}"#)
        try line.call("subscribe")
        try tells("1 wait for store", "1 observers", "store down")
        try line.call("test.set", #"{"storeDown":false}"#)
        try tells("1 unfinished, 1 observers, store up")
        sleep(2)
        #expect(manager.received().isEmpty)
        try line.call("unsubscribe", #"{"subscription":"s1"}"#)
        try tells("0 observers")
        try daemon.stop()
    }

    @Test("What a busy manager did not take is told again: no connection stays behind half open")
    func busyManager() throws {
        let manager = try ServiceManager()
        try manager.start()
        let staying = try Line(to: manager.socket)
        var leaving = try (0..<6).map { _ in try Line(to: manager.socket) }
        for line in leaving + [staying] { try line.call("ping") }
        let areKept = eventually(within: 60) { manager.storedNames.count == 7 ? true : nil }
        #expect(areKept == true)
        try manager.hearOut()
        let kept = manager.storedNames
        manager.whileBusy {
            leaving.removeAll()
            // It has seen them go, and none of that keeps it from serving.
            let isAlone = eventually(within: 60) {
                (try? staying.call("status"))?["connections"]?.array?.count == 1 ? true : nil
            }
            #expect(isAlone == true)
            #expect(manager.storedNames == kept)
        }
        #expect(eventually(within: 60) { manager.storedNames.count == 1 ? true : nil } == true)
        try manager.stop()
    }

    @Test("A stop during a long start is an orderly end, and the manager hears of it")
    func earlyStop() throws {
        let daemon = try Daemon()
        try daemon.start()
        try StartTests.fill(daemon, megabytes: 12)
        try daemon.killHard()
        let manager = try NotifySocket(at: daemon.place("notify"))
        daemon.environment = ["NOTIFY_SOCKET": manager.path]
        let child = try daemon.launch()
        _ = try manager.states(within: 60) { $0.contains("%") }
        child.send(SIGTERM)
        _ = try manager.states(within: 60) { $0.contains("STOPPING=1") }
        #expect(try child.wait() == .exit(0), "\(daemon.log)")
        daemon.environment = [:]
        try daemon.start()
        try daemon.stop()
        daemon.inspectLog()
    }

    @Test("Who drains for long says so, again and again")
    func longDrain() throws {
        let daemon = try Daemon()
        let manager = try NotifySocket(at: daemon.place("notify"))
        daemon.environment = ["NOTIFY_SOCKET": manager.path]
        try daemon.start()
        let reader = try daemon.connect()
        try reader.call("subscribe")
        // What it never reads keeps the daemon waiting.
        for _ in 0..<40 { reader.type(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#) }
        usleep(300_000)
        daemon.child?.send(SIGTERM)
        let states = try manager.states(within: 60) { $0.contains("BARRIER=1") }
        let stopping = try #require(states.firstIndex { $0.contains("STOPPING=1") })
        #expect(states[stopping...].count { $0.contains("EXTEND_TIMEOUT_USEC=") } >= 2)
    }

    @Test("Reloads that come together are told one after the other")
    func reloads() throws {
        let daemon = try Daemon()
        let manager = try NotifySocket(at: daemon.place("notify"))
        daemon.environment = ["NOTIFY_SOCKET": manager.path]
        try daemon.start()
        _ = try manager.states(within: 60) { $0.contains("READY=1") }
        let lines = try (0..<4).map { _ in try daemon.connect() }
        for line in lines { line.type(#"{"jsonrpc":"2.0","id":1,"method":"reload"}"#) }
        var open = 0
        var ended = 0
        while ended < lines.count {
            let states = try manager.states(within: 60) {
                $0.contains("RELOADING=1") || $0.contains("READY=1")
            }
            open += states.last?.contains("RELOADING=1") == true ? 1 : -1
            if open == 0 { ended += 1 }
            #expect((0...1).contains(open))
        }
        try daemon.stop()
    }

    @Test("Why a start fails is an error in the journal, and a number for the manager")
    func failedStart() throws {
        let place = try Workplace()
        let manager = try NotifySocket(at: place("notify"))
        let asJournal = #"JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@""#
        let refused = try Child.run(
            ["/bin/sh", "-c", asJournal, "sh", Built.daemon, "--log-level", "loud"], in: place,
            environment: ["NOTIFY_SOCKET": manager.path])
        #expect(refused.ending == .exit(78))
        let lines = refused.errors.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("<3>") }, "\(refused.errors)")
        #expect(manager.received().contains { $0.hasPrefix("STATUS=") && !$0.contains("ERRNO=") })
    }
}

import Foundation
import PaymentTesting
import Testing

/// Two daemons share the queue of one etcd.
@Suite(
    "Nodes of a cluster", .ownThreads,
    .enabled(if: EtcdServer.program != nil, "skipped: etcd is not installed"))
struct ClusterTests {
    private let server: EtcdServer
    private let prefix = UUID().uuidString

    init() throws {
        server = try EtcdServer.shared.get()
    }

    private func node(_ name: String) throws -> Daemon {
        let daemon = try Daemon([])
        let configuration = daemon.place("configuration")
        try #"{"cluster":{"node":"\#(name)","leaseSeconds":1}}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        daemon.flags = [
            "--journal", "etcd://\(server.member)/\(prefix)", "--config", configuration,
        ]
        return daemon
    }

    private func transactions(_ daemon: Daemon) throws -> [String] {
        let states = #"{"states":["purchasing","purchased","failed","restored","finished"]}"#
        let result = try daemon.connect().call("transactions", states)
        return (result["transactions"]?.array ?? []).map { transaction in
            ["id", "transactionState", "transactionIdentifier", "updatedAt", "finishedAt"]
                .map { transaction[$0]?.string ?? "" }.joined(separator: " ")
        }.sorted()
    }

    @Test(
        "A follower shows every event; it takes over when the owner is killed, and nothing is lost")
    func takeOver() throws {
        let first = try node("first")
        try first.start()
        try first.logs("this node owns the queue")
        let second = try node("second")
        try second.start()
        let buyer = try first.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        try buyer.call("subscribe")
        let watcher = try second.connect()
        try watcher.call("subscribe")
        let added = try buyer.call("add", #"{"product":"coins.100","key":"k1"}"#)
        let id = added["transaction"]?.string
        #expect(id != nil)
        _ = try watcher.notifications(within: 30) { $0.shows(id, "purchased") }
        let refused = try second.connect().ask(
            "add", #"{"product":"coins.100","key":"k2"}"#)
        #expect(refused["error"]?["code"]?.int == -32014)
        #expect(refused["error"]?["data"]?["kind"]?.string == "noOwner")
        #expect(refused["error"]?["data"]?["retry"]?.string == "later")
        #expect(try transactions(first) == transactions(second))
        try first.killHard()
        try second.logs("this node owns the queue")
        // The subscription has waited, and goes on.
        let repeated = try watcher.call(
            "add", #"{"product":"coins.100","key":"k1"}"#)
        #expect(repeated["transaction"]?.string == id)
        #expect(repeated["duplicate"]?.bool == true)
        let next = try watcher.call(
            "add", #"{"product":"coins.100","key":"k2"}"#)
        _ = try watcher.notifications(within: 30) {
            $0.shows(next["transaction"]?.string, "purchased")
        }
        try watcher.call("finish", #"{"transaction":"\#(id ?? "")"}"#)
        _ = try watcher.notifications(within: 30) { $0.removes(id) }
        // The former owner comes back as a follower with everything.
        try first.start()
        let all: Bool? = eventually(within: 30) {
            (try? transactions(first) == transactions(second)) == true ? true : nil
        }
        #expect(all == true)
        try first.stop()
        try second.stop()
        try equalFiles(first, second)
    }

    /// Expects that both nodes have the same log, byte for byte, and that `journal verify` finds it sound.
    private func equalFiles(_ first: Daemon, _ second: Daemon) throws {
        var logs: [[String: String]] = []
        for daemon in [first, second] {
            var files: [String: String] = [:]
            let names = try FileManager.default.contentsOfDirectory(atPath: daemon.state)
            for name in names where name.hasPrefix("journal-") {
                files[name] = try String(
                    contentsOfFile: "\(daemon.state)/\(name)", encoding: .utf8
                ).trimmingCharacters(in: .newlines)
            }
            logs.append(files)
            let verified = try Child.run(
                [Built.control, "journal", "verify", "--state-directory", daemon.state],
                in: daemon.place)
            #expect(verified.ending == .exit(0), "\(verified)")
        }
        #expect(logs[0] == logs[1])
    }

    @Test("Of nodes that start at once one owns the queue, and a clean stop hands it over at once")
    func handover() throws {
        let nodes = try ["a", "b", "c"].map(node)
        for daemon in nodes { try daemon.launch() }
        for daemon in nodes {
            guard eventually(within: 60, { try? Line(to: daemon.socket) }) != nil else {
                throw Trouble("a node does not serve: \(daemon.log)")
            }
        }
        var left = nodes
        while !left.isEmpty {
            let index: Int? = eventually(within: 30) {
                left.firstIndex { $0.log.contains("this node owns the queue") }
            }
            guard let index else { throw Trouble("no node owns the queue") }
            let owners = left.filter { $0.log.contains("this node owns the queue") }
            #expect(owners.count == 1)
            try left.remove(at: index).stop()
        }
    }

    /// Stops a node for a while, and waits until no thread of it runs any more.
    private func stop(_ daemon: Daemon) throws {
        guard let child = daemon.child else { throw Trouble("the node does not run") }
        child.send(SIGSTOP)
        let isStopped: Bool? = eventually(within: 30) {
            let threads = try? FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(child.id)/task")
            let states = (threads ?? []).compactMap { thread in
                try? String(
                    contentsOfFile: "/proc/\(child.id)/task/\(thread)/stat", encoding: .utf8)
            }
            return !states.isEmpty && states.allSatisfy { $0.contains(") T ") } ? true : nil
        }
        if isStopped == nil { throw Trouble("the node does not stop") }
    }

    @Test("An owner that was stopped and continues sends nothing and ends")
    func pausedOwner() throws {
        let first = try node("first")
        first.mayComplain = true
        try first.start()
        try first.logs("this node owns the queue")
        let second = try node("second")
        try second.start()
        let buyer = try first.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        try buyer.call("subscribe")
        try stop(first)
        // A purchase that the owner finds when it continues.
        buyer.type(
            #"{"jsonrpc":"2.0","id":9,"method":"add","params":{"product":"coins.100"}}"#)
        try second.logs("this node owns the queue")
        first.child?.send(SIGCONT)
        #expect(try first.child?.wait() == .exit(74))
        #expect(try transactions(second).isEmpty)
        try second.stop()
    }

    @Test(
        "The next owner has the session at the store, hears of its changes and is known by its term"
    )
    func storeSession() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        func atStore(_ name: String) throws -> Daemon {
            let daemon = try node(name)
            daemon.flags += ["--store", store.address]
            return daemon
        }
        let first = try atStore("first")
        try first.start()
        try first.logs("this node owns the queue")
        let second = try atStore("second")
        try second.start()
        let buyer = try first.connect()
        try buyer.call("login", #"{"account":"carol","credential":"open-sesame"}"#)
        try buyer.call("subscribe")
        let id = try buyer.call("add", #"{"product":"coins.100","key":"k1"}"#)["transaction"]?
            .string
        _ = try buyer.notifications { $0.shows(id, "purchased") }
        let watcher = try second.connect()
        try watcher.call("subscribe")
        _ = try watcher.notifications { $0.shows(id, "purchased") }
        try first.killHard()
        try second.logs("this node owns the queue")
        let next = try watcher.call("add", #"{"product":"coins.100","key":"k2"}"#)["transaction"]?
            .string
        _ = try watcher.notifications { $0.shows(next, "purchased") }
        #expect(try watcher.call("status")["account"]?.string == "carol")
        // Another device buys, and only the feed of the account tells that.
        let device = try Daemon(["--store", store.address])
        try device.start()
        let other = try device.connect()
        try other.call("login", #"{"account":"carol","credential":"open-sesame"}"#)
        try other.call("subscribe")
        let bought = try other.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        let shown = try other.notifications { $0.shows(bought, "purchased") }
        let order = shown.last?.transactions.first?["transactionIdentifier"]?.string
        #expect(order?.isEmpty == false)
        _ = try watcher.notifications {
            $0.transactions.contains { $0["transactionIdentifier"]?.string == order }
        }
        try device.stop()
        try second.stop()
        try store.stop()
        let terms = try FileManager.default.contentsOfDirectory(atPath: place("store/terms"))
        #expect(terms.count == 1)
        let placed = store.records.filter { $0["t"]?.string == "orderPlaced" }
        #expect(placed.map { $0["d"]?["transaction"]?.string } == [id, next, bought])
    }

    @Test("A node that does not belong to the cluster does not start")
    func foreignNode() throws {
        let first = try node("first")
        try first.start()
        try first.logs("this node owns the queue")
        let foreign = try Daemon(["--demo"])
        foreign.flags = []
        foreign.mayComplain = true
        try foreign.start()
        try foreign.stop()
        foreign.flags = ["--journal", "etcd://\(server.member)/\(prefix)"]
        let child = try foreign.launch()
        #expect(try child.wait() == .exit(78))
        #expect(foreign.log.contains("another queue than the cluster"))
        try first.stop()
    }

    /// Starts a node that must refuse to, and returns its log.
    private func refusal(_ daemon: Daemon, _ flags: [String]) throws -> String {
        daemon.flags = flags
        daemon.mayComplain = true
        #expect(try daemon.launch().wait() == .exit(78))
        return daemon.log
    }

    private func control(
        _ arguments: String..., for daemon: Daemon
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control, "cluster"] + arguments + ["--state-directory", daemon.state],
            in: daemon.place)
    }

    @Test("A queue moves into a cluster and out of it only as said, and is the same there")
    func importAndExport() throws {
        let daemon = try Daemon(["--demo"])
        let journal = ["--journal", "etcd://\(server.member)/\(prefix)"]
        daemon.flags = []
        try daemon.start()
        let buyer = try daemon.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        try buyer.call("subscribe")
        let id = try buyer.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        _ = try buyer.notifications(within: 30) { $0.shows(id, "purchased") }
        let before = try transactions(daemon)
        try daemon.stop()
        #expect(try refusal(daemon, journal).contains("payqueuectl cluster import \(prefix)"))
        #expect(try control("import", prefix, for: daemon).ending == .exit(0))
        daemon.mayComplain = false
        daemon.flags = journal
        try daemon.start()
        try daemon.logs("this node owns the queue")
        #expect(try transactions(daemon) == before)
        try daemon.stop()
        // It is a copy now, and nothing else.
        #expect(try refusal(daemon, []).contains("payqueuectl cluster export"))
        let other = ["--journal", "etcd://\(server.member)/\(prefix)-other"]
        #expect(try refusal(daemon, other).contains("not at '\(prefix)-other'"))
        #expect(try control("export", for: daemon).ending == .exit(0))
        #expect(try control("export", for: daemon).ending == .exit(1))
        daemon.flags = []
        try daemon.start()
        #expect(try transactions(daemon) == before)
        try daemon.stop()
    }

    @Test("A cluster that has lost its log is not begun again by a copy that just starts")
    func lostLog() throws {
        let first = try node("first")
        try first.start()
        try first.logs("this node owns the queue")
        try first.stop()
        let flags = first.flags
        // As after a loss of all of etcd.
        let erased = try Child.run(
            [
                "curl", "-sf", "http://\(server.member)/v3/kv/deleterange", "-d",
                "{\"key\":\"\(Data(prefix.utf8).base64EncodedString())\",\"range_end\":"
                    + "\"\(Data("\(prefix)0".utf8).base64EncodedString())\"}",
            ], in: first.place)
        #expect(erased.ending == .exit(0))
        #expect(try refusal(first, flags).contains("has lost its log"))
        #expect(try control("import", prefix, for: first).ending == .exit(0))
        try first.start()
        try first.logs("this node owns the queue")
        try first.stop()
    }

    @Test(
        "A follower answers what an administrator and the embedded store are asked, and changes nothing"
    )
    func followerWork() throws {
        let first = try node("first")
        try first.start()
        try first.logs("this node owns the queue")
        let buyer = try first.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        try buyer.call("subscribe")
        try buyer.call("test.set", #"{"timeRate":{"monthSeconds":1}}"#)
        let id = try buyer.call("add", #"{"product":"pro.monthly"}"#)["transaction"]?.string
        _ = try buyer.notifications(within: 30) { $0.shows(id, "purchased") }
        let second = try node("second")
        try second.start()
        let reader = try second.connect()
        let both: Bool? = eventually(within: 30) {
            (try? transactions(first) == transactions(second)) == true ? true : nil
        }
        #expect(both == true)
        // A backup of the owner while it is at work.
        for number in 0..<5 {
            buyer.type(
                #"{"jsonrpc":"2.0","id":"a\#(number)","method":"add","params":{"product":"coins.100"}}"#
            )
        }
        #expect(try buyer.call("backup")["path"]?.string?.isEmpty == false)
        try reader.call("reload")
        #expect(try reader.call("products")["products"]?.array?.isEmpty == false)
        #expect(try reader.ask("entitlements")["error"] == nil)
        #expect(try reader.ask("signedHistory")["error"] == nil)
        let refused = try reader.ask("storefront", #"{"assume":"FR"}"#)
        #expect(refused["error"]?["code"]?.int == -32014)
        try second.stop()
        try first.stop()
    }

    @Test("Without an answer of etcd a start ends with a sentence")
    func noEtcd() throws {
        let daemon = try Daemon(["--journal", "etcd://127.0.0.1:1/x"])
        daemon.mayComplain = true
        let child = try daemon.launch()
        #expect(try child.wait() == .exit(71))
        #expect(daemon.log.contains("cannot reach the cluster"))
    }
}

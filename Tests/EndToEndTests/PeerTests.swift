import Foundation
import PaymentTesting
import Testing

/// Clients buy at a node that does not own the queue.
@Suite(
    "Nodes that pass calls on", .ownThreads,
    .enabled(
        if: EtcdServer.program != nil && Built.has("openssl"),
        "skipped: etcd or openssl is not installed"))
struct PeerTests {
    private let server: EtcdServer
    private let prefix = UUID().uuidString
    private let place: Workplace
    private let certificate: String
    private let credentials: String

    init() throws {
        server = try EtcdServer.shared.get()
        place = try Workplace()
        (certificate, credentials) = try Self.certify("nodes", in: place)
    }

    /// Makes an authority that has issued one certificate, for all nodes: its own.
    static func certify(
        _ name: String, in place: Workplace
    ) throws -> (certificate: String, credentials: String) {
        let (certificate, key) = try Certificate.make(name, in: place)
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: path, encoding: .utf8)
                .replacingOccurrences(of: "\n", with: "\\n")
        }
        let credentials = place("\(name).json")
        try #"{"certificate":"\#(text(certificate))","key":"\#(text(key))"}"#.write(
            toFile: credentials, atomically: true, encoding: .utf8)
        chmod(credentials, 0o600)
        return (certificate, credentials)
    }

    private func node(
        _ name: String, more: String = "", files: (certificate: String, credentials: String)? = nil
    ) throws -> Daemon {
        let daemon = try Daemon([])
        let configuration = daemon.place("configuration")
        let port = try EtcdServer.freePort()
        try #"""
        {"cluster":{"node":"\#(name)","leaseSeconds":1,"peer":"127.0.0.1:\#(port)",
         "peerCertificates":"\#(files?.certificate ?? certificate)",
         "peerCredentials":"\#(files?.credentials ?? credentials)"}\#(more)}
        """#.write(toFile: configuration, atomically: true, encoding: .utf8)
        daemon.flags = [
            "--journal", "etcd://\(server.member)/\(prefix)", "--config", configuration,
        ]
        return daemon
    }

    /// An owner and a follower that knows it.
    private func pair() throws -> (owner: Daemon, follower: Daemon) {
        let owner = try node("owner")
        try owner.start()
        try owner.logs("this node owns the queue")
        let follower = try node("follower")
        try follower.start()
        try follower.logs("follows the owner")
        return (owner, follower)
    }

    @Test(
        "A purchase at a follower is made by the owner, observed and finished where the client is")
    func purchase() throws {
        let (owner, follower) = try pair()
        let client = try follower.connect()
        try client.call("hello", #"{"client":{"name":"shop","version":"1"}}"#)
        let session = try client.call("login", #"{"account":"demo"}"#)
        #expect(session["account"]?.string == "demo")
        // The only observer is here, and orders start for it.
        try client.call("subscribe", #"{"products":["coins.100"]}"#)
        let added = try client.call("add", #"{"product":"coins.100","key":"k1"}"#)
        let id = added["transaction"]?.string
        // The follower has what it has answered.
        let listed = try client.call("transactions", #"{"ids":["\#(id ?? "")"]}"#)
        #expect(listed["transactions"]?.array?.count == 1)
        _ = try client.notifications(within: 30) { $0.shows(id, "purchased") }
        let again = try client.call("add", #"{"product":"coins.100","key":"k1"}"#)
        #expect(again["transaction"]?.string == id && again["duplicate"]?.bool == true)
        let refused = try client.ask("add", #"{"product":"no.such.product"}"#)
        #expect(refused["error"]?["data"]?["kind"]?.string == "unknownProduct")
        try client.call("finish", #"{"transaction":"\#(id ?? "")"}"#)
        _ = try client.notifications(within: 30) { $0.removes(id) }
        // All nodes show the keys of the one that signs.
        #expect(try client.call("keys") == owner.connect().call("keys"))
        let log = try String(
            contentsOfFile: "\(owner.state)/journal-00000000000000000001.ndjson", encoding: .utf8)
        #expect(log.contains(#""client":"shop"#))
        try follower.stop()
        try owner.stop()
    }

    @Test("The events of a call follow its reply, and calls of one connection keep their order")
    func order() throws {
        let (owner, follower) = try pair()
        let client = try follower.connect()
        try client.call("login", #"{"account":"demo"}"#)
        try client.call("subscribe")
        for number in 0..<50 {
            client.type(
                #"{"jsonrpc":"2.0","id":"n\#(number)","method":"add","params":{"product":"coins.100"}}"#
            )
            client.type(#"{"jsonrpc":"2.0","id":"p\#(number)","method":"ping"}"#)
        }
        var ids: [String] = []
        var known: Set<String> = []
        while ids.count < 100 {
            let line = try client.next(within: 30)
            if let id = line["id"]?.string {
                ids.append(id)
                if let added = line["result"]?["transaction"]?.string { known.insert(added) }
            } else if let shown = line["params"]?["transaction"]?["id"]?.string {
                #expect(known.contains(shown), "an event came before the reply: \(line)")
            }
        }
        #expect(ids == (0..<50).flatMap { ["n\($0)", "p\($0)"] })
        #expect(known.count == 50)
        // A batch is one line of replies, wherever its calls run.
        client.type(
            #"[{"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100"}},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"ping"},"#
                + #"{"jsonrpc":"2.0","method":"add","params":{"product":"coins.100"}},"#
                + #"{"jsonrpc":"2.0","id":3,"method":"add","params":{"product":"nothing"}}]"#)
        var batch: [JSON]?
        while batch == nil { batch = try client.next(within: 30).array }
        #expect(batch?.map { $0["id"]?.int } == [1, 2, 3])
        #expect(batch?.last?["error"] != nil)
        try follower.stop()
        try owner.stop()
    }

    @Test("A name belongs to the cluster: it is taken, acknowledged and in use at every node")
    func name() throws {
        let (owner, follower) = try pair()
        let client = try follower.connect()
        try client.call("login", #"{"account":"demo"}"#)
        try client.call("subscribe", #"{"name":"shop"}"#)
        let other = try owner.connect()
        let taken = try other.ask("subscribe", #"{"name":"shop"}"#)
        #expect(taken["error"]?["data"]?["kind"]?.string == "nameInUse")
        let added = try client.call("add", #"{"product":"coins.100"}"#)
        let id = added["transaction"]?.string
        let event = try client.notifications(within: 30) { $0.shows(id, "purchased") }.last
        let sequence = try #require(event?["params"]?["seq"]?.int)
        try client.call("ack", #"{"name":"shop","seq":\#(sequence)}"#)
        let names = try other.call("observers")["observers"]?.array ?? []
        #expect(names.map { $0["acked"]?.int } == [sequence])
        let here = try client.call("observers")["observers"]?.array ?? []
        #expect(here.map { $0["connected"]?.bool } == [true])
        #expect(here.first?["name"]?.string == "shop")
        try follower.stop()
        // The name is free with its connection.
        let isFree: Bool? = eventually(within: 30) {
            (try? other.ask("subscribe", #"{"name":"shop"}"#)["error"]) == nil ? true : nil
        }
        #expect(isFree == true)
        try owner.stop()
    }

    @Test("A call that waits for a person lets others run, and can be cancelled")
    func waiting() throws {
        let (owner, follower) = try pair()
        // The owner gives the turn to an agent at another node, which shows the question once.
        let agent = try follower.connect()
        try agent.call("subscribe", #"{"agent":["login"]}"#)
        let client = try follower.connect()
        client.type(
            #"{"jsonrpc":"2.0","id":"w","method":"add","params":{"product":"coins.100"}}"#
        )
        let question = try agent.notifications(within: 30) {
            "\($0)".contains("login")
        }
        #expect(question.last?["params"]?["deadline"]?.string != nil, "\(question)")
        #expect(try client.ask("ping")["result"] != nil)
        let cancelled = try client.call("cancel", #"{"id":"w"}"#)
        #expect(cancelled["cancelled"]?.bool == true)
        // The owner ends the call.
        let ended: (JSON) -> Bool = { $0["id"]?.string == "w" }
        var answer = client.notifications.first(where: ended)
        while answer == nil { answer = [try client.next(within: 30)].first(where: ended) }
        #expect(answer?["error"]?["data"]?["kind"]?.string == "cancelled")
        // The owner has withdrawn the question with the call.
        let closed = try agent.notifications(within: 30) { "\($0)".contains("questionClosed") }
        #expect(closed.count == 1)
        try follower.stop()
        try owner.stop()
    }

    @Test("A payment waits for an agent whose node ends, and fails when the agent itself leaves")
    func agentOfAnotherNode() throws {
        let (owner, follower) = try pair()
        let buyer = try owner.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        try buyer.call("subscribe")
        func question(_ agent: Line) throws -> (id: String, transaction: String?) {
            let opened = try agent.notifications(within: 30) { $0.kind == "questionOpened" }
            let body = opened.last?["params"]
            return (body?["question"]?.string ?? "", body?["transaction"]?.string)
        }
        for isKilled in [false, true] {
            let agent = try follower.connect()
            try agent.call("subscribe", #"{"agent":["payment"]}"#)
            let id = try buyer.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
            let first = try question(agent)
            #expect(first.transaction == id)
            try withExtendedLifetime(agent) {
                try isKilled ? follower.killHard() : follower.stop()
            }
            let again = try owner.connect()
            let begun = try again.call("subscribe", #"{"agent":["payment"]}"#)
            let subscription = try #require(begun["subscription"]?.string)
            #expect(try question(again) == first)
            try again.call("answer", #"{"question":"\#(first.id)","value":true}"#)
            _ = try buyer.notifications(within: 30) { $0.shows(id, "purchased") }
            try again.call("unsubscribe", #"{"subscription":"\#(subscription)"}"#)
            try follower.start()
            try follower.logs("follows the owner")
        }
        var agent: Line? = try follower.connect()
        try agent?.call("subscribe", #"{"agent":["payment"]}"#)
        let id = try buyer.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        _ = try agent.map(question)
        agent = nil
        _ = try buyer.notifications(within: 30) { $0.shows(id, "failed") }
        try follower.stop()
        try owner.stop()
    }

    @Test("When the owner is killed or stopped, a call ends with noOwner and the next one succeeds")
    func lostOwner() throws {
        let (owner, follower) = try pair()
        owner.mayComplain = true
        let client = try follower.connect()
        try client.call("login", #"{"account":"demo"}"#)
        try client.call("subscribe")
        owner.child?.send(SIGSTOP)
        let lost = try client.ask("add", #"{"product":"coins.100","key":"k"}"#)
        #expect(lost["error"]?["code"]?.int == -32014)
        #expect(lost["error"]?["data"]?["effect"]?.string == "unknown")
        try follower.logs("this node owns the queue")
        let added = try client.call("add", #"{"product":"coins.100","key":"k"}"#)
        _ = try client.notifications(within: 30) {
            $0.shows(added["transaction"]?.string, "purchased")
        }
        owner.child?.send(SIGCONT)
        #expect(try owner.child?.wait() == .exit(74))
        // The former owner passes its clients' calls on now.
        try owner.start()
        let other = try owner.connect()
        let second: JSON? = eventually(within: 30) {
            try? other.call("add", #"{"product":"coins.100","key":"l"}"#)
        }
        let id = second?["transaction"]?.string
        #expect(id != nil)
        _ = try client.notifications(within: 30) { $0.shows(id, "purchased") }
        try follower.killHard()
        try owner.logs("this node owns the queue")
        #expect(
            try other.call("add", #"{"product":"coins.100","key":"l"}"#)["duplicate"]?.bool == true)
        try owner.stop()
    }

    @Test("A node with a certificate of another authority passes nothing on, whoever trusts whom")
    func strangeNode() throws {
        let owner = try node("owner")
        owner.mayComplain = true
        try owner.start()
        try owner.logs("this node owns the queue")
        let other = try Self.certify("others", in: place)
        let pairs = [(certificate, other.credentials), (other.certificate, other.credentials)]
        for (number, files) in pairs.enumerated() {
            let follower = try node("follower\(number)", files: files)
            try follower.start()
            let client = try follower.connect()
            try follower.logs("follows the owner")
            let refused = try client.ask("login", #"{"account":"demo"}"#)
            #expect(refused["error"]?["code"]?.int == -32014)
            #expect(try client.call("storefront")["session"]?["account"] == nil)
            try follower.stop()
        }
        // Nor does a program without a certificate, which would be root.
        let configuration = try JSON(
            String(contentsOfFile: owner.place("configuration"), encoding: .utf8))
        let greeting = #"{"gid":0,"groups":[0],"pid":1,"roles":["admin","buy"],"uid":0}"#
        let said = try Child.run(
            [
                "openssl", "s_client", "-quiet", "-connect",
                configuration["cluster"]?["peer"]?.string ?? "",
            ], in: place,
            input: greeting + "\n" + #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n")
        #expect(!said.output.contains("jsonrpc"))
        try owner.stop()
    }

    @Test("A client has the roles that its node gives it, and its user is in the log of the owner")
    func roles() throws {
        guard geteuid() == 0 else { return Skip.because("only root can act as another user") }
        let owner = try node("owner")
        try owner.start()
        try owner.logs("this node owns the queue")
        let roles =
            #","socketMode":"0666","roles":{"everybody":["observe"],"users":{"61234":["observe","buy"]}}"#
        let follower = try node("follower", more: roles)
        try follower.start()
        try AccessTests.open(follower.place.path, to: 0o755)
        // The roles of the owner's node are others: there everybody may buy.
        let lines = [#"{"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100"}}"#]
        func add(as user: Int) throws -> JSON? {
            try AccessTests.ask(lines, as: user, follower).first
        }
        let isKnown: Bool? = eventually(within: 30) {
            (try? add(as: 61234))?["result"] != nil ? true : nil
        }
        #expect(isKnown == true)
        #expect(try add(as: 61233)?["error"]?["data"]?["kind"]?.string == "forbidden")
        let log = try String(
            contentsOfFile: "\(owner.state)/journal-00000000000000000001.ndjson", encoding: .utf8)
        #expect(log.contains(#""uid":61234"#) && !log.contains(#""uid":61233"#))
        try follower.stop()
        try owner.stop()
    }

    /// Runs `payqueuectl cluster`.
    private func control(
        _ command: String, at daemon: Daemon
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [Built.control, "cluster", command, "--socket", daemon.socket, "--json"],
            in: daemon.place)
    }

    @Test("The owner gives the queue to another node; its clients stay connected and miss nothing")
    func handOver() throws {
        let (owner, follower) = try pair()
        let watcher = try owner.connect()
        try watcher.call("login", #"{"account":"demo"}"#)
        try watcher.call("subscribe")
        // Half a line, which the next start of the program reads with the rest.
        watcher.write(Array(#"{"jsonrpc":"2.0","id":"half","meth"#.utf8))
        let buyer = try follower.connect()
        let id = try buyer.call("add", #"{"product":"coins.100","key":"k1"}"#)["transaction"]?
            .string
        let given = try control("handover", at: follower)
        #expect(given.ending == .exit(0), "\(given)")
        let after = try JSON(Substring(given.output))
        #expect(after["owner"]?.string == "follower")
        #expect(after["role"]?.string == "owner")
        // The program of the former owner is the same process, and follows.
        try owner.logs("follows the owner")
        #expect(owner.child?.poll() == nil)
        watcher.write(Array("od\":\"ping\"}\n".utf8))
        let next = try buyer.call("add", #"{"product":"coins.100","key":"k2"}"#)["transaction"]?
            .string
        var (isAnswered, purchases, last) = (false, [String?](), Int?.none)
        while !isAnswered || purchases.count < 2 {
            let message = try watcher.next(within: 30)
            if message["id"]?.string == "half" { isAnswered = true }
            #expect(message["method"]?.string != "closing")
            guard message["method"]?.string == "event", message["params"]?["redelivery"] == nil
            else { continue }
            if let last { #expect(message["params"]?["prev"]?.int == last) }
            last = message["params"]?["seq"]?.int
            for one in [id, next] where message.shows(one, "purchased") { purchases.append(one) }
        }
        #expect(purchases == [id, next])
        try owner.stop()
        try follower.stop()
    }

    @Test("A call that waits for a person during a handover is answered by the next start")
    func waitingCall() throws {
        let (owner, follower) = try pair()
        let person = try owner.connect()
        try person.call("subscribe", #"{"agent":["login"]}"#)
        let buyer = try owner.connect()
        buyer.type(
            #"{"jsonrpc":"2.0","id":"a","method":"add","params":{"product":"coins.100"}}"#)
        _ = try person.notifications(within: 30) { $0["params"]?["type"]?.string == "login" }
        #expect(try control("handover", at: follower).ending == .exit(0))
        let answer = try buyer.next(within: 30)
        #expect(answer["id"]?.string == "a")
        #expect(answer["error"]?["data"]?["kind"]?.string == "restarted")
        // Nothing of the call is left, and the connection serves.
        let open = try buyer.call("transactions")
        #expect(open["transactions"]?.array?.isEmpty == true)
        try owner.stop()
        try follower.stop()
    }

    @Test("A cursor of another node waits until this node has what it names")
    func otherCursor() throws {
        let (owner, follower) = try pair()
        let buyer = try owner.connect()
        try buyer.call("login", #"{"account":"demo"}"#)
        // The follower is behind when it reads the calls.
        follower.child?.send(SIGSTOP)
        for key in ["k1", "k2"] {
            try buyer.call("add", #"{"product":"coins.100","key":"\#(key)"}"#)
        }
        let head = try #require(try buyer.call("hello")["head"]?.int)
        let readers = try ["subscribe", "events"].map { method in
            let reader = try follower.connect()
            reader.type(
                #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"after":\#(head)}}"#)
            return reader
        }
        follower.child?.send(SIGCONT)
        let answers = try readers.map { try $0.next(within: 30)["result"] }
        #expect(answers[0]?["subscription"] != nil)
        #expect(answers[1]?["events"]?.array?.isEmpty == true)
        for node in [owner, follower] {
            let ahead = try node.connect().ask("events", #"{"after":\#(head + 1000)}"#)
            #expect(ahead["error"]?["code"]?.int == 1302)
        }
        try follower.stop()
        try owner.stop()
    }

    @Test("A queue is not given away without another node, and not by a daemon of its own")
    func noOtherNode() throws {
        let owner = try node("owner")
        try owner.start()
        try owner.logs("this node owns the queue")
        let refused = try owner.connect().ask("handover")
        #expect(refused["error"]?["code"]?.int == -32014)
        #expect(refused["error"]?["message"]?.string == "No other node is up to own the queue")
        #expect(try control("handover", at: owner).ending == .exit(1))
        let state = try owner.connect().call("cluster")
        #expect(state["role"]?.string == "owner")
        #expect(state["nodes"]?.array?.map { $0["node"]?.string } == ["owner"])
        #expect(state["nodes"]?.array?.first?["up"]?.bool == true)
        #expect(state["members"]?.array?.map { $0["leader"]?.bool } == [true])
        try owner.stop()
        let single = try Daemon(["--demo"])
        try single.start()
        for method in ["cluster", "handover"] {
            let refused = try single.connect().ask(method)
            #expect(refused["error"]?["code"]?.int == -32600)
        }
        try single.stop()
    }

    @Test("A service manager that keeps connections starts a former owner again")
    func managedHandOver() throws {
        let manager = try ServiceManager()
        let other = try node("other")
        // Only its configuration is used.
        let managed = try node("managed")
        manager.flags = managed.flags
        try manager.start()
        let isOwner: Bool? = eventually(within: 30) {
            manager.log.contains("this node owns the queue") ? true : nil
        }
        #expect(isOwner == true)
        let watcher = try Line(to: manager.socket)
        try watcher.call("login", #"{"account":"demo"}"#)
        try watcher.call("subscribe")
        try other.start()
        try other.logs("follows the owner")
        #expect(try watcher.call("handover")["node"]?.string == "managed")
        #expect(try manager.child?.wait() == .exit(75))
        try manager.start()
        try other.logs("this node owns the queue")
        let id = try watcher.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        _ = try watcher.notifications(within: 30) { $0.shows(id, "purchased") }
        try manager.stop()
        try other.stop()
        withExtendedLifetime(managed) {}
    }
}

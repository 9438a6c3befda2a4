import Foundation
import PaymentTesting
import Testing

/// The whole way of a purchase: application, queue, store, publisher.
@Suite("Publishers", .ownThreads)
struct PublisherTests {
    @Test(
        "A publisher grants what its user has bought, once, and refuses what is foreign or unknown",
        arguments: ["pyjwt", "joserfc", "node"])
    func grants(library: String) throws {
        var command = ["node", "examples/publisher.js"]
        if library != "node" {
            guard let python = Python.with(library) else {
                return Skip.because("\(library) is not installed and cannot be")
            }
            command = [python, "examples/publisher.py"]
        }
        guard Built.has("node") || library != "node" else {
            return Skip.because("node is not installed")
        }
        let place = try Workplace()
        let store = try TCPStore(in: place)
        let merchant = try store.merchant("add", "A publisher")
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("subscribe")
        let add = #"{"product":"remove-ads","appAccountToken":"user-1"}"#
        let id = try line.call("add", add)["transaction"]?.string ?? ""
        let bought = try line.call("wait", #"{"transaction":"\#(id)","until":["purchased"]}"#)
        let order = bought["transaction"]?["transactionIdentifier"]?.string ?? ""
        try Self.makeKey(line)
        let secret = place("secret")
        try (merchant["secret"]?.string ?? "").write(
            toFile: secret, atomically: true, encoding: .utf8)
        #expect(chmod(secret, 0o600) == 0)
        let language: ClientLanguage = library == "node" ? .node : .python
        func ask(_ order: String, _ user: String) throws -> JSON {
            let answer = try Child.run(
                language.within(command + [order, user]), in: place,
                environment: [
                    "STORE": store.address, "MERCHANT": merchant["merchant"]?.string ?? "",
                    "MERCHANT_KEY": merchant["kid"]?.string ?? "", "MERCHANT_SECRET_FILE": secret,
                    "GRANTS": place("grants"), "LIBRARY": library == "node" ? "" : library,
                    "PYTHONDONTWRITEBYTECODE": "1",
                ], seconds: 60)
            #expect(answer.ending == .exit(0), "\(answer.errors)")
            return try JSON(answer.output)
        }
        #expect(try ask(order, "user-2")["reason"]?.string == "foreign")
        #expect(try ask(order, "user-1")["new"]?.bool == true)
        #expect(try ask(order, "user-1")["new"]?.bool == false)
        let nobody = "3e46c75a-7e04-4530-979a-e275f3a7c50c"
        #expect(try ask(nobody, "user-1")["reason"]?.string == "unknownOrder")
        let shown = try Child.run(
            [
                Built.control, "merchant", "history", order, "--store", store.address,
                "--merchant", merchant["merchant"]?.string ?? "", "--key",
                merchant["kid"]?.string ?? "", "--secret-file", secret,
            ], in: place)
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        #expect(shown.output.contains("remove-ads"))
        _ = try store.run("merchant", "revoke", merchant["merchant"]?.string ?? "")
        let refused = try Child.run(
            [
                Built.control, "merchant", "history", order, "--store", store.address,
                "--merchant", merchant["merchant"]?.string ?? "", "--key",
                merchant["kid"]?.string ?? "", "--secret-file", secret,
            ], in: place)
        #expect(refused.ending == .exit(1), "\(refused.output)")
        #expect(store.log.contains("revokedKey"))
        #expect(!store.log.contains(merchant["secret"]?.string ?? "secret"))
        // What the publisher granted is finished: the application was told so.
        try line.call("finish", #"{"transaction":"\#(id)"}"#)
        try line.call("wait", #"{"transaction":"\#(id)","until":["removed"]}"#)
        try daemon.stop()
        try store.stop()
    }
}

extension PublisherTests {
    @Test(
        "A publisher without its environment or its secret says so in one sentence and ends",
        arguments: [ClientLanguage.python, .node])
    func environment(language: ClientLanguage) throws {
        if let missing = language.missing {
            return Skip.because("\(missing) is not installed")
        }
        let place = try Workplace()
        let command = language.example("publisher")
        func start(_ environment: [String: String]) throws -> String {
            let ended = try Child.run(command, in: place, environment: environment)
            #expect(ended.ending == .exit(1))
            #expect(ended.output.isEmpty)
            #expect(ended.errors.split(separator: "\n").count == 1, "\(ended.errors)")
            return ended.errors
        }
        let bare = try start(["MERCHANT": "mer_1"])
        #expect(bare.contains("set STORE, MERCHANT_KEY, MERCHANT_SECRET_FILE"), "\(bare)")
        let secretless = try start([
            "STORE": "http://127.0.0.1:1", "MERCHANT": "mer_1", "MERCHANT_KEY": "key_1",
            "MERCHANT_SECRET_FILE": place("nothing"),
        ])
        #expect(secretless.contains("cannot read the merchant's secret"), "\(secretless)")
    }

    /// Has the store make its key: publishers wait ten seconds, and on a busy machine that may take
    /// longer.
    private static func makeKey(_ line: Line) throws {
        _ = try #require(eventually(within: 60) { try? line.call("signedHistory") })
    }
}

/// A store on a port of its own, which publishers can reach.
private final class TCPStore {
    let address: String
    private let place: Workplace
    private let child: Child

    init(in place: Workplace) throws {
        self.place = place
        let child = try Child(
            [
                Built.store, "--listen", "127.0.0.1:0", "--state-directory", place("store"),
                "--log-format", "json",
            ], in: place, name: "tcp-store")
        self.child = child
        let port: String? = eventually(within: 60) {
            let found = child.standardError.firstMatch(of: #/"address":"[^"]*:(\d+)"/#)
            return found.map { String($0.1) }
        }
        guard let port else { throw Trouble("the store does not listen: \(child.standardError)") }
        address = "http://127.0.0.1:\(port)"
    }

    /// What it wrote to its log.
    var log: String { child.standardError }

    /// Runs a command beside the server.
    func run(_ arguments: String...) throws -> String {
        let shown = try Child.run(
            [Built.store] + arguments + ["--state-directory", place("store")], in: place)
        guard shown.ending == .exit(0) else { throw Trouble(shown.errors) }
        return shown.output
    }

    /// Runs a command about merchants and reads its answer.
    func merchant(_ verb: String, _ argument: String) throws -> JSON {
        try JSON(try run("merchant", verb, argument, "--json"))
    }

    func stop() throws {
        child.send(SIGTERM)
        #expect(try child.wait() == .exit(0), "the store said: \(child.standardError)")
    }
}

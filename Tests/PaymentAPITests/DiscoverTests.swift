import Foundation
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct DiscoverTests {
    static let document = Discover.document(limits: Limits())

    @Test func `the recorded contract is the one that is served`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("clients/openrpc.json")
        let text = Self.document.prettyText() + "\n"
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        #expect(recorded == text, "the contract changed; if it should, record it with RECORD=1")
    }

    @Test func `every method of the contract is described once`() {
        let names = Self.document["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
        #expect(names == Contract.names)
        #expect(Set(Contract.names).count == Contract.names.count)
    }

    @Test(arguments: Contract.names)
    func `the example of a method can be sent`(name: String) throws {
        let method = try #require(Contract.method(named: name))
        #expect(try problem(method, method.spec.example.params.jsonText()) == nil)
        #expect(try problem(method, nil) == nil || !method.spec.example.params.jsonText().isEmpty)
    }

    @Test(arguments: Contract.names)
    func `the example result of a method fits its schema`(name: String) throws {
        let spec = try #require(Contract.spec(named: name))
        let checker = SchemaChecker(document: Self.document)
        #expect(checker.findings(spec.example.result, spec.resultSchema) == [])
    }

    @Test(arguments: Contract.names)
    func `the example parameters of a method fit their schemas`(name: String) throws {
        let spec = try #require(Contract.spec(named: name))
        let checker = SchemaChecker(document: Self.document)
        for member in spec.example.params.members ?? [] {
            let parameter = try #require(spec.parameters.first { "\($0.name)" == member.name })
            #expect(checker.findings(member.value, parameter.shape.schema) == [])
        }
    }

    @Test(arguments: Contract.names)
    func `required parameters come before optional ones`(name: String) throws {
        let required = try #require(Contract.spec(named: name)).parameters.map(\.isRequired)
        #expect(required == required.sorted { $0 && !$1 })
    }

    @Test func `the methods that may wait are flagged`() {
        let waiting = Contract.methods.filter { $0.spec.waits }.map { "\($0.spec.name)" }
        let own: Set<String> = [
            "add", "restore", "login", "wait", "events", "products", "entitlements", "drain",
            "reload", "backup", "signedHistory", "cluster", "handover",
        ]
        #expect(Set(waiting) == own)
    }

    /// The controls of the sandbox.
    static let controls = Set(Contract.names.filter { $0.hasPrefix("test.") })

    @Test(arguments: Contract.names)
    func `a method that may wait can end in the errors of waiting`(name: String) throws {
        let spec = try #require(Contract.spec(named: name))
        #expect(spec.errors.contains(.tooManyInFlight) == spec.waits)
        #expect(spec.errors.contains(.cancelled) == spec.waits)
    }

    @Test func `the roles are those of the contract`() {
        func names(_ role: Role) -> Set<String> {
            Set(Contract.methods.filter { $0.spec.role == role }.map { "\($0.spec.name)" })
        }
        #expect(names(.buy) == ["add", "restore", "finish", "login", "logout"])
        #expect(
            names(.admin)
                == Self.controls.union(["decide", "drain", "reload", "backup", "handover"]))
        #expect(names(.gate) == ["answer"])
        #expect(Delegate.spec.parameters.allSatisfy { $0.needs == .gate })
        #expect(StorefrontMethod.spec.parameters.map(\.needs) == [.buy])
    }

    @Test func `transactions in every state fit the schema`() throws {
        let checker = SchemaChecker(document: Self.document)
        let schema: JSONValue = ["$ref": "#/components/schemas/Transaction"]
        let states: [TransactionState] = [
            .waiting, .submitted, .deferred, .purchased, .completing, .restored,
            .failed(.declined), .failed(PaymentFailure(.cancelled)),
        ]
        let finish = Finish(time: Sample.updated, reason: .finished, origin: Sample.origin)
        for state in states {
            let transaction = try Sample.transaction(
                state, token: "t", origin: Sample.origin, order: Sample.order)
            let text = written {
                $0.transaction(transaction, waitingFor: .gate, finish: finish)
            }
            #expect(checker.findings(try JSONValue(parsing: text), schema) == [])
        }
    }

    @Test func `restores in every state fit the schema`() throws {
        let checker = SchemaChecker(document: Self.document)
        let schema: JSONValue = ["$ref": "#/components/schemas/Restore"]
        let outcomes: [RestoreOutcome?] =
            [nil, .completed(count: 3)] + RestoreFailure.allCases.map { .failed($0) }
        for outcome in outcomes {
            let record = RestoreRecord(id: Sample.restore, outcome: outcome, waitingFor: .login)
            let result = WaitForTransaction.Result(
                record: .restore(record), isReached: outcome != nil, sequence: 4)
            #expect(checker.findings(try #require(result.jsonValue["restore"]), schema) == [])
        }
    }

    @Test func `settings and orders of every kind fit their schemas`() throws {
        let checker = SchemaChecker(document: Self.document)
        for order in try Sample.orders() {
            let value = OrderResult(order: order).jsonValue
            #expect(checker.findings(value, ["$ref": "#/components/schemas/Order"]) == [])
        }
        for settings in try Sample.settings() {
            let value = TestGet.Result(settings: settings).jsonValue
            #expect(checker.findings(value, ["$ref": "#/components/schemas/TestSettings"]) == [])
        }
    }

    @Test func `notifications fit the schemas that are published for them`() throws {
        let checker = SchemaChecker(document: Self.document)
        let published = try #require(Self.document["x-notifications"]?.arrayValue)
        let s1 = SubscriptionID(1)
        let lines = [
            written { $0.caughtUp(subscription: s1, position: 5) },
            written { $0.heartbeat(subscription: s1, position: 5) },
            written { $0.gap(subscription: s1, from: 2, to: 4, reason: .trimmed) },
            written { $0.ended(subscription: s1, reason: .trimmed, last: 4) },
            written { $0.closing(reason: .shutdown, graceMs: 500, head: 8) },
        ]
        for line in lines {
            let message = try JSONValue(parsing: line)
            let schema = try #require(
                published.first { $0["name"] == message["method"] }?["params"])
            #expect(checker.findings(try #require(message["params"]), schema) == [])
        }
        #expect(published.count == lines.count + 1)
    }

    @Test func `events fit the schema of an event`() throws {
        let checker = SchemaChecker(document: Self.document)
        let schema: JSONValue = ["$ref": "#/components/schemas/Event"]
        let transaction = try Sample.transaction(.purchased)
        let german = Session(account: "demo", country: try Sample.country())
        let events: [Event] = [
            .transaction(.purchased, transaction), .transaction(.removed(.finished), transaction),
            .sessionChanged(from: nil, to: german), .sessionChanged(from: german, to: nil),
        ]
        for event in events {
            let record = Record(
                sequence: 1, time: Sample.created, origin: Sample.origin, event: event)
            let text = written { $0.listedEvent(record, waitingFor: nil) }
            #expect(checker.findings(try JSONValue(parsing: text), schema) == [])
        }
    }

    @Test func `the limits in force are published`() {
        var limits = Limits()
        limits.depth = 9
        #expect(Discover.document(limits: limits)["x-limits"]?["depth"] == 9)
    }
}

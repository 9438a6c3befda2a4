import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct RestoreTests {
    @Test func `a restore waits for an observer, is shown meanwhile, and then ends`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let reply = try peer.ask(Ask.line(1, "restore", ["key": "k"]))["result"]
        let id = try #require(reply?["restore"])
        #expect(reply?["state"] == "running")
        #expect(reply?["waitingFor"] == "observer")
        #expect(reply?["duplicate"] == false)
        let status = try peer.ask(Ask.line(2, "status"))["result"]
        #expect(
            status?["restores"]
                == [["id": id, "state": "running", "waitingFor": "observer"]])
        let again = try peer.ask(Ask.line(3, "restore", ["key": "k"]))["result"]
        #expect(again?["restore"] == id)
        #expect(again?["duplicate"] == true)
        try peer.send(Ask.line(4, "wait", ["restore": id]))
        #expect(try peer.messages().isEmpty)
        try peer.send(Ask.line(5, "subscribe"))
        let ended = try peer.messages().first { $0.idNumber == 4 }?["result"]
        #expect(ended?["restore"] == ["id": id, "state": "completed", "count": 0])
        #expect(ended?["reached"] == true)
        let known = try peer.ask(Ask.line(6, "wait", ["restore": id]))["result"]
        #expect(known?["reached"] == true)
    }

    @Test func `restores have a limit of their own, which the refusal names`() throws {
        var limits = Limits()
        limits.unfinishedRestores = 2
        limits.unfinishedTransactions = 1
        let peer = try SteppedServer(limits: limits).connect()
        let known = try peer.ask(Ask.line(1, "hello"))["result"]?["limits"]
        #expect(known?["unfinishedRestores"] == 2)
        for (number, token) in ["a", "b"].enumerated() {
            let line = Ask.line(2 + number, "restore", ["appAccountToken": .string(token)])
            #expect(try peer.ask(line).errorCode == nil)
        }
        for line in [
            Ask.line(4, "restore", ["appAccountToken": "c"]),
            Ask.line(5, "check", ["method": "restore", "params": ["appAccountToken": "c"]]),
        ] {
            let reply = try peer.ask(line)
            #expect(reply.errorCode == -32013)
            let data = reply["error"]?["data"]
            #expect(data?["limit"] == "unfinishedRestores")
            #expect(data?["number"] == 2)
            #expect(data?["effect"] == "none")
        }
        #expect(try peer.ask(Ask.line(6, "add", ["product": "coins"])).errorCode == nil)
    }

    @Test func `a wait for a restore ends when its time is up`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let reply = try peer.ask(Ask.line(1, "restore"))
        let id = try #require(reply["result"]?["restore"])
        try peer.send(Ask.line(2, "wait", ["restore": id, "timeout": 1]))
        server.advance(seconds: 2)
        let waited = try peer.messages().first?["result"]
        #expect(waited?["reached"] == false)
        #expect(waited?["restore"]?["state"] == "running")
    }

    @Test func `a restore that never was is unknown by the name that was given`() throws {
        let peer = try SteppedServer().connect()
        for name in ["r-1", Samples.order(3).description] {
            let reply = try peer.ask(Ask.line(1, "wait", ["restore": .string(name)]))
            #expect(reply.errorCode == 1201)
            #expect(reply["error"]?["data"]?["restore"] == .string(name))
        }
    }

    @Test func `entitlements are those of an account in session`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        #expect(try peer.ask(Ask.line(1, "entitlements"))["result"] == ["entitlements": []])
        server.gateway.purchaseAnswers = .failing(.serviceUnavailable)
        #expect(try peer.ask(Ask.line(2, "entitlements")).errorCode == -32009)
        _ = try peer.ask(Ask.line(3, "logout"))
        #expect(try peer.ask(Ask.line(4, "entitlements")).errorCode == 1504)
    }

    @Test(arguments: ["", String(repeating: "x", count: 257)])
    func `an identifier that no product can have is refused`(name: String) throws {
        let peer = try SteppedServer().connect()
        let reply = try peer.ask(Ask.line(1, "products", ["ids": ["coins", .string(name)]]))
        #expect(reply.errorCode == 1109)
        let longest = JSONValue.string(String(repeating: "x", count: 256))
        let fine = try peer.ask(Ask.line(2, "products", ["ids": [longest]]))["result"]
        #expect(fine?["invalid"] == [longest])
    }
}

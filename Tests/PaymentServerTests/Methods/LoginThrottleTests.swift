import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct LoginThrottleTests {
    private static let wrong = Ask.line(
        1, "login", ["account": "nobody at all", "credential": "guess"])
    private static let right = Ask.line(2, "login", ["account": .string(Samples.anna.string)])

    @Test func `ten wrong logins in a minute are answered, then the user waits, and no other`()
        throws
    {
        let server = try SteppedServer(access: AccessPolicy(ownUser: 7))
        let anna = try server.connect(as: PeerCredentials(pid: 1, uid: 1000, gid: 1000))
        for _ in 1...10 { #expect(try anna.ask(Self.wrong).errorCode == 1501) }
        let refused = try anna.ask(Self.wrong)
        #expect(refused.errorCode == -32012)
        let data = refused["error"]?["data"]
        #expect(data?["kind"] == "tooManyAttempts")
        #expect(data?["retry"] == "later")
        #expect(data?["effect"] == "none")
        #expect(data?["retryAfterMs"] == 5000)
        let other = try server.connect(as: PeerCredentials(pid: 1, uid: 1000, gid: 1000))
        #expect(try other.ask(Self.right).errorCode == -32012, "the user, not the connection")
        let bert = try server.connect(as: PeerCredentials(pid: 1, uid: 1001, gid: 1001))
        #expect(try bert.ask(Self.wrong).errorCode == 1501)
        #expect(try bert.ask(Self.right)["result"] != nil)
        #expect(
            MetricsReport(core: server.core).text.contains("payqueued_throttled_logins_total 2\n"))
        server.advance(seconds: 5)
        #expect(try anna.ask(Self.right)["result"] != nil)
        #expect(try anna.ask(Self.wrong).errorCode == 1501)
        #expect(try anna.ask(Self.wrong)["error"]?["data"]?["retryAfterMs"] == 10_000)
    }
}

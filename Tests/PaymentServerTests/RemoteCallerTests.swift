import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

@Suite("Clients of other nodes")
struct RemoteCallerTests {
    private let caller = RemoteCaller(
        peer: PeerCredentials(pid: 17, uid: 1000, gid: 100), roles: [.observe, .buy],
        clientName: "a \"shop\"")

    @Test("The first line of a link says who the client is, and ends with a line feed")
    func line() {
        let line = caller.line
        #expect(line.last == UInt8(ascii: "\n"))
        #expect(!line.dropLast().contains(UInt8(ascii: "\n")))
        #expect(RemoteCaller(line: Array(line.dropLast())) == caller)
        let nameless = RemoteCaller(peer: caller.peer, roles: [])
        #expect(RemoteCaller(line: Array(nameless.line.dropLast())) == nameless)
    }

    @Test(
        "A first line that lacks something, or names a role that does not exist, names no client",
        arguments: [
            "", "[]", "{}", #"{"gid":1,"pid":1,"roles":[]}"#,
            #"{"gid":1,"pid":1,"roles":["king"],"uid":1}"#,
            #"{"gid":1,"pid":1,"roles":"admin","uid":1}"#,
            #"{"gid":1,"pid":1,"roles":[],"uid":-1}"#,
            #"{"gid":1,"pid":1,"roles":[],"uid":4294967296}"#,
        ])
    func wrong(_ text: String) {
        #expect(RemoteCaller(line: Array(text.utf8)) == nil)
    }

    @Test("Each line of the owner is known by its meaning, and a batch of one as its reply")
    func lines() {
        func meaning(_ text: String) -> String {
            switch ClientLink.Line(Array(text.utf8)) {
            case .reply(let number, _): "reply \(number)"
            case .waiting(let number): "waiting \(number)"
            case .committed(let position): "committed \(position)"
            case .turn(let turn, let remote): "turn \(turn.end.milliseconds) \(remote.jsonText())"
            case .refused(let error): "refused \(error.code)"
            case .other: "other"
            }
        }
        let id = "3333350e-e099-4b41-9024-eb139f5fbccb"
        let lines = [
            #"{"jsonrpc":"2.0","id":7,"result":{"committed":3}}"#: "reply 7",
            #"[{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"no"}}]"#: "reply 8",
            #"{"committed":9}"#: "committed 9", #"{"waiting":2}"#: "waiting 2",
            #"{"turn":"s1","question":"\#(id)","until":5}"#: #"turn 5 "s1""#,
            #"{"turn":"s1","question":"x","until":5}"#: "other",
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"many"}}"#:
                "refused -32005",
            #"{"jsonrpc":"2.0","method":"closing","params":{}}"#: "other", "nonsense": "other",
        ]
        for (line, expected) in lines { #expect(meaning(line) == expected, "\(line)") }
    }
}

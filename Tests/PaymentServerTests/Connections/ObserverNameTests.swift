import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct ObserverNameTests {
    private static func peer(_ uid: UInt32) -> PeerCredentials {
        PeerCredentials(pid: 1, uid: uid, gid: uid)
    }

    private static func server() throws -> SteppedServer {
        try SteppedServer(access: AccessPolicy(ownUser: 7))
    }

    private static let subscribe = Ask.line(1, "subscribe", ["name": "books"])

    @Test func `a name belongs to the user who used it first`() throws {
        let server = try Self.server()
        let anna = try server.connect(as: Self.peer(1000))
        try anna.send(Self.subscribe)
        #expect(try anna.messages().first?["result"] != nil)
        let bert = try server.connect(as: Self.peer(1001))
        let ack = Ask.line(2, "ack", ["name": "books", "seq": 1])
        let refused = try bert.ask(ack)
        #expect(refused.errorCode == -32007)
        #expect(refused["error"]?["data"]?["need"] == "admin")
        #expect(refused["error"]?["data"]?["name"] == "books")
        #expect(try bert.ask(Self.subscribe).errorCode == 1304, "it is in use")
        try anna.channel.close().wait()
        server.run()
        let taken = try bert.ask(Self.subscribe)
        #expect(taken.errorCode == 1304, "it is not in use")
        #expect(taken["error"]?["message"] == "The name belongs to another user")
        let list = try bert.ask(Ask.line(3, "observers"))["result"]?["observers"]?.arrayValue
        #expect(list?.map { $0["name"] } == ["books"])
        #expect(list?.first?["uid"] == 1000)
        #expect(list?.first?["connected"] == false)
        let root = try server.connect(as: Self.peer(0))
        #expect(try root.ask(ack)["result"]?["acked"] != nil)
        let again = try server.connect(as: Self.peer(1000))
        #expect(try again.ask(ack)["result"]?["acked"] != nil)
        try again.send(Self.subscribe)
        #expect(try again.messages().first?["result"] != nil)
    }

    @Test func `a name that is given up is free, and its subscription goes on without one`() throws
    {
        let server = try Self.server()
        let anna = try server.connect(as: Self.peer(1000))
        try anna.send(Self.subscribe)
        _ = try anna.messages()
        let forget = Ask.line(2, "ack", ["name": "books", "forget": true])
        let bert = try server.connect(as: Self.peer(1001))
        #expect(try bert.ask(forget).errorCode == -32007)
        let given = try anna.ask(forget)["result"]
        #expect(given?["forgotten"] == true)
        #expect(given?["acked"] != nil)
        #expect(try anna.ask(forget).errorCode == 1305)
        let list = try anna.ask(Ask.line(3, "observers"))["result"]?["observers"]?.arrayValue
        #expect(list?.count == 1)
        #expect(list?.first?["name"] == nil)
        #expect(list?.first?["connected"] == true)
        try bert.send(Self.subscribe)
        #expect(try bert.messages().first?["result"] != nil)
        #expect(server.journal.durable.contains { $0.event == .observerForgotten("books") })
        #expect(anna.connection.subscriptions.first?.request.name == nil)
    }

    @Test func `a name that is given up is not in the image of its connection any more`() throws {
        let server = try Self.server()
        let anna = try server.connect(as: Self.peer(1000))
        let memory = ImageMemory()
        anna.connection.handover = StoredHandover(store: NoStore(), name: "c", memory: memory)
        try anna.send(Self.subscribe)
        _ = try anna.messages()
        #expect(try #require(memory.image).subscriptions.map(\.request.name) == ["books"])
        let root = try server.connect(as: Self.peer(0))
        let forget = Ask.line(2, "ack", ["name": "books", "forget": true])
        #expect(try root.ask(forget)["result"]?["forgotten"] == true)
        #expect(try #require(memory.image).subscriptions.map(\.request.name) == [nil])
    }

    @Test func `an acknowledgement names a position or the end of the name, not both`() throws {
        let peer = try Self.server().connect(as: Self.peer(1000))
        func path(_ parameters: JSONValue) throws -> JSONValue? {
            let reply = try peer.ask(Ask.line(1, "ack", parameters))
            #expect(reply.errorCode == -32602)
            return reply["error"]?["data"]?["path"]
        }
        #expect(try path(["name": "books"]) == "/seq")
        #expect(try path(["name": "books", "forget": false]) == "/seq")
        #expect(try path(["name": "books", "seq": 1, "forget": true]) == "/forget")
    }

    @Test func `a name has 1 to 128 printable ASCII characters`() throws {
        let peer = try Self.server().connect(as: Self.peer(1000))
        func code(_ name: String) throws -> Int64? {
            try peer.send(Ask.line(1, "subscribe", ["name": .string(name)]))
            return try peer.messages().first?.errorCode
        }
        for name in ["", "a\nb", "b\u{7F}", "bücher", "\u{202E}x", "\u{0}"] {
            #expect(try code(name) == -32602, "\(name.debugDescription)")
        }
        let longest = String(repeating: "a", count: 128)
        #expect(try code(longest + "a") == -32602)
        for name in [longest, " ", "~!books #1"] { #expect(try code(name) == nil) }
    }
}

/// Keeps the image of one connection.
private final class ImageMemory: KeptMemory {
    private var head: [UInt8] = []
    private var rest: [UInt8] = []
    private var isWhole = true

    var content: [UInt8]? { isWhole ? head + rest : nil }
    var image: ConnectionImage? { content.flatMap { ConnectionImage($0) } }

    func beginChange() { isWhole = false }

    func settle(head: [UInt8], rest: [UInt8]?) -> Bool {
        self.head = head
        if let rest { self.rest = rest }
        isWhole = true
        return true
    }
}

/// Has no room for other connections.
private struct NoStore: ConnectionStore {
    let keepsAhead = true
    func keep(descriptor: Int32, name: String) -> (any KeptMemory)? { nil }
    func drop(name: String) {}
    func takeLeft() -> [KeptConnection] { [] }
}

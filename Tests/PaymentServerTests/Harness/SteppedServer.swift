import JSONRPC
import NIOCore
import NIOEmbedded
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import SandboxControl
import StrictJSON
import Testing

@testable import PaymentServer

/// A server whose loops run only when a test says so: no thread, no socket, no waiting.
///
/// The sockets have one loop and the engine another, both on the test's thread. A turn therefore
/// ends when the test runs the engine and not a moment before.
final class SteppedServer {
    let engineLoop = ManualLoop()
    let socketLoop = EmbeddedEventLoop()
    let journal: RecordingJournal
    let gateway: ScriptedGateway
    let engine: PaymentEngine
    let core: ServerCore
    private let failures = FailureCount()

    /// Starts a server with an account in session and nothing in its queue.
    init(
        limits: Limits = Limits(), access: AccessPolicy = AccessPolicy(ownUser: 1000),
        journal: RecordingJournal = RecordingJournal(),
        testControl: (any StoreTestControl)? = nil, daemon: (any DaemonControl)? = nil
    ) throws {
        self.journal = journal
        gateway = ScriptedGateway(loop: engineLoop, isAnswering: true)
        let failures = failures
        engine = PaymentEngine(
            queue: PaymentQueue(limits: limits), journal: journal, store: .remote(gateway),
            loop: engineLoop, sources: Samples.sources(seed: 1), defaultCountry: Samples.germany,
            log: Samples.log, onFailure: { _ in failures.count += 1 })
        core = ServerCore(
            engine: engine, limits: limits, access: access, facts: .samples,
            testControl: testControl, daemon: daemon, log: Samples.log, loop: socketLoop)
        engine.store.catalogues.load(Samples.germany)
        engine.start()
        engine.store.sessions.logIn(account: Samples.anna, credential: nil, origin: nil) { _ in }
        run()
    }

    /// How often the journal failed.
    var failureCount: Int { failures.count }

    /// Takes a peer in; traps where a limit refuses it.
    func connect(
        as peer: PeerCredentials = PeerCredentials(pid: 1, uid: 1000, gid: 1000)
    ) throws -> SteppedPeer {
        let connection = try core.accept(peer).get()
        let channel = EmbeddedChannel(handler: connection, loop: socketLoop)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/stepped")).wait()
        return SteppedPeer(channel, connection, self)
    }

    /// Runs both loops until nothing is ready.
    func run() {
        repeat {
            socketLoop.run()
            engineLoop.runUntilIdle()
            socketLoop.run()
        } while engineLoop.readyCount > 0
    }

    /// Moves the clocks of both loops on, in steps of a quarter of a second.
    func advance(seconds: Int) {
        for _ in 0..<(seconds * 4) {
            socketLoop.advanceTime(by: .milliseconds(250))
            engineLoop.advance(by: .milliseconds(250))
            run()
        }
    }
}

extension SteppedServer {
    /// Lets the slices of all connections wait while time passes, as they do behind the work of others.
    ///
    /// - Parameters:
    ///   - seconds: How long they wait.
    ///   - meanwhile: Done as soon as they wait.
    func delay(by seconds: Int64, _ meanwhile: @escaping () throws -> Void) {
        core.admission.offer(
            Occupation { [socketLoop] in
                #expect(throws: Never.self) { try meanwhile() }
                socketLoop.advanceTime(by: .seconds(seconds))
            })
        run()
    }

    private final class Occupation: SlicedWork {
        let user: UInt32 = 0
        private let work: () -> Void

        init(_ work: @escaping () -> Void) {
            self.work = work
        }

        func runSlice(until end: NIODeadline) {
            work()
        }
    }
}

/// Counts how often the journal failed.
///
/// Proof: touched on the test's thread only.
private final class FailureCount: @unchecked Sendable {
    var count = 0
}

/// The other end of a connection of a ``SteppedServer``.
final class SteppedPeer {
    let channel: EmbeddedChannel
    let connection: Connection
    private let server: SteppedServer
    private var received: [UInt8] = []

    init(_ channel: EmbeddedChannel, _ connection: Connection, _ server: SteppedServer) {
        self.channel = channel
        self.connection = connection
        self.server = server
    }

    /// Lets bytes arrive in one piece; no loop runs.
    func write(_ bytes: some Sequence<UInt8>) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Lets a line arrive and runs the loops.
    func send(_ line: String) throws {
        try write(Array((line + "\n").utf8))
        server.run()
    }

    /// Ends the input, as `shutdown` does; no loop runs.
    func endInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// Whether the server has closed the connection.
    var isClosed: Bool { !channel.isActive }

    /// What has come since the last look.
    func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    /// The lines that have come since the last look, without their line feeds.
    func lines() throws -> [String] {
        received += try bytes()
        guard let end = received.lastIndex(of: 0x0A) else { return [] }
        let whole = received[..<end]
        received.removeSubrange(...end)
        return whole.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The lines that have come since the last look, as values.
    func messages() throws -> [JSONValue] {
        try lines().map { try JSONValue(parsing: $0) }
    }

    /// Sends a line and gives the only line back that comes for it.
    func ask(_ line: String) throws -> JSONValue {
        try send(line)
        let messages = try messages()
        guard messages.count == 1 else { throw Unexpected("\(messages.count) lines: \(messages)") }
        return messages[0]
    }
}

/// Something came that a test has no use for, or nothing came.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ServerFacts {
    /// A daemon that has just started.
    static let samples = ServerFacts(
        startedAt: Samples.noon, isVolatile: true, logBytes: { 0 })
}

/// Requests as lines.
enum Ask {
    /// A request without a line feed.
    static func line(_ id: String, _ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    /// A request by number.
    static func line(_ id: Int, _ method: String, _ params: JSONValue = [:]) -> String {
        line("\(id)", method, params.jsonText())
    }

    /// A request that is not answered.
    static func notification(_ method: String, _ params: JSONValue = [:]) -> String {
        #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params.jsonText())}"#
    }
}

extension JSONValue {
    /// The code of an error reply.
    var errorCode: Int64? { self["error"]?["code"]?.intValue }
    /// The word in the data of an error reply.
    var errorKind: String? { self["error"]?["data"]?["kind"]?.stringValue }
    /// The number that a request was sent with.
    var idNumber: Int? { self["id"]?.intValue.map { Int($0) } }
    /// The parameters of a notification of this name.
    func params(of method: String) -> JSONValue? {
        self["method"]?.stringValue == method ? self["params"] : nil
    }
}

import NIOCore
import NIOHTTP1
import NIOPosix
import StrictJSON
import Synchronization
import Testing
import Tracing

@testable import Telemetry

@Suite struct ExporterTests {
    @Test func `what there is no room for is dropped and counted, and nothing waits`() async throws
    {
        let outcomes = Outcomes()
        var pace = OTLPExporter.Pace()
        pace.room = 3
        pace.interval = .hours(1)
        let exporter = try Self.exporter(port: 9, pace, outcomes)
        let tracer = OTLPTracer { exporter.take($0) }
        for _ in 0..<5 { tracer.startSpan("a", context: .topLevel).end() }
        #expect(outcomes.dropped == 2)
        await exporter.close(within: .milliseconds(1))
        #expect(outcomes.dropped == 5)
        tracer.startSpan("late", context: .topLevel).end()
        #expect(outcomes.dropped == 6)
        #expect(outcomes.sent == 0)
    }

    @Test func `a collector that is busy gets the same spans again, then the rest`() async throws {
        let collector = try await Collector(answers: [.serviceUnavailable, .tooManyRequests])
        let outcomes = Outcomes()
        var pace = OTLPExporter.Pace()
        pace.batch = 2
        pace.interval = .milliseconds(1)
        pace.firstRetry = .milliseconds(1)
        let exporter = try Self.exporter(port: collector.port, pace, outcomes)
        let tracer = OTLPTracer { exporter.take($0) }
        for name in ["a", "b", "c"] { tracer.startSpan(name, context: .topLevel).end() }
        await outcomes.wait { $0.sent == 3 }
        #expect(collector.taken == ["a", "b", "c"])
        #expect(outcomes.dropped == 0)
        #expect(outcomes.words == ["away: it answers with status 503", "back"])
        try await collector.close()
    }

    @Test func `what a collector refuses is not sent again`() async throws {
        let collector = try await Collector(answers: [.badRequest])
        let outcomes = Outcomes()
        var pace = OTLPExporter.Pace()
        pace.batch = 1
        pace.interval = .milliseconds(1)
        let exporter = try Self.exporter(port: collector.port, pace, outcomes)
        let tracer = OTLPTracer { exporter.take($0) }
        for name in ["a", "b"] { tracer.startSpan(name, context: .topLevel).end() }
        await outcomes.wait { $0.sent == 1 }
        #expect(collector.taken == ["b"])
        #expect(outcomes.dropped == 1)
        #expect(outcomes.words == [])
        try await collector.close()
    }

    @Test func `closing sends what waits`() async throws {
        let collector = try await Collector(answers: [])
        let outcomes = Outcomes()
        var pace = OTLPExporter.Pace()
        pace.batch = 2
        pace.interval = .hours(1)
        let exporter = try Self.exporter(port: collector.port, pace, outcomes)
        let tracer = OTLPTracer { exporter.take($0) }
        for name in ["a", "b", "c"] { tracer.startSpan(name, context: .topLevel).end() }
        await exporter.close(within: .seconds(60))
        #expect(collector.taken == ["a", "b", "c"])
        #expect(outcomes.sent == 3)
        try await collector.close()
    }

    @Test func `a child is of its parent's trace, and one that is not sampled is not exported`() {
        let spans = Mutex<[FinishedSpan]>([])
        let tracer = OTLPTracer { span in spans.withLock { $0.append(span) } }
        var context = InstrumentationContext.topLevel
        tracer.extract(
            ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
            into: &context, using: Headers())
        let outer = tracer.startSpan("outer", context: context, ofKind: .server)
        let inner = tracer.startSpan("inner", context: outer.context)
        inner.end()
        outer.end()
        outer.end()
        context.traceContext = TraceContext(
            traceHigh: 1, traceLow: 2, spanID: 3, isSampled: false)
        tracer.startSpan("unheard", context: context).end()
        let found = spans.withLock { $0 }
        #expect(found.map(\.name) == ["inner", "outer"])
        #expect(found.allSatisfy { $0.own.traceID == "0af7651916cd43dd8448eb211c80319c" })
        #expect(found[0].parent == found[1].own)
        #expect(found[1].parent?.spanID == 0xB7AD_6B71_6920_3331)
        var carrier: [String: String] = [:]
        tracer.inject(inner.context, into: &carrier, using: Headers())
        #expect(carrier["traceparent"] == found[0].own.traceparent)
    }

    private static func exporter(
        port: Int, _ pace: OTLPExporter.Pace, _ outcomes: Outcomes
    ) throws -> OTLPExporter {
        OTLPExporter(
            to: try #require(OTLPEndpoint("http://127.0.0.1:\(port)")),
            resource: [("service.name", "test")],
            on: MultiThreadedEventLoopGroup.singleton.next(), pace: pace
        ) { outcomes.note($0) }
    }
}

/// A carrier as requests have it.
private struct Headers: Extractor, Injector {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }
}

/// What became of spans.
private final class Outcomes: Sendable {
    private struct State {
        var sent = 0
        var dropped = 0
        var words: [String] = []
        var waiting: (@Sendable (Outcomes) -> Bool, CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var sent: Int { state.withLock { $0.sent } }
    var dropped: Int { state.withLock { $0.dropped } }
    var words: [String] { state.withLock { $0.words } }

    func note(_ outcome: OTLPExporter.Outcome) {
        let waiting = state.withLock { state in
            switch outcome {
            case .sent(let count): state.sent += count
            case .dropped(let count): state.dropped += count
            case .away(let reason): state.words.append("away: \(reason)")
            case .back: state.words.append("back")
            }
            return state.waiting
        }
        guard let waiting, waiting.0(self) else { return }
        state.withLock { $0.waiting = nil }
        waiting.1.resume()
    }

    func wait(until isThere: @escaping @Sendable (Outcomes) -> Bool) async {
        await withCheckedContinuation { done in
            state.withLock { $0.waiting = (isThere, done) }
            guard isThere(self) else { return }
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.1.resume()
        }
    }
}

/// A server that answers with some statuses first, then takes everything.
private final class Collector: Sendable {
    private struct State {
        var answers: [HTTPResponseStatus]
        var taken: [String] = []
    }

    private let state: Mutex<State>
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// The names of the spans that were taken, in the order in which they came.
    var taken: [String] { state.withLock { $0.taken } }
    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    init(answers: [HTTPResponseStatus]) async throws {
        state = Mutex(State(answers: answers))
        let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.configureHTTPServerPipeline()
                    try operations.addHandler(Handler { self.answer($0) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        channel.withLock { $0 = bound }
    }

    func close() async throws {
        try await channel.withLock { $0 }?.close().get()
    }

    private func answer(_ body: [UInt8]) -> HTTPResponseStatus {
        let spans = (try? JSONValue(parsing: body))?["resourceSpans"]?[0]?["scopeSpans"]?[0]?[
            "spans"]
        let names = (spans?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
        return state.withLock { state in
            guard state.answers.isEmpty else { return state.answers.removeFirst() }
            state.taken += names
            return .ok
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: ([UInt8]) -> HTTPResponseStatus
        private var body: [UInt8] = []

        init(answer: @escaping ([UInt8]) -> HTTPResponseStatus) {
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: body = []
            case .body(let part): body += part.readableBytesView
            case .end:
                var head = HTTPResponseHead(version: .http1_1, status: answer(body))
                head.headers.add(name: "content-length", value: "0")
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}

internal import Synchronization
public import Tracing

/// Makes spans and hands each to an exporter when it ends.
public struct OTLPTracer: Tracer {
    private static let traceparent = "traceparent"

    private let export: @Sendable (FinishedSpan) -> Void

    /// Makes a tracer.
    ///
    /// - Parameter export: Takes a span that has ended. Called on the thread that ended it.
    public init(export: @escaping @Sendable (FinishedSpan) -> Void) {
        self.export = export
    }

    /// Begins a span below the one of the context, or at the top of a new trace.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant,
        function: String, file fileID: String, line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceContext
        let own =
            context.wantedSpan
            ?? TraceContext(
                traceHigh: parent?.traceHigh ?? .random(in: 0...(.max)),
                traceLow: parent?.traceLow ?? .random(in: 0...(.max)),
                spanID: .random(in: 1...(.max)), isSampled: parent?.isSampled ?? true)
        context.wantedSpan = nil
        context.traceContext = own
        return OTLPSpan(
            name: operationName, kind: kind, context: context, own: own, parent: parent,
            start: instant().nanosecondsSinceEpoch, export: export)
    }

    /// Does nothing: the exporter sends what there is by itself.
    public func forceFlush() {}

    /// Takes the `traceparent` of a carrier into a context, if it has one that can be read.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: Self.traceparent, from: carrier) else { return }
        context.traceContext = TraceContext(traceparent: text) ?? context.traceContext
    }

    /// Writes the context's span into a carrier as its `traceparent`.
    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.traceContext else { return }
        injector.inject(span.traceparent, forKey: Self.traceparent, into: &carrier)
    }
}

/// A span that has begun. What changes after its end is lost.
public final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        var status: SpanStatus?
        var isEnded = false
    }

    /// The context with this span in it.
    public let context: InstrumentationContext

    private let own: TraceContext
    private let parent: TraceContext?
    private let kind: SpanKind
    private let start: UInt64
    private let export: @Sendable (FinishedSpan) -> Void
    private let state: Mutex<State>

    init(
        name: String, kind: SpanKind, context: InstrumentationContext, own: TraceContext,
        parent: TraceContext?, start: UInt64, export: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        self.context = context
        self.own = own
        self.parent = parent
        self.kind = kind
        self.start = start
        self.export = export
        state = Mutex(State(name: name))
    }

    /// The subject of the span.
    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The known facts about it.
    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    /// Whether it has not ended.
    public var isRecording: Bool { state.withLock { !$0.isEnded } }

    /// Says how it ended.
    public func setStatus(_ status: SpanStatus) {
        state.withLock { $0.status = status }
    }

    /// Adds something that happened at one moment.
    public func addEvent(_ event: SpanEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Adds an error as an event.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Names a span of another trace that has to do with this one.
    public func addLink(_ link: SpanLink) {
        state.withLock { $0.links.append(link) }
    }

    /// Ends it; a second end counts for nothing.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let state = state.withLock { state in
            defer { state.isEnded = true }
            return state
        }
        guard !state.isEnded, own.isSampled else { return }
        export(
            FinishedSpan(
                name: state.name, kind: kind, own: own, parent: parent, start: start,
                end: instant().nanosecondsSinceEpoch, attributes: state.attributes,
                events: state.events, links: state.links, status: state.status))
    }
}

/// A span that has ended.
public struct FinishedSpan: Sendable {
    let name: String
    let kind: SpanKind
    let own: TraceContext
    let parent: TraceContext?
    /// Nanoseconds of Unix time.
    let start: UInt64
    /// Nanoseconds of Unix time.
    let end: UInt64
    let attributes: SpanAttributes
    let events: [SpanEvent]
    let links: [SpanLink]
    let status: SpanStatus?
}

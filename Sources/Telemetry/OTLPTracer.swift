internal import Synchronization
public import Tracing

/// A tracer that passes each finished span to an exporter.
public struct OTLPTracer: Tracer {
    private static let traceparent = "traceparent"

    private let export: @Sendable (FinishedSpan) -> Void

    /// Creates a tracer.
    ///
    /// - Parameter export: Receives each finished span, on the thread that ended it.
    public init(export: @escaping @Sendable (FinishedSpan) -> Void) {
        self.export = export
    }

    /// Starts a span as a child of the context's span, or as the root of a new trace.
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

    /// Does nothing, because the exporter sends queued spans on its own.
    public func forceFlush() {}

    /// Reads the `traceparent` of a carrier into a context. An absent or invalid value leaves the
    /// context unchanged.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: Self.traceparent, from: carrier) else { return }
        context.traceContext = TraceContext(traceparent: text) ?? context.traceContext
    }

    /// Writes the span of the context into a carrier, as `traceparent`.
    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.traceContext else { return }
        injector.inject(span.traceparent, forKey: Self.traceparent, into: &carrier)
    }
}

/// A started span. Changes after its end are lost.
public final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        var status: SpanStatus?
        var isEnded = false
    }

    /// The context that contains this span.
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

    /// The name of the operation.
    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The attributes of the span.
    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    /// True until the span ends.
    public var isRecording: Bool { state.withLock { !$0.isEnded } }

    /// Sets the status of the span.
    public func setStatus(_ status: SpanStatus) {
        state.withLock { $0.status = status }
    }

    /// Adds an event with its time.
    public func addEvent(_ event: SpanEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Adds an error as an `exception` event.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Links a related span, possibly of another trace.
    public func addLink(_ link: SpanLink) {
        state.withLock { $0.links.append(link) }
    }

    /// Ends the span and exports it if it is sampled. Repeated calls have no effect.
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

/// An ended span.
public struct FinishedSpan: Sendable {
    let name: String
    let kind: SpanKind
    let own: TraceContext
    let parent: TraceContext?
    /// The start, in nanoseconds of Unix time.
    let start: UInt64
    /// The end, in nanoseconds of Unix time.
    let end: UInt64
    let attributes: SpanAttributes
    let events: [SpanEvent]
    let links: [SpanLink]
    let status: SpanStatus?
}

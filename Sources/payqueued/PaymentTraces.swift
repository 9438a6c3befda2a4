import PaymentCore
import Telemetry
import Tracing

/// Creates a trace of each transaction from its records. One span lasts from the first record to
/// the removal; its parent is the span that the client named in `trace`. Child spans show each
/// condition that the transaction waited for.
///
/// The spans come from durable records, so only facts are traced. The identifiers of a span are
/// derived from the transaction. After a restart, the kept log shows the trace of a transaction and
/// the condition that it waits for, so the trace continues. Spans never contain the product or a
/// token.
///
/// It runs on the engine's loop.
final class PaymentTraces {
    /// The maximum number of transactions with a trace; more transactions get no trace.
    private static let room = 100_000
    /// The number of records per read of the kept log.
    private static let page = 1024

    /// A transaction that has not been removed.
    private struct Open {
        /// The span of the client; nil if the client named none.
        let parent: TraceContext?
        let own: TraceContext
        var phase: Phase?
        var since: Timestamp
        /// The span of the client that finished it; nil if that client named none.
        var finish: TraceContext?
    }

    /// The condition that a transaction waits for.
    private enum Phase: String {
        case waiting
        case gate
        case store
        case approval
        case delivery
        case completion
    }

    private let tracer: OTLPTracer?
    private var followed: [TransactionID: Open] = [:]

    /// Creates the traces.
    ///
    /// - Parameter tracer: Receives the spans; nil if traces are not collected. The traces that
    ///   clients name are then still known, for the measurements.
    init(tracer: OTLPTracer?) {
        self.tracer = tracer
    }

    /// The trace of a transaction, if a client named one or spans are exported.
    func trace(of transaction: TransactionID) -> TraceContext? {
        guard let open = followed[transaction] else { return nil }
        return tracer == nil ? open.parent : open.own
    }

    /// Reads the kept log, so that traces of unfinished transactions continue. If the first records
    /// of a transaction are no longer kept, it gets a trace of its own.
    func catchUp(with journal: any RecordLog) throws(JournalFailure) {
        guard tracer != nil else { return }
        var position = journal.oldest - min(journal.oldest, 1)
        while true {
            let page: RecordPage
            do throws(JournalFailure) {
                page = try journal.page(after: position, count: Self.page)
            } catch {
                // Traces of transactions with unreadable records begin later.
                guard let gap = error.unreadable else { throw error }
                position = gap.upperBound
                continue
            }
            guard page.position > position else { return }
            for record in page.records { follow(record, makesSpans: false) }
            position = page.position
        }
    }

    /// Processes durable records.
    func take(_ records: [Record]) {
        for record in records { follow(record, makesSpans: tracer != nil) }
    }

    private func follow(_ record: Record, makesSpans: Bool) {
        guard case .transaction(let change, let transaction) = record.event,
            tracer != nil || !followed.isEmpty || record.origin?.trace != nil,
            var open = followed[transaction.id] ?? begin(transaction, change, record)
        else { return }
        let caller = record.origin?.trace.flatMap { TraceContext(traceparent: $0.string) }
        let phase = Self.phase(of: transaction.state, after: change)
        if phase != open.phase {
            if makesSpans { end(open, at: record.time) }
            open.phase = phase
            open.since = record.time
        }
        switch change {
        case .completing:
            open.finish = caller
            followed[transaction.id] = open
        case .removed(let reason):
            open.finish = open.finish ?? caller
            followed[transaction.id] = nil
            if makesSpans { end(transaction, open, reason, at: record.time) }
        default:
            followed[transaction.id] = open
        }
    }

    /// Begins to follow a transaction, if there is room, and spans are exported or the client named
    /// a trace.
    private func begin(
        _ transaction: Transaction, _ change: TransactionChange, _ record: Record
    ) -> Open? {
        guard followed.count < Self.room else { return nil }
        var parent: TraceContext?
        if case .added = change, let text = record.origin?.trace {
            parent = TraceContext(traceparent: text.string)
        }
        guard tracer != nil || parent != nil else { return nil }
        let id = transaction.id.value
        let own = TraceContext(
            traceHigh: parent?.traceHigh ?? id.high, traceLow: parent?.traceLow ?? id.low,
            spanID: id.high ^ id.low, isSampled: parent?.isSampled ?? true)
        return Open(parent: parent, own: own, phase: nil, since: record.time)
    }

    /// Ends the span of the condition that a transaction waited for.
    private func end(_ open: Open, at time: Timestamp) {
        guard let tracer, let phase = open.phase else { return }
        var context = InstrumentationContext.topLevel
        context.traceContext = open.own
        let kind: SpanKind = phase == .store || phase == .completion ? .client : .internal
        let span = tracer.startSpan(
            "payment \(phase.rawValue)", context: context, ofKind: kind, at: Instant(open.since))
        span.end(at: Instant(time))
    }

    /// Ends the span of a transaction.
    private func end(
        _ transaction: Transaction, _ open: Open, _ reason: RemovalReason, at time: Timestamp
    ) {
        guard let tracer else { return }
        var context = InstrumentationContext.topLevel
        context.traceContext = open.parent
        context.wantedSpan = open.own
        let span = tracer.startSpan(
            "payment", context: context, ofKind: .server, at: Instant(transaction.createdAt))
        span.attributes["payqueued.transaction"] = "\(transaction.id)"
        span.attributes["payqueued.reason"] = transaction.reason.rawValue
        span.attributes["payqueued.state"] = transaction.state.phase.rawValue
        span.attributes["payqueued.removal"] = reason.rawValue
        if case .failed(let failure) = transaction.state {
            let reason = failure.reason ?? failure.kind.rawValue
            span.setStatus(SpanStatus(code: .error, message: reason))
        }
        if let finish = open.finish, finish != open.parent {
            var other = InstrumentationContext.topLevel
            other.traceContext = finish
            span.addLink(SpanLink(context: other, attributes: ["payqueued.call": "finish"]))
        }
        span.end(at: Instant(time))
    }

    private static func phase(
        of state: TransactionState, after change: TransactionChange
    ) -> Phase? {
        if case .removed = change { return nil }
        return switch state {
        case .waiting: .waiting
        case .gated: .gate
        case .submitted: .store
        case .deferred: .approval
        case .purchased, .restored, .failed: .delivery
        case .completing: .completion
        }
    }
}

/// A time in the format of the tracing library.
private struct Instant: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    init(_ time: Timestamp) {
        nanosecondsSinceEpoch = UInt64(max(0, time.milliseconds)) * 1_000_000
    }

    static func < (left: Instant, right: Instant) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}

public import NIOCore
internal import Synchronization

/// An exporter that sends spans to a collector in batches, from its own event loop.
///
/// Accepting a span never blocks: unsent spans are in a queue, and spans beyond its limit are
/// dropped and counted. Requests to an unavailable collector are retried with backoff.
public final class OTLPExporter: Sendable {
    /// The outcomes that the exporter reports.
    public enum Outcome: Sendable {
        /// The collector accepted this number of spans.
        case sent(Int)
        /// This number of spans was dropped, because the queue was full or the collector refused
        /// them.
        case dropped(Int)
        /// The collector is unreachable or unavailable; the value is the cause. It is reported once
        /// per outage.
        case away(String)
        /// The collector accepts spans again.
        case back
    }

    /// The limits and intervals of the exporter.
    struct Pace {
        /// Most spans in the queue.
        var room = 4096
        /// Most spans in a request.
        var batch = 512
        /// The interval between requests.
        var interval = TimeAmount.seconds(1)
        /// The first backoff after a failure; it doubles up to `longestRetry`.
        var firstRetry = TimeAmount.seconds(1)
        var longestRetry = TimeAmount.seconds(30)
        /// The time limit of a request.
        var patience = TimeAmount.seconds(10)
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var isScheduled = false
        var isClosed = false
        var retry: TimeAmount?
        /// Completes when the request in flight has succeeded or failed.
        var request: EventLoopFuture<Void>?
    }

    private let endpoint: OTLPEndpoint
    private let resource: [(name: String, value: String)]
    private let loop: any EventLoop
    private let pace: Pace
    private let report: @Sendable (Outcome) -> Void
    private let state = Mutex(State())

    /// Creates an exporter with an empty queue.
    ///
    /// - Parameters:
    ///   - endpoint: The address of the collector.
    ///   - resource: The attributes of the sender, such as `service.name`.
    ///   - loop: The event loop of the requests.
    ///   - report: Receives the outcomes, on the loop or on the thread that ended a span.
    public convenience init(
        to endpoint: OTLPEndpoint, resource: [(name: String, value: String)],
        on loop: any EventLoop, report: @escaping @Sendable (Outcome) -> Void
    ) {
        self.init(to: endpoint, resource: resource, on: loop, pace: Pace(), report: report)
    }

    init(
        to endpoint: OTLPEndpoint, resource: [(name: String, value: String)],
        on loop: any EventLoop, pace: Pace, report: @escaping @Sendable (Outcome) -> Void
    ) {
        self.endpoint = endpoint
        self.resource = resource
        self.loop = loop
        self.pace = pace
        self.report = report
    }

    /// Queues a span without blocking; drops it if the queue is full.
    public func take(_ span: FinishedSpan) {
        let (isTaken, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.waiting.count < pace.room else { return (false, false) }
            state.waiting.append(span)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        if !isTaken { report(.dropped(1)) }
        if isFirst { loop.execute { [self] in schedule(in: pace.interval) } }
    }

    /// Sends the queued spans once and accepts no more. Returns when all are sent, when a request
    /// fails, or after the time limit.
    public func close(within patience: TimeAmount) async {
        let end = NIODeadline.now() + patience
        let (rest, request) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.waiting, state.request)
        }
        if let request {
            let ended = loop.makePromise(of: Void.self)
            let timer = loop.scheduleTask(deadline: end) { ended.succeed() }
            request.whenComplete { _ in ended.succeed() }
            try? await ended.futureResult.get()
            timer.cancel()
        }
        var sent = 0
        while sent < rest.count {
            let batch = Array(rest[sent...].prefix(pace.batch))
            let left = min(pace.patience, end - NIODeadline.now())
            guard left > .zero, case .taken? = try? await post(batch, within: left).get() else {
                return report(.dropped(rest.count - sent))
            }
            sent += batch.count
            report(.sent(batch.count))
        }
    }

    private func schedule(in delay: TimeAmount) {
        loop.scheduleTask(in: delay) { [self] in send() }
    }

    private func send() {
        let batch = state.withLock { state -> [FinishedSpan] in
            let batch = Array(state.waiting.prefix(pace.batch))
            state.waiting.removeFirst(batch.count)
            if batch.isEmpty { state.isScheduled = false }
            return batch
        }
        guard !batch.isEmpty else { return }
        let answer = post(batch, within: pace.patience)
        state.withLock { $0.request = answer.map { _ in } }
        answer.whenComplete { [self] result in
            state.withLock { $0.request = nil }
            switch result {
            case .success(.taken): succeed(batch.count)
            case .success(.refused):
                report(.dropped(batch.count))
                schedule(in: .zero)
            case .success(.busy(let status)): putBack(batch, "it answers with status \(status)")
            case .failure(let error): putBack(batch, "\(error)")
            }
        }
    }

    private func post(
        _ batch: [FinishedSpan], within patience: TimeAmount
    ) -> EventLoopFuture<HTTPPost.Answer> {
        HTTPPost(endpoint: endpoint, body: OTLPRequest(resource: resource, spans: batch).bytes)
            .run(on: loop, within: patience)
    }

    private func succeed(_ count: Int) {
        let wasAway = state.withLock { state in
            defer { state.retry = nil }
            return state.retry != nil
        }
        if wasAway { report(.back) }
        report(.sent(count))
        let isMore = state.withLock { $0.waiting.count >= pace.batch }
        schedule(in: isMore ? .zero : pace.interval)
    }

    /// Returns the spans of a failed request to the front of the queue. Those beyond its limit are
    /// dropped, oldest first.
    private func putBack(_ batch: [FinishedSpan], _ reason: String) {
        let (dropped, wait, isNew) = state.withLock { state -> (Int, TimeAmount, Bool) in
            let kept = state.isClosed ? 0 : min(batch.count, pace.room - state.waiting.count)
            state.waiting.insert(contentsOf: batch.suffix(kept), at: 0)
            let wait = state.retry.map { min($0 * 2, pace.longestRetry) } ?? pace.firstRetry
            defer { state.retry = wait }
            return (batch.count - kept, wait, state.retry == nil)
        }
        if isNew { report(.away(reason)) }
        if dropped > 0 { report(.dropped(dropped)) }
        schedule(in: wait)
    }
}

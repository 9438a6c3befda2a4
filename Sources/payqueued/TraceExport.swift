import CoreMetrics
import Logging
import NIOCore
import NIOPosix
import Observability
import PaymentAPI
import PaymentCore
import PaymentEngine
import Telemetry

/// Sends spans to the configured collector, and counts and logs the results.
struct TraceExport: Sendable {
    /// Creates the spans.
    let tracer: OTLPTracer
    private let exporter: OTLPExporter

    /// The maximum time that a stop waits for the collector.
    private static let patience = TimeAmount.seconds(2)

    init(to endpoint: OTLPEndpoint, metrics: any MetricsFactory, log: Logger) {
        // A separate thread, so that the export does not delay payments.
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let sent = metrics.makeCounter(label: "trace_spans_sent", dimensions: [])
        let dropped = metrics.makeCounter(label: "trace_spans_dropped", dimensions: [])
        exporter = OTLPExporter(
            to: endpoint,
            resource: [("service.name", Version.server), ("service.version", Version.current)],
            on: loop
        ) { outcome in
            switch outcome {
            case .sent(let count): sent.increment(by: Int64(count))
            case .dropped(let count): dropped.increment(by: Int64(count))
            case .away(let reason):
                log.warning(
                    "the trace collector does not accept spans; they are kept while there is room",
                    metadata: ["collector": "\(endpoint)", "reason": "\(reason)"])
            case .back:
                log.notice(
                    "the trace collector accepts spans again",
                    metadata: ["collector": "\(endpoint)"])
            }
        }
        tracer = OTLPTracer { [exporter] in exporter.take($0) }
    }

    /// Sends the remaining spans before the process ends.
    func close() async {
        await exporter.close(within: Self.patience)
    }
}

extension MetricsRegistry {
    /// Shows a trace with the bucket of a measured value, if the value has one.
    func note(_ measure: EngineMeter.Measure, _ duration: Duration, in trace: TraceContext?) {
        guard let trace else { return }
        noteExemplar(
            label: measure.rawValue, nanoseconds: duration.wholeNanoseconds,
            traceID: trace.traceID)
    }
}

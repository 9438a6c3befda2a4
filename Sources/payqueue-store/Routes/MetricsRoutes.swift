import HTTPTypes
import Hummingbird
import NIOCore
import OpenMetrics
import PaymentCore
import PaymentSandbox
import SandboxControl

/// The route of the counters, as OpenMetrics text without accounts, orders or products.
struct MetricsRoutes {
    private static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    let services: StoreServices

    func add(to router: Router<StoreContext>) {
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: Self.mediaType, .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: text(await services.sandbox.counts()))))
        }
    }

    private func text(_ orders: [StoreOrder.State: Int]) -> String {
        var text = OpenMetricsText(prefix: "payqueue_store_")
        text.gauge(
            "orders", "Orders that the store knows, by state.", by: "state",
            StoreOrder.State.allCases.map { ($0.rawValue, orders[$0] ?? 0) })
        text.gauge(
            "sessions", "Sessions that were opened and not revoked.", services.tokens.count)
        text.gauge("feeds", "Clients that read a feed.", services.feed.count)
        let tallies = services.counters.all
        text.family("requests", .counter, "Requests answered, by route and status.")
        for (key, tally) in tallies {
            text.sample("requests_total", "\(tally.count)", labels: Self.labels(key))
        }
        text.family("request_seconds", .summary, "Time until a response started.")
        for (key, tally) in tallies {
            text.sample("request_seconds_count", "\(tally.count)", labels: Self.labels(key))
            text.sample(
                "request_seconds_sum", "\(Double(tally.microseconds) / 1_000_000)",
                labels: Self.labels(key))
        }
        return text.ended
    }

    private static func labels(_ key: Counters.Key) -> [String] {
        [
            OpenMetricsText.label("route", key.route),
            OpenMetricsText.label("status", "\(key.status)"),
        ]
    }
}

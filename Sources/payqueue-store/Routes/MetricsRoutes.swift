import HTTPTypes
import Hummingbird
import NIOCore
import PaymentBackend
import PaymentCore

/// The counters, as OpenMetrics text. Names no account, order or product.
struct MetricsRoutes {
    private static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    private static let prefix = "payqueue_store_"

    let shop: Shop

    func add(to router: Router<StoreContext>) {
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: Self.mediaType, .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: text(await shop.sandbox.counts()))))
        }
    }

    private func text(_ orders: [StoreOrder.State: Int]) -> String {
        var lines: [String] = []
        func begin(_ name: String, _ type: String, _ help: String) {
            lines.append("# TYPE \(Self.prefix)\(name) \(type)")
            lines.append("# HELP \(Self.prefix)\(name) \(help)")
        }
        begin("orders", "gauge", "Orders that the store knows, by state.")
        for state in StoreOrder.State.allCases {
            lines.append(
                "\(Self.prefix)orders{state=\"\(state.rawValue)\"} \(orders[state] ?? 0)")
        }
        begin("sessions", "gauge", "Sessions that were opened and not revoked.")
        lines.append("\(Self.prefix)sessions \(shop.tokens.count)")
        begin("feeds", "gauge", "Clients that read a feed.")
        lines.append("\(Self.prefix)feeds \(shop.feed.count)")
        let tallies = shop.counters.all
        begin("requests", "counter", "Requests answered, by route and status.")
        for (key, tally) in tallies {
            lines.append("\(Self.prefix)requests_total\(Self.labels(key)) \(tally.count)")
        }
        begin("request_seconds", "summary", "Time until a response started.")
        for (key, tally) in tallies {
            lines.append("\(Self.prefix)request_seconds_count\(Self.labels(key)) \(tally.count)")
            lines.append(
                "\(Self.prefix)request_seconds_sum\(Self.labels(key)) "
                    + "\(Double(tally.microseconds) / 1_000_000)")
        }
        lines.append("# EOF\n")
        return lines.joined(separator: "\n")
    }

    /// Routes are those of the router and need no escaping.
    private static func labels(_ key: Counters.Key) -> String {
        "{route=\"\(key.route)\",status=\"\(key.status)\"}"
    }
}

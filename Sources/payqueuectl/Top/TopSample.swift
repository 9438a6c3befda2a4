import PaymentClient
import StrictJSON

/// The daemon's answers at one time.
struct TopSample {
    /// The answer to `status`.
    let status: JSONValue
    /// The answer to `observers`.
    let observers: JSONValue
    /// The first page of the unfinished transactions.
    let transactions: JSONValue
    /// The counters since the start of the daemon.
    let counts: Counts
    /// The time of the sample.
    let time: ContinuousClock.Instant

    /// Monotonic counters.
    struct Counts: Equatable {
        var records: Int64 = 0
        var calls: Int64 = 0
        var adds: Int64 = 0
        var finishes: Int64 = 0
    }

    /// The rates of the counters, per second.
    struct Rates: Equatable {
        var records: Double
        var calls: Double
        var adds: Double
        var finishes: Double
    }

    /// Stores the answers, made safe for a screen.
    init(
        status: JSONValue, observers: JSONValue, transactions: JSONValue, counts: Counts,
        time: ContinuousClock.Instant
    ) {
        self.status = status.plain
        self.observers = observers.plain
        self.transactions = transactions.plain
        self.counts = counts
        self.time = time
    }

    /// The sample as JSON for programs.
    var json: JSONValue {
        [
            "status": status, "observers": observers["observers"] ?? [],
            "transactions": transactions["transactions"] ?? [],
            "counts": [
                "records": .integer(counts.records), "calls": .integer(counts.calls),
                "adds": .integer(counts.adds), "finishes": .integer(counts.finishes),
            ],
        ]
    }

    /// Takes a sample of the daemon.
    ///
    /// - Parameters:
    ///   - daemon: The connection.
    ///   - limit: The maximum number of transactions.
    ///   - timeout: The timeout of each answer.
    /// - Returns: The sample.
    /// - Throws: `RPCError`, `ConnectionFailure`.
    static func take(
        _ daemon: PaymentConnection, transactions limit: Int, timeout: Duration
    ) async throws -> TopSample {
        let status = try await daemon.call("status", timeout: timeout)
        let observers = try await daemon.call("observers", timeout: timeout)
        let page = try await daemon.call(
            "transactions", ["limit": .integer(min(500, max(1, limit)))], timeout: timeout)
        let metrics = try await daemon.call("metrics", timeout: timeout)
        return TopSample(
            status: status, observers: observers, transactions: page,
            counts: counts(status, metrics["text"]?.stringValue ?? ""), time: .now)
    }

    /// The rates between an earlier sample and this one. Nil if the daemon restarted in between, or
    /// if both have the same time.
    func rates(since earlier: TopSample) -> Rates? {
        let span = (time - earlier.time) / .seconds(1)
        let then = earlier.counts
        guard span > 0, earlier.status["since"] == status["since"] else { return nil }
        func rate(_ now: Int64, _ before: Int64) -> Double { Double(max(0, now - before)) / span }
        return Rates(
            records: rate(counts.records, then.records), calls: rate(counts.calls, then.calls),
            adds: rate(counts.adds, then.adds), finishes: rate(counts.finishes, then.finishes))
    }

    /// Reads the counters from the metrics; missing ones are 0.
    static func counts(_ status: JSONValue, _ metrics: String) -> Counts {
        var counts = Counts(records: status["log"]?["head"]?.intValue ?? 0)
        for line in metrics.split(separator: "\n")
        where line.hasPrefix("payqueued_requests_total{") {
            guard let value = line.split(separator: " ").last.flatMap({ Int64($0) }) else {
                continue
            }
            counts.calls += value
            if line.contains(#"method="add""#) { counts.adds = value }
            if line.contains(#"method="finish""#) { counts.finishes = value }
        }
        return counts
    }
}

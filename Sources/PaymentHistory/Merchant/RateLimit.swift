public import PaymentCore

/// How often each merchant may ask: so many requests at once, and so many a second from then on.
public struct RateLimit: Sendable {
    /// Most requests at once.
    public let burst: Int
    /// Requests a second in the long run, at least one.
    public let perSecond: Int

    private struct Bucket {
        /// Thousandths of requests that are left.
        var left: Int64
        var filledAt: Timestamp
    }

    private var buckets: [String: Bucket] = [:]

    /// Sets the limits.
    public init(burst: Int, perSecond: Int) {
        self.burst = max(1, burst)
        self.perSecond = max(1, perSecond)
    }

    /// Takes one request of a merchant.
    ///
    /// - Returns: Nil if it is allowed, else in how many seconds the next one will be.
    public mutating func take(_ merchant: String, at now: Timestamp) -> Int? {
        let full = Int64(burst) * 1000
        var bucket = buckets[merchant] ?? Bucket(left: full, filledAt: now)
        let elapsed = min(max(0, now.milliseconds - bucket.filledAt.milliseconds), 86_400_000)
        bucket.left = min(full, bucket.left + elapsed * Int64(perSecond))
        bucket.filledAt = now
        defer { buckets[merchant] = bucket }
        guard bucket.left >= 1000 else {
            let missing = 1000 - bucket.left
            return Int((missing + Int64(perSecond) * 1000 - 1) / (Int64(perSecond) * 1000))
        }
        bucket.left -= 1000
        return nil
    }
}

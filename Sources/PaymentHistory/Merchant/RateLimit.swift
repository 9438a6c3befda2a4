public import PaymentCore

/// The rate limit of each merchant: a token bucket with a burst size and a sustained rate.
public struct RateLimit: Sendable {
    /// The burst size, in requests, at least one.
    public let burst: Int
    /// The sustained rate, in requests per second, at least one.
    public let perSecond: Int

    private struct Bucket {
        /// The remaining thousandths of requests.
        var left: Int64
        var filledAt: Timestamp
    }

    private var buckets: [String: Bucket] = [:]

    /// Creates a limit; values below one become one.
    public init(burst: Int, perSecond: Int) {
        self.burst = max(1, burst)
        self.perSecond = max(1, perSecond)
    }

    /// Counts one request of a merchant.
    ///
    /// - Returns: Nil if the request is allowed; else the seconds until the next one is.
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

/// Latencies in constant space: values below 64 exactly, greater ones to within 1.6 %.
public struct Histogram: Sendable {
    /// How many values went in.
    public private(set) var count = 0
    private var buckets = [UInt32](repeating: 0, count: 64 * 59)

    /// An empty histogram.
    public init() {}

    /// Counts a value, in nanoseconds or whatever the caller counts in.
    public mutating func record(_ value: UInt64) {
        buckets[Self.bucket(of: value)] += 1
        count += 1
    }

    /// Counts the values of another histogram.
    public mutating func add(_ other: Histogram) {
        for index in buckets.indices { buckets[index] += other.buckets[index] }
        count += other.count
    }

    /// Forgets everything.
    public mutating func removeAll() {
        for index in buckets.indices { buckets[index] = 0 }
        count = 0
    }

    /// The value that so large a part of all values does not exceed.
    ///
    /// - Parameter part: From 0 to 1, 0.99 for p99.
    /// - Returns: The smallest such value, rounded down to its bucket; 0 without values.
    public func percentile(_ part: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let wanted = max(1, Int((part * Double(count)).rounded(.up)))
        var seen = 0
        for (index, bucket) in buckets.enumerated() {
            seen += Int(bucket)
            if seen >= wanted { return Self.lowerBound(of: index) }
        }
        preconditionFailure("a histogram holds fewer values than it counted")
    }

    /// A percentile of nanoseconds in microseconds; see ``percentile(_:)``.
    public func microseconds(_ part: Double) -> Double { Double(percentile(part)) / 1_000 }

    /// 64 buckets for each power of two from 64 on: the top six bits after the leading one.
    private static func bucket(of value: UInt64) -> Int {
        guard value >= 64 else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - 6
        return 64 * (shift + 1) + Int(value >> UInt64(shift)) - 64
    }

    private static func lowerBound(of bucket: Int) -> UInt64 {
        guard bucket >= 64 else { return UInt64(bucket) }
        return UInt64(64 + bucket % 64) << UInt64(bucket / 64 - 1)
    }
}

/// The middle of some figures, the lower middle of an even number of them, so that it is one that
/// was really measured.
public func median(_ values: [Double]) -> Double {
    precondition(!values.isEmpty, "a median of nothing")
    return values.sorted()[(values.count - 1) / 2]
}

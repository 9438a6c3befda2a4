/// A dictionary in 64 parts. Growing stops the writer for a sixty-fourth of the time, and a change
/// during a snapshot copies only one part.
struct ShardedDictionary<Key: ShardKey, Value: Sendable>: Sendable {
    private var shards: [[Key: Value]] = Array(repeating: [:], count: 64)
    private(set) var count = 0

    subscript(key: Key) -> Value? {
        get { shards[Self.shard(of: key)][key] }
        set {
            let shard = Self.shard(of: key)
            let previous = replace(key, in: shard, with: newValue)
            count += (newValue == nil ? 0 : 1) - (previous == nil ? 0 : 1)
        }
    }

    /// Calls `body` for every entry, in no particular order.
    func forEach(_ body: (Key, Value) throws -> Void) rethrows {
        for shard in shards {
            for (key, value) in shard { try body(key, value) }
        }
    }

    private mutating func replace(_ key: Key, in shard: Int, with value: Value?) -> Value? {
        guard let value else { return shards[shard].removeValue(forKey: key) }
        return shards[shard].updateValue(value, forKey: key)
    }

    private static func shard(of key: Key) -> Int {
        Int(truncatingIfNeeded: key.spread & 63)
    }
}

/// A key with a cheap choice of its part. The dictionaries use their own seeded hash. Keys chosen
/// to share one part therefore lose only the benefit of the parts.
protocol ShardKey: Hashable, Sendable {
    /// Bits whose lower six differ between ordinary keys.
    var spread: UInt64 { get }
}

extension OrderID: ShardKey {
    var spread: UInt64 { value.low }
}

extension OpaqueText: ShardKey {
    /// The last four bytes, which vary in both counters and random names.
    var spread: UInt64 {
        let bytes = string.utf8.span
        var word = UInt64(bytes.count)
        for index in max(0, bytes.count - 4)..<bytes.count {
            word = word &* 31 &+ UInt64(bytes[index])
        }
        return word
    }
}

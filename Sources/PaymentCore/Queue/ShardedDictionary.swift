/// A dictionary in 64 parts, so that growing stops the writer for a sixty-fourth of the time, and
/// a copy taken for a snapshot is paid for part by part.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
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

    /// Calls back for every entry, in no particular order.
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
        // The upper bits, because the dictionaries place their entries by the lower ones.
        Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) >> 58)
    }
}

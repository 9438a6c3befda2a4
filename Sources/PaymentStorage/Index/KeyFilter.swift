/// A blocked Bloom filter over 64-bit hashes: 16 bits for each key, eight of them set, in one block
/// of 32 bytes. A lookup reads one cache line. It is filled key by key, so that merging indexes needs
/// no list of all keys in memory, as a fuse filter would.
struct KeyFilter: Sendable {
    /// The words of the blocks, eight for each block.
    private(set) var words: [UInt32]
    private let blocks: UInt64

    /// The number of keys for each block of 256 bits.
    private static let keysPerBlock = 16

    /// An empty filter with room for a number of keys.
    init(capacity: Int) {
        let count = (capacity + Self.keysPerBlock - 1) / Self.keysPerBlock
        blocks = UInt64(count)
        words = [UInt32](repeating: 0, count: count * 8)
    }

    /// A filter that was stored.
    init(words: [UInt32]) {
        self.words = words
        blocks = UInt64(words.count / 8)
    }

    /// Adds a hash.
    mutating func insert(_ hash: UInt64) {
        let start = block(of: hash)
        for index in 0..<8 { words[start + index] |= Self.bit(index, of: hash) }
    }

    /// False only if the hash was never added.
    func mayContain(_ hash: UInt64) -> Bool {
        guard blocks > 0 else { return false }
        let start = block(of: hash)
        for index in 0..<8 where words[start + index] & Self.bit(index, of: hash) == 0 {
            return false
        }
        return true
    }

    /// The block depends on the upper half of the hash, the bits in it on the lower half.
    private func block(of hash: UInt64) -> Int {
        Int(((hash >> 32) &* blocks) >> 32) * 8
    }

    private static let factors: InlineArray<8, UInt32> = [
        0x47B6_137B, 0x4497_4D91, 0x8824_AD5B, 0xA2B7_289D, 0x7054_95C7, 0x2DF1_424B, 0x9EFC_4947,
        0x5C6B_FB31,
    ]

    private static func bit(_ index: Int, of hash: UInt64) -> UInt32 {
        1 << ((UInt32(truncatingIfNeeded: hash) &* factors[index]) >> 27)
    }
}

internal import PaymentCore

/// The hash of a key in an index: SipHash-1-3, keyed with the identifier of the store.
///
/// Clients choose keys and cannot learn the identifier, so they cannot choose keys that collide. All
/// indexes of a store use the same function and can therefore be merged without the keys.
struct KeyedHash: Sendable {
    private let key: UniqueID

    init(_ store: UniqueID) {
        key = store
    }

    /// The hash of an identifier.
    func hash(_ id: UniqueID) -> UInt64 {
        var state = State(key)
        state.absorb(id.high)
        state.absorb(id.low)
        return state.finish(byteCount: 16)
    }

    /// The hash of the bytes of some text.
    func hash(_ text: RawSpan) -> UInt64 {
        var state = State(key)
        var offset = 0
        while offset + 8 <= text.byteCount {
            let word = text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state.absorb(UInt64(littleEndian: word))
            offset += 8
        }
        var rest: UInt64 = 0
        for index in offset..<text.byteCount {
            let byte = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            rest |= UInt64(byte) << UInt64(8 * (index - offset))
        }
        return state.finish(byteCount: text.byteCount, rest: rest)
    }

    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key: UniqueID) {
            v0 = key.high ^ 0x736F_6D65_7073_6575
            v1 = key.low ^ 0x646F_7261_6E64_6F6D
            v2 = key.high ^ 0x6C79_6765_6E65_7261
            v3 = key.low ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }

        mutating func finish(byteCount: Int, rest: UInt64 = 0) -> UInt64 {
            absorb(rest | UInt64(truncatingIfNeeded: byteCount) << 56)
            v2 ^= 0xFF
            for _ in 0..<3 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = v1 << 13 | v1 >> 51
            v1 ^= v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = v3 << 16 | v3 >> 48
            v3 ^= v2
            v0 &+= v3
            v3 = v3 << 21 | v3 >> 43
            v3 ^= v0
            v2 &+= v1
            v1 = v1 << 17 | v1 >> 47
            v1 ^= v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}

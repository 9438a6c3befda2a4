import Glibc
import Synchronization

/// Random bits of the kernel, fetched 256 bytes at a time: one system call for 16 identifiers.
final class RandomPool: Sendable {
    private static let words = 32

    private struct State {
        var bits = [UInt64](repeating: 0, count: RandomPool.words)
        var used = RandomPool.words
    }

    private let state = Mutex(State())

    /// 128 random bits that were never returned before.
    func next() -> (high: UInt64, low: UInt64) {
        state.withLock { state in
            if state.used + 2 > Self.words { Self.fill(&state) }
            defer {
                // Used bits are erased, so that they cannot be found in memory later.
                state.bits[state.used] = 0
                state.bits[state.used + 1] = 0
                state.used += 2
            }
            return (state.bits[state.used], state.bits[state.used + 1])
        }
    }

    private static func fill(_ state: inout State) {
        var generator = SystemRandomNumberGenerator()
        let filled = state.bits.withUnsafeMutableBytes { room in
            room.baseAddress.map { getentropy($0, room.count) == 0 } ?? false
        }
        if !filled {
            for index in state.bits.indices { state.bits[index] = generator.next() }
        }
        state.used = 0
    }
}

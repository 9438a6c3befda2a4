import Glibc
import PaymentCore
import StoreMessages
import Synchronization

/// Delays the answers to wrong passwords and credentials, by the address of the client and by the
/// account.
///
/// A credential is checked before anything else, and a right one is answered at once, so wrong
/// guesses never lock out its owner. The answer to a wrong one waits: longer with each guess, and at
/// most ``longestPause``. An address with many waiting answers gets no further check until one of
/// them is sent, so that parallel connections do not multiply its guesses.
final class GuessDelay: Sendable {
    /// The subject of a count.
    enum Source: Sendable, Hashable {
        /// An address or, for IPv6, its network of 64 bits, which one client usually owns.
        case address(String)
        case account(AccountName)
    }

    private struct Count {
        /// The wrong guesses that count, after decay.
        var level: Int
        var at: Timestamp
    }

    private struct State {
        var counts: [Source: Count] = [:]
        var pausing: [String: Int] = [:]
        var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// The longest pause before the answer to a wrong guess.
    static let longestPause = Duration.seconds(2)
    /// The pause after the first wrong guess; each further one doubles it.
    private static let firstPause = Duration.milliseconds(50)
    /// The time after which one wrong guess no longer counts, in milliseconds.
    private static let decayMs: Int64 = 6_000
    /// The highest level, so that the longest pause ends two minutes after the last guess.
    private static let highestLevel = 20
    /// The maximum number of counted sources.
    static let sourceLimit = 4096
    /// The answers that may wait for one address before its further guesses are not checked.
    static let pausesPerAddress = 32
    /// The requests of one address that may wait for their check.
    static let waitsPerAddress = 512

    private let state = Mutex(State())
    private let sleep: @Sendable (Duration) async -> Void

    /// Creates an empty table.
    ///
    /// - Parameter sleep: Waits for a time.
    init(sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
        self.sleep = sleep
    }

    /// The number of counted sources.
    var count: Int { state.withLock { $0.counts.count } }

    /// The wrong guesses of a source that still count.
    func level(of source: Source, now: Timestamp) -> Int {
        state.withLock { Self.current($0.counts[source], now) }
    }

    /// Waits until a guess of an address may be checked.
    ///
    /// - Throws: Too many requests of the address wait already.
    func waitForTurn(_ address: String) async throws(FailureMessage) {
        let isFull = state.withLock { state in
            state.waiting[address, default: []].count >= Self.waitsPerAddress
        }
        if isFull { throw FailureMessage(.tooManyRequests, "too many guesses from this address") }
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.pausing[address, default: 0] >= Self.pausesPerAddress else {
                    return true
                }
                state.waiting[address, default: []].append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    /// Counts a wrong guess and waits until it may be answered.
    ///
    /// - Parameters:
    ///   - address: The address of the client.
    ///   - account: The existing account whose credential was guessed; nil for others.
    ///   - now: The current time.
    func pauseAfterWrong(
        _ address: String, account: AccountName? = nil, now: Timestamp
    ) async {
        let pause = state.withLock { state in
            var level = Self.note(.address(address), in: &state, now)
            if let account { level = max(level, Self.note(.account(account), in: &state, now)) }
            state.pausing[address, default: 0] += 1
            return Self.pause(level)
        }
        await sleep(pause)
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let left = state.pausing[address, default: 1] - 1
            state.pausing[address] = left > 0 ? left : nil
            guard var waiting = state.waiting[address], !waiting.isEmpty else { return nil }
            let next = waiting.removeFirst()
            state.waiting[address] = waiting.isEmpty ? nil : waiting
            return next
        }
        next?.resume()
    }

    /// The pause at a level.
    static func pause(_ level: Int) -> Duration {
        min(longestPause, firstPause * (1 << min(max(level - 1, 0), 16)))
    }

    /// Counts a guess; returns the level of its source.
    private static func note(_ source: Source, in state: inout State, _ now: Timestamp) -> Int {
        if state.counts[source] == nil, state.counts.count >= sourceLimit { sweep(&state, now) }
        let level = min(current(state.counts[source], now) + 1, highestLevel)
        state.counts[source] = Count(level: level, at: now)
        return level
    }

    private static func current(_ count: Count?, _ now: Timestamp) -> Int {
        guard let count else { return 0 }
        let past = max(0, now.milliseconds - count.at.milliseconds)
        return max(0, count.level - Int(clamping: past / decayMs))
    }

    /// Removes what has decayed or, if that is little, the lower half.
    private static func sweep(_ state: inout State, _ now: Timestamp) {
        state.counts = state.counts.filter { current($0.value, now) > 0 }
        guard state.counts.count > sourceLimit / 2 else { return }
        let kept = state.counts.sorted { current($0.value, now) > current($1.value, now) }
            .prefix(sourceLimit / 2)
        state.counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    /// The key of an IP address: itself, or the network of an IPv6 address.
    static func key(ofAddress text: String) -> String {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return text }
        return withUnsafeBytes(of: &address) { bytes in
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF
            let part = isMapped ? bytes[12...] : bytes[..<8]
            return part.map { String($0, radix: isMapped ? 10 : 16) }
                .joined(separator: isMapped ? "." : "-")
        }
    }
}

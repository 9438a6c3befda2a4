import Glibc
import NIOCore
import PaymentCore
import StoreMessages
import Synchronization

/// Delays the answers to wrong passwords and credentials, by the address of the client and by the
/// account.
///
/// A credential is checked before anything else. A right one is answered at once: it never waits and
/// is never refused for the guesses of others. A check compares two texts of limited length, so that
/// it costs no more than any other request.
///
/// The answer to a wrong guess waits: longer with each guess, and at most ``longestPause``. Only a
/// limited number of answers wait; the answer to a further wrong guess is a refusal, at once. So the
/// pauses slow down clients with few connections. They do not limit a client with many, against
/// which only passwords that are hard to guess help.
final class GuessDelay: Sendable {
    /// The subject of a count.
    enum Source: Sendable, Hashable {
        /// An address or, for IPv6, its network of 64 bits, which one client usually owns.
        case address(String)
        case account(AccountName)
        /// The password of the operator's pages.
        case operatorPassword
    }

    private struct Count {
        /// The wrong guesses that count, after decay.
        var level: Int
        var at: Timestamp
    }

    private struct State {
        var counts: [Source: Count] = [:]
        /// The answers that wait, in all and of each source.
        var waiting = 0
        var waitingOf: [Source: Int] = [:]
    }

    /// The longest pause before the answer to a wrong guess.
    static let longestPause = Duration.seconds(2)
    /// The pause after the first wrong guess; each further one doubles it.
    private static let firstPause = Duration.milliseconds(50)
    /// The highest level, so that the longest pause ends two minutes after the last guess.
    private static let highestLevel = 20
    /// The maximum number of counted sources.
    static let sourceLimit = 4096
    /// The answers that may wait for one source.
    static let waitsPerSource = 32
    /// The answers that may wait in all.
    static let waitLimit = 1024

    private let state = Mutex(State())
    private let sleep: @Sendable (Duration) async -> Void
    /// The time after which one wrong guess no longer counts, in milliseconds.
    private let decayMs: Int64

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - decayMs: The time after which one wrong guess no longer counts, in milliseconds.
    ///   - sleep: Waits for a time.
    init(
        decayMs: Int64 = 6_000,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.decayMs = decayMs
        self.sleep = sleep
    }

    /// The number of counted sources.
    var count: Int { state.withLock { $0.counts.count } }

    /// The number of answers that wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// The wrong guesses of a source that still count.
    func level(of source: Source, now: Timestamp) -> Int {
        state.withLock { current($0.counts[source], now) }
    }

    /// Counts a wrong guess and waits until it may be answered.
    ///
    /// - Parameters:
    ///   - sources: The address of the client, if it stands for one client, and what was guessed, if
    ///     it exists. The number of waiting answers is limited for the first of them.
    ///   - now: The current time.
    /// - Throws: Too many answers wait.
    func pauseAfterWrong(_ sources: [Source], now: Timestamp) async throws(FailureMessage) {
        let pause = state.withLock { state -> Duration? in
            let level = sources.map { note($0, in: &state, now) }.max() ?? 1
            guard state.waiting < Self.waitLimit else { return nil }
            if let first = sources.first {
                guard state.waitingOf[first, default: 0] < Self.waitsPerSource else { return nil }
                state.waitingOf[first, default: 0] += 1
            }
            state.waiting += 1
            return Self.pause(level)
        }
        guard let pause else {
            throw FailureMessage(.tooManyRequests, "too many wrong guesses; try again later")
        }
        await sleep(pause)
        state.withLock { state in
            state.waiting -= 1
            guard let first = sources.first else { return }
            let left = state.waitingOf[first, default: 1] - 1
            state.waitingOf[first] = left > 0 ? left : nil
        }
    }

    /// The pause at a level.
    static func pause(_ level: Int) -> Duration {
        min(longestPause, firstPause * (1 << min(max(level - 1, 0), 16)))
    }

    /// Counts a guess; returns the level of its source.
    private func note(_ source: Source, in state: inout State, _ now: Timestamp) -> Int {
        if state.counts[source] == nil, state.counts.count >= Self.sourceLimit {
            sweep(&state, now)
        }
        let level = min(current(state.counts[source], now) + 1, Self.highestLevel)
        state.counts[source] = Count(level: level, at: now)
        return level
    }

    private func current(_ count: Count?, _ now: Timestamp) -> Int {
        guard let count else { return 0 }
        let past = max(0, now.milliseconds - count.at.milliseconds)
        return max(0, count.level - Int(clamping: past / decayMs))
    }

    /// Removes what has decayed or, if that is little, the lower half.
    private func sweep(_ state: inout State, _ now: Timestamp) {
        state.counts = state.counts.filter { current($0.value, now) > 0 }
        guard state.counts.count > Self.sourceLimit / 2 else { return }
        let kept = state.counts.sorted { current($0.value, now) > current($1.value, now) }
            .prefix(Self.sourceLimit / 2)
        state.counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    /// The source of a peer: its address, or the network of an IPv6 address. Nil for a peer on this
    /// machine that has none, because all users of a daemon are one such peer.
    static func source(of peer: SocketAddress?) -> Source? {
        guard let text = peer?.ipAddress else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return .address(text) }
        return withUnsafeBytes(of: &address) { bytes in
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF
            let part = isMapped ? bytes[12...] : bytes[..<8]
            return .address(
                part.map { String($0, radix: isMapped ? 10 : 16) }
                    .joined(separator: isMapped ? "." : "-"))
        }
    }
}

import PaymentCore
import StoreMessages
import Synchronization

/// Stores the last changes of the store and wakes the feeds that wait for them.
///
/// A position in the feed consists of this process's identifier and a number. A feed that resumes
/// from an unknown position, such as one of an earlier process, begins with `resync`. The client
/// then fetches everything, so that forgotten changes are not lost.
final class ChangeFeed: Sendable {
    /// The minimum number of stored changes.
    static let memory = 4096
    /// The maximum number of concurrent feeds, in total and per account.
    static let limit = 1024
    static let limitPerAccount = 64

    /// One connected feed of a client.
    struct Listener: Sendable {
        let session: SessionTokenStore.Session
        /// Yields when there may be news, and every few seconds.
        let wakes: AsyncStream<Void>
        fileprivate let number: UInt64
        fileprivate(set) var position: UInt64?
    }

    private struct State {
        var changes: [(change: StoreChange, cause: TokenDigest?)] = []
        /// The number of the newest change.
        var newest: UInt64 = 0
        var wakers: [UInt64: (account: AccountName, yield: AsyncStream<Void>.Continuation)] = [:]
        var lastListener: UInt64 = 0
        var isClosed = false

        func admits(_ account: AccountName) -> Bool {
            !isClosed && wakers.count < ChangeFeed.limit
                && wakers.values.count { $0.account == account } < ChangeFeed.limitPerAccount
        }
    }

    private let process: String
    private let state = Mutex(State())

    init(process: String) {
        self.process = process
    }

    /// The number of connected feeds.
    var count: Int { state.withLock { $0.wakers.count } }

    /// Stores a change and wakes the feeds.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - cause: The session that made the change, whose feed does not receive it.
    func note(_ change: StoreChange, by cause: SessionTokenStore.Session? = nil) {
        let wakers = state.withLock { state in
            state.newest += 1
            state.changes.append((change, cause?.digest))
            if state.changes.count >= 2 * Self.memory {
                state.changes.removeFirst(state.changes.count - Self.memory)
            }
            return state.wakers.values.map(\.yield)
        }
        for waker in wakers { waker.yield() }
    }

    /// Wakes all feeds, so that each sends something to its client.
    func tick() {
        for waker in state.withLock({ $0.wakers.values.map(\.yield) }) { waker.yield() }
    }

    /// Wakes the feeds of an account to check whether their sessions are still open.
    func wake(_ account: AccountName) {
        let wakers = state.withLock { state in
            state.wakers.values.filter { $0.account == account }.map(\.yield)
        }
        for waker in wakers { waker.yield() }
    }

    /// Ends all feeds.
    func close() {
        let wakers = state.withLock { state in
            state.isClosed = true
            defer { state.wakers = [:] }
            return state.wakers.values.map(\.yield)
        }
        for waker in wakers { waker.finish() }
    }

    /// Whether the limits permit another feed of an account.
    func admits(_ account: AccountName) -> Bool {
        state.withLock { $0.admits(account) }
    }

    /// Opens a feed; the caller must close it.
    ///
    /// - Parameters:
    ///   - session: The session of the client.
    ///   - place: The last position that the client received; nil for a new feed.
    /// - Returns: The feed; nil if a limit is reached.
    func open(_ session: SessionTokenStore.Session, after place: String?) -> Listener? {
        let (wakes, yield) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = state.withLock { state -> Listener? in
            guard state.admits(session.account) else { return nil }
            state.lastListener += 1
            state.wakers[state.lastListener] = (session.account, yield)
            return Listener(
                session: session, wakes: wakes, number: state.lastListener,
                position: number(of: place).flatMap { $0 <= state.newest ? $0 : nil })
        }
        yield.yield()
        return listener
    }

    /// Ends a feed.
    func close(_ listener: Listener) {
        let waker = state.withLock { $0.wakers.removeValue(forKey: listener.number)?.yield }
        waker?.finish()
    }

    /// The news for a feed in event stream format; nil if there is none.
    func news(for listener: inout Listener) -> String? {
        let (events, newest) = state.withLock { state -> (Set<FeedEvent>, UInt64) in
            let oldest = state.newest - UInt64(state.changes.count)
            guard let position = listener.position, position >= oldest else {
                return ([.resync], state.newest)
            }
            let session = listener.session
            let fresh = state.changes.suffix(Int(state.newest - position))
                .filter { $0.cause != session.digest }
            return (
                Set(fresh.compactMap { FeedEvent($0.change, for: session.account) }), state.newest
            )
        }
        listener.position = newest
        guard !events.isEmpty else { return nil }
        // The position is sent with the last event. A client that loses the connection earlier
        // receives all of them again.
        let words = events.map(\.rawValue).sorted()
        var text = ""
        for (index, word) in words.enumerated() {
            if index == words.count - 1 { text += "id: \(process)-\(newest)\n" }
            text += "event: \(word)\ndata: {}\n\n"
        }
        return text
    }

    private func number(of place: String?) -> UInt64? {
        guard let place, place.hasPrefix(process + "-") else { return nil }
        return UInt64(place.dropFirst(process.count + 1))
    }
}

import PaymentCore
import StoreMessages
import Synchronization

/// Remembers the last changes at the store and wakes the feeds that wait for them.
///
/// A place in the feed is named by this process and a number. A feed that wants to continue from a
/// place that is not remembered, of an earlier process say, begins with `resync` instead: whoever
/// receives that asks for everything, so nothing is lost by forgetting.
final class ChangeFeed: Sendable {
    /// Most changes that are remembered.
    static let memory = 4096
    /// Most feeds at a time, in all and of one account.
    static let limit = 1024
    static let limitPerAccount = 64

    /// One client that listens.
    struct Listener: Sendable {
        let session: SessionTokenStore.Session
        /// Yields when there may be something to tell, and every few seconds.
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

    /// How many listen.
    var count: Int { state.withLock { $0.wakers.count } }

    /// Something changed.
    ///
    /// - Parameters:
    ///   - change: What.
    ///   - cause: The session that did it, which knows.
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

    /// Wakes every feed, so that each sends something to its client.
    func tick() {
        for waker in state.withLock({ $0.wakers.values.map(\.yield) }) { waker.yield() }
    }

    /// Has the feeds of an account look whether their sessions are still there.
    func wake(_ account: AccountName) {
        let wakers = state.withLock { state in
            state.wakers.values.filter { $0.account == account }.map(\.yield)
        }
        for waker in wakers { waker.yield() }
    }

    /// Ends every feed.
    func close() {
        let wakers = state.withLock { state in
            state.isClosed = true
            defer { state.wakers = [:] }
            return state.wakers.values.map(\.yield)
        }
        for waker in wakers { waker.finish() }
    }

    /// Whether there is room for another feed of an account.
    func admits(_ account: AccountName) -> Bool {
        state.withLock { $0.admits(account) }
    }

    /// Begins a feed; the caller ends it.
    ///
    /// - Parameters:
    ///   - session: Whose.
    ///   - place: Where an earlier one ended, as the client says.
    /// - Returns: Nil if too many listen already.
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

    /// The news for a listener, as text of the stream; nil if there is none.
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
        // The place goes with the last of them: a client that lost the connection in between hears
        // all of them again.
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

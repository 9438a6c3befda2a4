import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PaymentCore
import StoreMessages
import Synchronization

/// The feed of the account that logged in last: one stream. Whenever it ends, it is opened again at its last
/// position.
final class StoreFeed: Sendable {
    private struct State {
        var followed: (account: AccountName, number: UInt64, task: Task<Void, Never>)?
        /// The number of the last task that was begun.
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let caller: StoreCaller
    private let sessions: StoreSessions
    private let state = Mutex(State())

    init(_ caller: StoreCaller, _ sessions: StoreSessions) {
        self.caller = caller
        self.sessions = sessions
    }

    /// The task that follows an account; nil while none is followed.
    var task: Task<Void, Never>? { state.withLock { $0.followed?.task } }

    /// Follows the feed of an account in place of any other. Does nothing if another account has logged in
    /// meanwhile, or this account has logged out.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - isNew: Whether the session is new. The feed of a session that continues is not opened again:
    ///     the store would repeat that everything may have changed.
    func follow(_ account: AccountName, isNew: Bool) {
        let old = state.withLock { state -> Task<Void, Never>? in
            guard !state.isClosed, sessions.current == account,
                isNew || state.followed?.account != account
            else { return nil }
            let old = state.followed?.task
            state.lastNumber += 1
            let number = state.lastNumber
            // Unstructured, because it outlives the call that began it; ended by `close()` and by
            // the next one.
            let task = Task { [weak self] in
                guard let self else { return }
                await listen(to: account)
                self.state.withLock {
                    if $0.followed?.number == number { $0.followed = nil }
                }
            }
            state.followed = (account, number, task)
            return old
        }
        old?.cancel()
    }

    /// Ends the feed of an account that has logged out, unless it has logged in again meanwhile.
    func end(_ account: AccountName) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.followed?.account == account, sessions.current != account else {
                return nil
            }
            defer { state.followed = nil }
            return state.followed?.task
        }
        task?.cancel()
    }

    /// Ends the feed, and follows no other.
    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            return state.followed?.task
        }
        task?.cancel()
        await task?.value
    }

    private func listen(to account: AccountName) async {
        var position: String?
        var failures = 0
        while !Task.isCancelled {
            let before = position
            if caller.objection() == nil {
                do {
                    try await read(account, from: &position)
                } catch let failure as StoreFailure where failure.kind == .sessionRevoked {
                    // Without a session there is no feed. The next login begins another one. A call for the
                    // account fails with the reason.
                    return Task.isCancelled ? () : caller.tell([.account(account)])
                } catch {
                    // Whatever the cause, the feed is opened again at its last position.
                }
            }
            failures = position == before ? min(failures + 1, 6) : 0
            let pause = caller.options.firstPause * (1 << failures) * Double.random(in: 0.5...1)
            do {
                try await Task.sleep(for: pause)
            } catch {
                return
            }
        }
    }

    /// Reads the stream to its end.
    private func read(_ account: AccountName, from position: inout String?) async throws {
        let token = try await sessions.accessToken(of: account)
        var request = StoreRequest(.GET, StoreAPI.prefix + "/feed")
        request.headers = [("accept", StoreAPI.eventStream)]
        if let position { request.headers.append(("last-event-id", position)) }
        let (status, body): (Int, HTTPClientResponse.Body)
        do {
            (status, body) = try await caller.link.open(request, token: token)
        } catch {
            if !Task.isCancelled {
                caller.noteFailure(
                    StoreFailure(
                        .connectionError,
                        "no feed from \(caller.name): \(LinkTrouble.reason(error))"))
            }
            throw error
        }
        if status == 401 { sessions.forget(accessToken: token, of: account) }
        guard status == 200 else {
            if status >= 500 {
                caller.noteFailure(
                    StoreFailure(
                        .serviceUnavailable,
                        "\(caller.name) answered the feed with status \(status)"))
            }
            // The rest of a refusal is small. After it is read, the connection can be used again.
            try await caller.link.drain(body, timeout: caller.options.requestTimeout)
            return
        }
        caller.succeeded()
        var parser = FeedParser()
        for try await bytes in body {
            for found in try parser.take(bytes.readableBytesView) {
                if let id = found.id { position = id }
                caller.tell(found.event.changes(of: account))
            }
        }
    }
}

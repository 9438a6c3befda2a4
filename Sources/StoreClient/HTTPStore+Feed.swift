import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PaymentCore
import StoreMessages
import Synchronization

/// The feed of the account that logged in last. It is one stream, reopened after each end at the
/// last received event.
extension HTTPStore {
    /// Follows the feed of an account and stops any other. Does nothing if the current account has
    /// changed meanwhile.
    func follow(_ account: AccountName) {
        let old = state.withLock { state -> Task<Void, Never>? in
            guard !state.isClosed, state.sessions.current == account else { return nil }
            let old = state.feed?.task
            // Unstructured, because it outlives the call that began it. `close()`, a logout or the
            // next feed ends it.
            let task = Task { [weak self] in
                guard let self else { return }
                await listen(to: account)
            }
            state.feed = (account, task)
            return old
        }
        old?.cancel()
    }

    private func listen(to account: AccountName) async {
        var position: String?
        var failures = 0
        while !Task.isCancelled {
            let before = position
            if objection() == nil {
                do {
                    try await read(account, from: &position)
                } catch let failure as StoreFailure where failure.kind == .sessionRevoked {
                    // A feed requires a session. The next login opens one and begins another feed.
                    // Listeners are notified, so that later calls for the account report the ended
                    // session.
                    return Task.isCancelled ? () : tell([.account(account)])
                } catch {
                    // The cause does not matter: the feed is reopened at its last position.
                }
            }
            failures = position == before ? min(failures + 1, 6) : 0
            let pause = options.firstPause * (1 << failures) * Double.random(in: 0.5...1)
            do {
                try await Task.sleep(for: pause)
            } catch {
                return
            }
        }
    }

    /// Reads the stream until it ends.
    private func read(_ account: AccountName, from position: inout String?) async throws {
        let token = try await accessToken(of: account)
        var request = StoreRequest(.GET, StoreAPI.prefix + "/feed")
        request.headers = [("accept", StoreAPI.eventStream)]
        if let position { request.headers.append(("last-event-id", position)) }
        let (status, body): (Int, HTTPClientResponse.Body)
        do {
            (status, body) = try await link.open(request, token: token)
        } catch {
            if !Task.isCancelled {
                noteFailure(
                    StoreFailure(
                        .connectionError, "no feed from \(name): \(LinkTrouble.reason(error))"))
            }
            throw error
        }
        if status == 401 { forget(accessToken: token, of: account) }
        guard status == 200 else {
            if status >= 500 {
                noteFailure(
                    StoreFailure(
                        .serviceUnavailable, "\(name) answered the feed with status \(status)"))
            }
            // The rest of a refusal is short. Reading it lets the pool reuse the connection.
            try await link.drain(body, timeout: options.requestTimeout)
            return
        }
        succeeded()
        var parser = FeedParser()
        for try await bytes in body {
            for found in try parser.take(bytes.readableBytesView) {
                if let id = found.id { position = id }
                tell(found.event.changes(of: account))
            }
        }
    }
}

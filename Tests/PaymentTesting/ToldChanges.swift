package import PaymentCore
import StoreMessages
import Synchronization

/// Collects what a store tells.
package final class ToldChanges: Sendable {
    private struct Contents {
        var changes: Set<StoreChange> = []
        var waiter: (Set<StoreChange>, CheckedContinuation<Void, Never>)?
    }

    private let contents = Mutex(Contents())

    /// Begins to listen. A server tells those who follow the feed of an account, so an account logs
    /// in first, and what the feed begins with is taken away.
    package init(of store: any StoreBackend, as account: AccountName = "demo") async throws {
        store.listen { [self] change in
            if case .availability = change { return }
            let done = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
                contents.changes.insert(change)
                guard let (expected, done) = contents.waiter, expected == contents.changes
                else { return nil }
                contents.waiter = nil
                return done
            }
            done?.resume()
        }
        guard store is any RemoteStore else { return }
        _ = try await store.logIn(account: account, credential: nil)
        await hears([.orders(account), .account(nil), .catalogue])
    }

    /// Returns when exactly this was told since the last time. A store that tells something else
    /// runs into the time limit of the test.
    package func hears(_ expected: Set<StoreChange>) async {
        await withCheckedContinuation { done in
            let isThere = contents.withLock { contents in
                if contents.changes == expected { return true }
                contents.waiter = (expected, done)
                return false
            }
            if isThere { done.resume() }
        }
        contents.withLock { $0.changes = [] }
    }

    /// Whether nothing was told since the last time, as far as it has arrived.
    package var isSilent: Bool { contents.withLock { $0.changes.isEmpty } }
}

import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The units that users hold of the limits whose units end with a connection.
struct ConnectionShares {
    /// Open connections.
    var connections = Share()
    /// Live subscriptions.
    var subscriptions = Share()
    /// Calls that wait.
    var waitingCalls = Share()
}

extension HandlerContext {
    /// Counts a change in the number of a connection's subscriptions, here and at the owner of the
    /// queue.
    func subscriptionsChanged(of connection: Connection, by growth: Int) {
        shares.subscriptions.take(max(growth, 0), for: connection.user)
        shares.subscriptions.giveBack(max(-growth, 0), of: connection.user)
        if growth < 0 { forwarder?.unmirrorEnded(of: connection) }
    }

    /// The units that users hold of a limit.
    func share(of limit: SharedLimit) -> Share {
        switch limit {
        case .connections: shares.connections
        case .subscriptions: shares.subscriptions
        case .waitingCallsInAll: shares.waitingCalls
        case .namedObservers, .unfinishedTransactions, .unfinishedRestores, .diskBytes:
            engine.queue.share(of: limit) ?? Share()
        }
    }

    /// Refuses a user one more unit of a limit, if the user has reached its share or the limit is
    /// reached.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - user: The user.
    ///   - full: The error if all users together have reached the limit.
    /// - Throws: The user may not take one.
    func require(
        _ limit: SharedLimit, for user: UInt32, full: ErrorCode
    ) throws(ErrorObject) {
        guard let number = limit.number(in: limits) else { return }
        switch share(of: limit).verdict(on: user, of: number, limits) {
        case .admitted: return
        case .full: throw Failures.limit(full, number)
        case .beyondShare(let share):
            throw Failures.shareExceeded(limit, number, share: share)
        }
    }
}

public import PaymentCore
import SandboxControl

extension SandboxState {
    /// The changes that listeners receive for an event, computed before it is applied. The direct
    /// effects of a store call are not reported.
    public func changes(by event: SandboxEvent) -> Set<StoreChange> {
        switch event {
        case .orderPlaced(let placed, let subscription):
            let isAsked = placed.order.transaction != nil && !revokesPlan(subscription, state)
            return isAsked ? [] : [.orders(placed.order.account)]
        case .alreadyOwned(let transaction, let id, let subscription):
            if revokesPlan(subscription, state) {
                return Set(state.order(id).map { .orders($0.order.account) })
            }
            // Its order waited for an approval, and the queue must submit it again.
            return Set(order(of: transaction).map { .orders($0.order.account) })
        case .orderPaid(let id, _), .orderRefused(let id, _), .orderRefunded(let id, _, _):
            return Set(state.order(id).map { .orders($0.order.account) })
        case .ordersDeleted(let ids):
            return Set(ids.compactMap { state.order($0).map { .orders($0.order.account) } })
        case .subscriptionChanged(let subscription):
            return [.orders(subscription.key.account)]
        case .settingsChanged(let change):
            var changes: Set<StoreChange> = []
            if change.storefront != nil || change.paymentsAllowed != nil {
                changes.insert(.account(nil))
            }
            if change.locale != nil { changes.insert(.catalogue) }
            return changes
        case .settingsReset:
            return [.account(nil), .catalogue]
        case .orderCompleted, .orderTurnedDown, .clockSet:
            return []
        }
    }

    /// Whether the change of a subscription revokes the order of a scheduled change.
    private func revokesPlan(_ subscription: SandboxSubscription?) -> Bool {
        guard let subscription else { return false }
        return subscription.dropped != nil
            && subscription.dropped != state.subscriptions[subscription.key]?.dropped
    }
}

extension PaymentFailure {
    /// The failure of a waiting order when the account owned the product before its payment.
    static let alreadyOwned = PaymentFailure(.internalError, reason: "alreadyOwned")
}

extension Set<StoreChange> {
    fileprivate init(_ change: StoreChange?) {
        self = change.map { [$0] } ?? []
    }
}

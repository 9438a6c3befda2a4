public import PaymentCore
import SandboxControl

extension SandboxEvent {
    /// The changes that listeners of the store receive for this event, in the state before it: none for
    /// the effects of a call to the store itself.
    public func changes(in state: SandboxState) -> Set<StoreChange> {
        switch self {
        case .orderPlaced(let placed, let subscription):
            let isAsked = placed.order.transaction != nil && !revokesPlan(subscription, state)
            return isAsked ? [] : [.orders(placed.order.account)]
        case .alreadyOwned(let transaction, let id, let subscription):
            if revokesPlan(subscription, state) {
                return Set(state.order(id).map { .orders($0.order.account) })
            }
            // The order of the transaction waited for an approval; the queue must submit again.
            return Set(state.order(of: transaction).map { .orders($0.order.account) })
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

    /// Whether the change to this subscription revokes the order of a scheduled change.
    private func revokesPlan(
        _ subscription: SandboxSubscription?, _ state: SandboxState
    ) -> Bool {
        guard let subscription else { return false }
        return subscription.dropped != nil
            && subscription.dropped != state.subscriptions[subscription.key]?.dropped
    }
}

extension PaymentFailure {
    /// The account owned the product when the order was approved.
    static let alreadyOwned = PaymentFailure(.internalError, reason: "alreadyOwned")
}

extension Set<StoreChange> {
    fileprivate init(_ change: StoreChange?) {
        self = change.map { [$0] } ?? []
    }
}

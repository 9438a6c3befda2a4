/// The kinds of events that a subscription can select. Clients must tolerate unknown kinds.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
    /// Transactions were created or changed; full snapshots.
    case transactionsUpdated
    /// Transactions left the queue, with their last snapshots. No later event names their ids.
    case transactionsRemoved
    /// A restore has returned all purchases.
    case restoreCompleted
    /// A restore ended early.
    case restoreFailed
    /// The account in session or its region changed.
    case storefrontChanged
    /// The store revoked purchases.
    case entitlementsRevoked
    /// The products of the store or their prices changed.
    case productsChanged
    /// A question was opened.
    case questionOpened
    /// A question ended.
    case questionClosed

    /// The names of all kinds.
    public static let words = allCases.map(\.rawValue)

    /// The kind under which subscribers receive an event; nil for a record that they do not
    /// receive.
    public init?(of event: Event) {
        switch event {
        case .transaction(.completing, _): return nil
        case .transaction(.removed, _): self = .transactionsRemoved
        case .transaction: self = .transactionsUpdated
        case .sessionChanged: self = .storefrontChanged
        case .restoreEnded(_, _, .completed): self = .restoreCompleted
        case .restoreEnded(_, _, .failed): self = .restoreFailed
        case .entitlementsRevoked: self = .entitlementsRevoked
        case .productsChanged: self = .productsChanged
        case .questionOpened: self = .questionOpened
        case .questionClosed: self = .questionClosed
        case .started, .productRecorded, .countryAssumed, .forgotten, .policyChanged,
            .restoreRequested, .restoreJoined, .acknowledged, .observerForgotten:
            return nil
        }
    }
}

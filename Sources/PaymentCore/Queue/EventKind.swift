/// The kinds of events that a subscription may ask for. Clients must tolerate kinds that they do
/// not know.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
    /// Transactions were created or changed; full snapshots.
    case transactionsUpdated
    /// Transactions left the queue, with their last snapshots; nothing names their ids again.
    case transactionsRemoved
    /// A restore has given back all there was.
    case restoreCompleted
    /// A restore ended early.
    case restoreFailed
    /// The account or its region changed.
    case storefrontChanged
    /// The store took back what had been bought.
    case entitlementsRevoked
    /// The store sells something else, or at other prices.
    case productsChanged
    /// A decision is wanted.
    case questionOpened
    /// A decision was made.
    case questionClosed

    /// The words of all kinds.
    public static let words = allCases.map(\.rawValue)

    /// The kind that subscribers see an event as; nil for a record that is not shown to them.
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
            .restoreRequested, .restoreJoined, .acknowledged:
            return nil
        }
    }
}

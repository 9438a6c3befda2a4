public import PaymentCore

/// Which events a subscription shows.
public struct EventFilter: Sendable, Hashable {
    /// The kinds shown; nil for all.
    public var kinds: Set<EventKind>?
    /// The products whose transactions are shown; nil for all. Events about no product always are.
    public var products: Set<ProductIdentifier>?

    /// Shows everything, unless said otherwise.
    public init(kinds: Set<EventKind>? = nil, products: Set<ProductIdentifier>? = nil) {
        self.kinds = kinds
        self.products = products
    }
}

public import PaymentCore

/// The filter of a subscription's events.
public struct EventFilter: Sendable, Hashable {
    /// The kinds to send; nil for all.
    public var kinds: Set<EventKind>?
    /// The products whose transactions to send; nil for all. Events without a product are always
    /// sent.
    public var products: Set<ProductIdentifier>?

    /// Creates a filter; by default it sends everything.
    public init(kinds: Set<EventKind>? = nil, products: Set<ProductIdentifier>? = nil) {
        self.kinds = kinds
        self.products = products
    }
}

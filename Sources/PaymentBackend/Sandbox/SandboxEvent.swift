public import PaymentCore

/// An order with what only the sandbox itself needs to know about it.
public struct SandboxOrder: Sendable, Hashable {
    /// The order as everybody may see it.
    public var order: StoreOrder
    /// Whether it costs nothing, because the account owned the product already.
    public var isFree: Bool

    /// Makes an order.
    public init(order: StoreOrder, isFree: Bool) {
        self.order = order
        self.isFree = isFree
    }
}

/// Something that happened to the sandbox. Its journal keeps events, and replaying them makes the
/// state.
public enum SandboxEvent: Sendable, Hashable {
    /// An order came to be, already purchased or failed, or waiting for an approval.
    case orderPlaced(SandboxOrder)
    /// Somebody approved a deferred order or, with a failure, refused it.
    case orderSettled(OrderID, PaymentFailure?)
    /// The queue said that the goods of a paid order were delivered.
    case orderCompleted(OrderID)
    /// Test settings were changed; those that are nil stayed as they were.
    case settingsChanged(StoreTestSettingsChange)
}

/// An event that contradicts the state: the journal is not of this sandbox, or was edited.
public struct SandboxInconsistency: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the order.
    public let description: String

    /// Makes a failure.
    public init(_ description: String) {
        self.description = description
    }
}

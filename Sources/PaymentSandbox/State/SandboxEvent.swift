public import PaymentCore
public import SandboxControl

/// An order with the facts that only the sandbox uses.
public struct SandboxOrder: Sendable, Hashable {
    /// The public part of the order.
    public var order: StoreOrder
    /// The type of the product; nil for an order from a journal that did not record it.
    public var kind: Product.Kind?
    /// The attempt of the transaction that placed the order.
    public var attempt: UInt32 = 1
    /// The time of the payment, if it was later than ``StoreOrder/placedAt``.
    public var settledAt: Timestamp?
    /// The price that the buyer expected, if the order has another price or country.
    public var agreed: Price?
    /// Whether the order will cost nothing when it is paid. Only journals that did not record charges have
    /// this, for orders that wait for an approval.
    public var isFree = false
    /// The group of the introductory offer that was charged, if one was.
    public var group: OpaqueText?

    /// Creates an order.
    public init(order: StoreOrder, kind: Product.Kind? = nil) {
        self.order = order
        self.kind = kind
    }

    /// Whether the order only requests a later change of a subscription.
    public var isScheduled: Bool { order.charge?.offer == .scheduled }

    /// Whether the order was paid, refunded or not.
    public var isPaid: Bool { order.state == .purchased || order.state == .refunded }

    /// The time of the payment, for a paid order.
    public var paidAt: Timestamp { settledAt ?? order.placedAt }

    /// Whether the order failed because purchases were interrupted.
    public var isInterrupted: Bool {
        order.state == .failed && order.failure == .interrupted
    }

    /// Whether the order needs a decision or a resolution by a person.
    public var waitsForPerson: Bool { order.state == .deferred || isInterrupted }
}

extension PaymentFailure {
    /// The buyer has to do something elsewhere before the purchase can be paid.
    public static let interrupted = PaymentFailure(.internalError, reason: "interrupted")
}

/// The payment of an order.
public struct Settlement: Sendable, Hashable {
    /// The time of the payment.
    public var at: Timestamp
    /// The first order of its chain.
    public var original: OrderID
    /// The end of the period, for a subscription.
    public var expiresAt: Timestamp?
    /// The charge of the order.
    public var terms: Terms
    /// The subscription after the payment.
    public var subscription: SandboxSubscription?

    /// The charge of an order, as far as it is recorded.
    public enum Terms: Sendable, Hashable {
        /// The recorded charge.
        case charge(Charge)
        /// The price of the order, or nothing, from a journal that did not record charges.
        case unrecorded(isFree: Bool, isScheduled: Bool)
    }

    /// Creates a payment.
    public init(
        at: Timestamp, original: OrderID, expiresAt: Timestamp? = nil, terms: Terms,
        subscription: SandboxSubscription? = nil
    ) {
        self.at = at
        self.original = original
        self.expiresAt = expiresAt
        self.terms = terms
        self.subscription = subscription
    }

    /// The charge of an order of that price.
    ///
    /// - Parameters:
    ///   - price: The price.
    ///   - wasFree: Whether the order was placed to cost nothing; a recorded charge takes precedence.
    /// - Returns: The charge.
    public func charge(of price: Price, wasFree: Bool = false) -> Charge {
        switch terms {
        case .charge(let charge): return charge
        case .unrecorded(let isFree, let isScheduled):
            return Charge(
                price: isFree || wasFree ? .zero(currencyCode: price.currencyCode) : price,
                offer: isScheduled ? .scheduled : nil, effectiveAt: isScheduled ? expiresAt : nil)
        }
    }
}

/// The refusal of an order that was not placed. The sandbox repeats it for the same attempt.
public struct TurnedDown: Sendable, Hashable {
    /// The transaction of the request.
    public var transaction: TransactionID
    /// The attempt of the transaction.
    public var attempt: UInt32
    /// The price that the store would charge; nil if the product is not sold.
    public var price: Price?
    /// The country of the account, if it was the reason.
    public var country: CountryCode?
    /// Whether the price is that of the introductory offer.
    public var isIntroductory = false

    /// Creates a refusal.
    public init(
        transaction: TransactionID, attempt: UInt32, price: Price?, country: CountryCode? = nil
    ) {
        self.transaction = transaction
        self.attempt = attempt
        self.price = price
        self.country = country
    }
}

/// A change of the sandbox's state. The journal stores events, and their replay restores the state. Each
/// event is one whole change, so a journal that ends between two events is a valid state.
public enum SandboxEvent: Sendable, Hashable {
    /// The maximum number of orders that one event deletes, which limits the length of the record.
    public static let deletionLimit = 256

    /// An order was placed: purchased, failed, or waiting for an approval. A paid order of a subscription
    /// has the subscription after it.
    case orderPlaced(SandboxOrder, SandboxSubscription?)
    /// A deferred order was approved, or an interrupted one resolved. In older journals there is no
    /// settlement, and the order was paid when it was placed.
    case orderPaid(OrderID, Settlement?)
    /// A deferred order was declined.
    case orderRefused(OrderID, PaymentFailure)
    /// A transaction requested a product that the account owns, and was answered with the existing
    /// order; with the subscription after it, if that changed. An order of the transaction that waited
    /// for an approval has failed.
    case alreadyOwned(TransactionID, OrderID, SandboxSubscription?)
    /// The queue reported the delivery of a paid order, which includes all earlier orders of the
    /// chain.
    case orderCompleted(OrderID)
    /// An order was refunded; with the subscription after it, if that ended.
    case orderRefunded(OrderID, Timestamp, SandboxSubscription?)
    /// Orders were deleted, at most ``deletionLimit``. The first order of a chain takes its
    /// subscription with it.
    case ordersDeleted([OrderID])
    /// A subscription changed without an order.
    case subscriptionChanged(SandboxSubscription)
    /// An order was refused without being placed.
    case orderTurnedDown(TurnedDown)
    /// Test settings were changed; a nil setting stayed the same.
    case settingsChanged(StoreTestSettingsChange)
    /// Test settings were reset to those of the catalogue.
    case settingsReset
    /// The clock was set, or its rate changed.
    case clockSet(SandboxClock)
}

/// An event that contradicts the state: the journal is from another sandbox, or was edited.
public struct SandboxInconsistency: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message with the order.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}

public import PaymentCore
public import SandboxControl

/// An order with data for the sandbox only.
public struct SandboxOrder: Sendable, Hashable {
    /// The public part of the order.
    public var order: StoreOrder
    /// How the product is consumed; nil for orders from before this was recorded.
    public var kind: Product.Kind?
    /// The attempt of the transaction that placed it.
    public var attempt: UInt32 = 1
    /// The time of payment, if later than the time of placing.
    public var settledAt: Timestamp?
    /// The price that the buyer expected, if the order has another price or country.
    public var agreed: Price?
    /// Whether it is to cost nothing when it is paid: journals from before charges were recorded say so
    /// of orders that wait.
    public var isFree = false
    /// The group of its introductory offer, if one was charged.
    public var group: OpaqueText?

    /// Creates an order.
    public init(order: StoreOrder, kind: Product.Kind? = nil) {
        self.order = order
        self.kind = kind
    }

    /// Whether the order only schedules a later change of a subscription.
    public var isScheduled: Bool { order.charge?.offer == .scheduled }

    /// Whether it was paid, including orders refunded later.
    public var isPaid: Bool { order.state == .purchased || order.state == .refunded }

    /// The time of payment; the time of placing if none is recorded.
    public var paidAt: Timestamp { settledAt ?? order.placedAt }

    /// Whether it failed only because of a simulated interruption.
    public var isInterrupted: Bool {
        order.state == .failed && order.failure == .interrupted
    }

    /// Whether it waits for a decision or a repair.
    public var waitsForPerson: Bool { order.state == .deferred || isInterrupted }
}

extension PaymentFailure {
    /// The failure of a purchase that the buyer must first resolve elsewhere.
    public static let interrupted = PaymentFailure(.internalError, reason: "interrupted")
}

/// How an order was paid later.
public struct Settlement: Sendable, Hashable {
    /// The time of payment.
    public var at: Timestamp
    /// The first order of its chain.
    public var original: OrderID
    /// The end of the paid period of a subscription.
    public var expiresAt: Timestamp?
    /// The charge of the order.
    public var terms: Terms
    /// The subscription after the payment.
    public var subscription: SandboxSubscription?

    /// The charge of an order, as far as it is recorded.
    public enum Terms: Sendable, Hashable {
        /// The recorded charge.
        case charge(Charge)
        /// Its price, or nothing: journals from before charges were recorded tell no more.
        case unrecorded(isFree: Bool, isScheduled: Bool)
    }

    /// Creates a settlement.
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

    /// The charge of an order with a price.
    ///
    /// - Parameters:
    ///   - price: The price.
    ///   - wasFree: Whether the order was free when it was placed. A recorded charge ignores it.
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

/// An order that the sandbox refused without placing it. It is stored so that the answer can be
/// repeated.
public struct TurnedDown: Sendable, Hashable {
    /// The transaction of the request.
    public var transaction: TransactionID
    /// The number of its attempt.
    public var attempt: UInt32
    /// The price that would be charged instead; nil if the product was not sold.
    public var price: Price?
    /// The new country of the account, if that was the reason.
    public var country: CountryCode?
    /// Whether the price is that of the introductory offer.
    public var isIntroductory = false

    /// Creates a stored refusal.
    public init(
        transaction: TransactionID, attempt: UInt32, price: Price?, country: CountryCode? = nil
    ) {
        self.transaction = transaction
        self.attempt = attempt
        self.price = price
        self.country = country
    }
}

/// A change of the sandbox. Its journal stores events, and replaying them rebuilds the state. Each
/// event is a complete change, so that a journal cut between two events gives a valid state.
public enum SandboxEvent: Sendable, Hashable {
    /// The maximum number of orders that one event deletes, which limits the length of its record.
    public static let deletionLimit = 256

    /// An order was created, already purchased or failed, or waiting for an approval; with the
    /// subscription as it is from then on, if the order is of one and was paid.
    case orderPlaced(SandboxOrder, SandboxSubscription?)
    /// A deferred order was approved, or an interrupted one resolved. Without a settlement it
    /// was paid when it was placed, as older journals have it.
    case orderPaid(OrderID, Settlement?)
    /// A deferred order was refused.
    case orderRefused(OrderID, PaymentFailure)
    /// A transaction requested a product that the account already owned, and received the existing
    /// order. The changed subscription follows, if it changed. An earlier order of the transaction
    /// that waited for an approval has failed.
    case alreadyOwned(TransactionID, OrderID, SandboxSubscription?)
    /// The queue reported the delivery of a paid order, which completes all older orders of its
    /// chain as well.
    case orderCompleted(OrderID)
    /// The store revoked an order. The ended subscription follows, if it ended.
    case orderRefunded(OrderID, Timestamp, SandboxSubscription?)
    /// Orders were deleted, at most ``deletionLimit``. The first order of a chain also deletes its
    /// subscription.
    case ordersDeleted([OrderID])
    /// A subscription changed without an order.
    case subscriptionChanged(SandboxSubscription)
    /// An order was refused without being placed.
    case orderTurnedDown(TurnedDown)
    /// Test settings were changed; nil values stay unchanged.
    case settingsChanged(StoreTestSettingsChange)
    /// Test settings were reset to those of the catalogue.
    case settingsReset
    /// The clock was set, or its rate changed.
    case clockSet(SandboxClock)
}

/// An event that contradicts the state: the journal belongs to another sandbox or was edited.
public struct SandboxInconsistency: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the order.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}

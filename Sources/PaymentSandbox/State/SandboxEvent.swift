public import PaymentCore
public import SandboxControl

/// An order with what only the sandbox itself needs to know about it.
public struct SandboxOrder: Sendable, Hashable {
    /// The public part of the order.
    public var order: StoreOrder
    /// How the product is consumed; nil for orders from before this was recorded.
    public var kind: Product.Kind?
    /// The attempt of the transaction that made it.
    public var attempt: UInt32 = 1
    /// When it was paid, if that was later than it was placed.
    public var settledAt: Timestamp?
    /// The price that the buyer expected to be charged, where price or country of the order are others.
    public var agreed: Price?
    /// Whether it is to cost nothing when it is paid: journals from before charges were recorded say so
    /// of orders that wait.
    public var isFree = false
    /// The group that introductory offers are counted by, where one was charged.
    public var group: OpaqueText?

    /// Creates an order.
    public init(order: StoreOrder, kind: Product.Kind? = nil) {
        self.order = order
        self.kind = kind
    }

    /// Whether it only says what a subscription changes to later.
    public var isScheduled: Bool { order.charge?.offer == .scheduled }

    /// Whether it was paid, taken back or not.
    public var isPaid: Bool { order.state == .purchased || order.state == .refunded }

    /// When it was paid, if it was.
    public var paidAt: Timestamp { settledAt ?? order.placedAt }

    /// Whether it failed only because purchases were interrupted.
    public var isInterrupted: Bool {
        order.state == .failed && order.failure == .interrupted
    }

    /// Whether it waits for a decision or a repair.
    public var waitsForPerson: Bool { order.state == .deferred || isInterrupted }
}

extension PaymentFailure {
    /// The buyer has to do something elsewhere before the purchase can be paid.
    public static let interrupted = PaymentFailure(.internalError, reason: "interrupted")
}

/// How an order was paid later.
public struct Settlement: Sendable, Hashable {
    /// When.
    public var at: Timestamp
    /// The first order of its chain.
    public var original: OrderID
    /// When it ends, for a subscription.
    public var expiresAt: Timestamp?
    /// The charge of the order.
    public var terms: Terms
    /// The subscription as it is from then on.
    public var subscription: SandboxSubscription?

    /// The charge of an order, as far as it is recorded.
    public enum Terms: Sendable, Hashable {
        /// This.
        case charge(Charge)
        /// Its price, or nothing: journals from before charges were recorded tell no more.
        case unrecorded(isFree: Bool, isScheduled: Bool)
    }

    /// Settles an order.
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
    ///   - wasFree: Whether the order was to cost nothing when it was placed; a recorded charge is as it
    ///     is recorded.
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

/// An order that the sandbox turned down without placing it, so that it can say so again.
public struct TurnedDown: Sendable, Hashable {
    /// The transaction that asked.
    public var transaction: TransactionID
    /// Which of its attempts.
    public var attempt: UInt32
    /// The price that would have been charged instead; nil if it was not sold.
    public var price: Price?
    /// Where the account was instead, if that was the reason.
    public var country: CountryCode?
    /// Whether the price is that of the introductory offer.
    public var isIntroductory = false

    /// Notes an answer.
    public init(
        transaction: TransactionID, attempt: UInt32, price: Price?, country: CountryCode? = nil
    ) {
        self.transaction = transaction
        self.attempt = attempt
        self.price = price
        self.country = country
    }
}

/// Something that happened to the sandbox. Its journal keeps events, and replaying them makes the
/// state. Each event is one whole change: a journal that breaks off between two events is a state
/// that could have been.
public enum SandboxEvent: Sendable, Hashable {
    /// Most orders that one event deletes, so that no record is long.
    public static let deletionLimit = 256

    /// An order was created, already purchased or failed, or waiting for an approval; with the
    /// subscription as it is from then on, if the order is of one and was paid.
    case orderPlaced(SandboxOrder, SandboxSubscription?)
    /// A deferred order was approved, or an interrupted one resolved. Without a settlement it
    /// was paid when it was placed, as older journals have it.
    case orderPaid(OrderID, Settlement?)
    /// A deferred order was refused.
    case orderRefused(OrderID, PaymentFailure)
    /// A transaction asked for what the account had already, and was given the order that is there;
    /// with the subscription as it is from then on, if that changed. An order of the transaction that
    /// waited for an approval has failed.
    case alreadyOwned(TransactionID, OrderID, SandboxSubscription?)
    /// The queue said that the goods of a paid order were delivered, and with them those of every
    /// older order of the chain.
    case orderCompleted(OrderID)
    /// The store took an order back; with the subscription as it is from then on, if that ended.
    case orderRefunded(OrderID, Timestamp, SandboxSubscription?)
    /// Orders were forgotten, at most ``deletionLimit`` of them; with the first order of a chain its
    /// subscription.
    case ordersDeleted([OrderID])
    /// Something about a subscription changed without an order.
    case subscriptionChanged(SandboxSubscription)
    /// An order was turned down without being placed.
    case orderTurnedDown(TurnedDown)
    /// Test settings were changed; those that are nil stayed as they were.
    case settingsChanged(StoreTestSettingsChange)
    /// Test settings are those of the catalogue again.
    case settingsReset
    /// The clock was set, or its rate changed.
    case clockSet(SandboxClock)
}

/// An event that contradicts the state: the journal is not of this sandbox, or was edited.
public struct SandboxInconsistency: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the order.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}

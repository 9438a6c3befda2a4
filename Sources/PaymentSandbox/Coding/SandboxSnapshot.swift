public import PaymentCore
public import SandboxControl
public import StrictJSON

/// A piece of the sandbox's state in a snapshot. All pieces together are the state.
public enum SandboxSnapshotItem: Sendable, Hashable {
    /// The test settings that were changed.
    case settings(StoreTestSettingsChange)
    /// The clock, if it was set.
    case clock(SandboxClock)
    /// An order.
    case order(SandboxOrder)
    /// A subscription.
    case subscription(SandboxSubscription)
    /// The refusal of an attempt without an order.
    case turnedDown(TurnedDown)
    /// A transaction and the existing order that it was answered with.
    case claim(TransactionID, OrderID)
    /// Deleted orders of an account, at most ``SandboxEvent/deletionLimit``, in the order of
    /// deletion.
    case deleted(AccountName, [DeletedOrder])
    /// Identifiers of deleted orders and their transactions, at most ``SandboxEvent/deletionLimit``.
    case forgotten([UniqueID])

    /// The type word of the item.
    public var typeWord: StaticString {
        switch self {
        case .settings: "settings"
        case .clock: "clock"
        case .order: "order"
        case .subscription: "subscription"
        case .turnedDown: "turnedDown"
        case .claim: "claim"
        case .deleted: "deleted"
        case .forgotten: "forgotten"
        }
    }

    /// Appends the object of the item, with sorted names.
    public func encodePayload(into writer: inout JSONWriter) {
        switch self {
        case .settings(let change): change.encode(into: &writer)
        case .clock(let clock): clock.encode(into: &writer)
        case .order(let order): order.encode(into: &writer)
        case .subscription(let subscription): subscription.encode(into: &writer)
        case .turnedDown(let answer): answer.encode(into: &writer)
        case .claim(let transaction, let order):
            writer.beginObject()
            writer.member("order", order.description)
            writer.member("transaction", transaction.description)
            writer.endObject()
        case .deleted(let account, let orders):
            writer.beginObject()
            writer.member("account", account.string)
            writer.name("orders")
            writer.beginArray()
            for order in orders {
                writer.element()
                writer.beginObject()
                writer.member("order", order.order.description)
                writer.member("transaction", order.transaction?.description)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        case .forgotten(let names):
            writer.beginObject()
            writer.member("names", names)
            writer.endObject()
        }
    }

    /// Decodes an object of ``encodePayload(into:)``.
    public init(typeWord: String, payload: JSONValue) throws(SandboxCodingFailure) {
        let fields = PayloadFields(typeWord: typeWord, payload: payload)
        switch typeWord {
        case "settings": self = .settings(try StoreTestSettingsChange(fields))
        case "clock": self = .clock(try SandboxClock(fields))
        case "order": self = .order(try SandboxOrder(fields))
        case "subscription": self = .subscription(try SandboxSubscription(fields))
        case "turnedDown": self = .turnedDown(try TurnedDown(fields))
        case "claim":
            self = .claim(
                try fields.required("transaction", TransactionID.init),
                try fields.required("order", OrderID.init))
        case "deleted":
            var orders: [DeletedOrder] = []
            for order in try fields.objects("orders") {
                orders.append(
                    DeletedOrder(
                        order: try order.required("order", OrderID.init),
                        transaction: try order.optional("transaction", TransactionID.init)))
            }
            self = .deleted(try fields.required("account") { AccountName($0) }, orders)
        case "forgotten": self = .forgotten(try fields.identifiers("names"))
        default: throw SandboxCodingFailure("unknown snapshot item '\(typeWord.shortened)'")
        }
    }
}

/// The state of the sandbox without its indexes, for a snapshot.
///
/// The orders share their storage with the state in blocks, so that a change of the state beside the writing
/// copies one block, not all orders.
public struct SandboxPieces: Sendable {
    fileprivate var settings: StoreTestSettingsChange
    fileprivate var clock: SandboxClock?
    fileprivate var orders: OrderSlots
    fileprivate var subscriptions: SubscriptionTable
    fileprivate var refusals: [TransactionID: [TurnedDown]]
    fileprivate var claims: [TransactionID: OrderID]
    fileprivate var deletions: DeletionTable

    /// Passes the pieces to a closure: the settings and the clock, then the orders, oldest first, then the
    /// pieces that refer to orders.
    public func items<Failure>(
        _ body: (SandboxSnapshotItem) throws(Failure) -> Void
    ) throws(Failure) {
        try body(.settings(settings))
        if let clock { try body(.clock(clock)) }
        for case let order? in orders { try body(.order(order)) }
        for subscription in subscriptions.values { try body(.subscription(subscription)) }
        for answers in refusals.values {
            for answer in answers { try body(.turnedDown(answer)) }
        }
        for (transaction, order) in claims { try body(.claim(transaction, order)) }
        for (account, orders) in deletions.orders {
            for start in stride(from: 0, to: orders.count, by: SandboxEvent.deletionLimit) {
                let end = min(start + SandboxEvent.deletionLimit, orders.count)
                try body(.deleted(account, Array(orders[start..<end])))
            }
        }
        var names: [UniqueID] = []
        for name in deletions.names {
            names.append(name)
            guard names.count == SandboxEvent.deletionLimit else { continue }
            try body(.forgotten(names))
            names = []
        }
        if !names.isEmpty { try body(.forgotten(names)) }
    }
}

extension SandboxState {
    /// The pieces of the state now.
    public var pieces: SandboxPieces {
        SandboxPieces(
            settings: settingsChange, clock: clock, orders: orderTable.slots,
            subscriptions: subscriptions, refusals: refusals, claims: claims, deletions: deletions)
    }

    /// Adds an item of ``SandboxPieces/items(_:)``. The items must come in that order.
    ///
    /// - Throws: The piece contradicts the earlier pieces.
    public mutating func load(_ item: SandboxSnapshotItem) throws(SandboxInconsistency) {
        switch item {
        case .settings(let change): try replay(.settingsChanged(change))
        case .clock(let clock): try replay(.clockSet(clock))
        case .order(let order): try replay(.orderPlaced(order, nil))
        case .subscription(let subscription):
            let event = SandboxEvent.subscriptionChanged(subscription)
            if let objection = event.objection(in: self) { throw SandboxInconsistency(objection) }
            load(subscription: subscription)
        case .turnedDown(let answer): try replay(.orderTurnedDown(answer))
        case .claim(let transaction, let order):
            guard self.order(order) != nil, claims[transaction] == nil else {
                throw SandboxInconsistency("the snapshot lacks order \(order)")
            }
            load(claimOf: order, by: transaction)
        case .deleted(let account, let orders): load(deleted: orders, of: account)
        case .forgotten(let names): load(forgotten: names)
        }
    }
}

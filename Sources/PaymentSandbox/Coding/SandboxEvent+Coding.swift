import PaymentCore
import SandboxControl
public import StrictJSON

/// A record of the sandbox that cannot be read. Its checksum is right, so another version wrote it.
public struct SandboxCodingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message with the type of the record and the invalid member.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}

/// The coding of events in the journal: a type word, and an object with sorted names.
///
/// Writing omits members without a meaning for the event, and reading ignores them.
extension SandboxEvent {
    /// The type word of the record.
    public var typeWord: StaticString {
        switch self {
        case .orderPlaced: "orderPlaced"
        case .orderPaid, .orderRefused: "orderSettled"
        case .alreadyOwned: "alreadyOwned"
        case .orderCompleted: "orderCompleted"
        case .orderRefunded: "orderRefunded"
        case .ordersDeleted: "ordersDeleted"
        case .subscriptionChanged: "subscriptionChanged"
        case .orderTurnedDown: "orderTurnedDown"
        case .settingsChanged: "settingsChanged"
        case .settingsReset: "settingsReset"
        case .clockSet: "clockSet"
        }
    }

    /// All values of ``typeWord``.
    public static let typeWords = [
        "orderPlaced", "orderSettled", "alreadyOwned", "orderCompleted", "orderRefunded",
        "ordersDeleted",
        "subscriptionChanged", "orderTurnedDown", "settingsChanged", "settingsReset", "clockSet",
    ]

    /// Appends the object of the record.
    public func encodePayload(into writer: inout JSONWriter) {
        switch self {
        case .orderPlaced(let placed, let subscription):
            placed.encode(with: subscription, into: &writer)
        case .subscriptionChanged(let subscription): subscription.encode(into: &writer)
        case .orderTurnedDown(let answer): answer.encode(into: &writer)
        case .settingsChanged(let change): change.encode(into: &writer)
        case .clockSet(let clock): clock.encode(into: &writer)
        case .orderPaid, .orderRefused, .alreadyOwned, .orderCompleted, .orderRefunded,
            .ordersDeleted,
            .settingsReset:
            writer.beginObject()
            encodeMembers(into: &writer)
            writer.endObject()
        }
    }

    private func encodeMembers(into writer: inout JSONWriter) {
        switch self {
        case .orderPaid(let order, let settlement):
            if let settlement {
                settlement.encode(before: order, into: &writer)
            } else {
                writer.member("order", order.description)
            }
        case .orderRefused(let order, let failure):
            writer.member("error", failure.kind.rawValue)
            writer.member("order", order.description)
            writer.member("reason", failure.reason)
        case .alreadyOwned(let transaction, let order, let subscription):
            writer.member("order", order.description)
            writer.member("subscription", subscription)
            writer.member("transaction", transaction.description)
        case .orderCompleted(let order):
            writer.member("order", order.description)
        case .orderRefunded(let order, let moment, let subscription):
            writer.member("at", moment.description)
            writer.member("order", order.description)
            writer.member("subscription", subscription)
        case .ordersDeleted(let orders):
            writer.member("orders", orders.map(\.value))
        default:
            break
        }
    }

    /// Decodes an object of ``encodePayload(into:)``.
    public init(typeWord: String, payload: JSONValue) throws(SandboxCodingFailure) {
        let fields = PayloadFields(typeWord: typeWord, payload: payload)
        switch typeWord {
        case "orderPlaced":
            self = .orderPlaced(try SandboxOrder(fields), try fields.subscription())
        case "orderSettled":
            let order = try fields.required("order", OrderID.init)
            if let failure = try fields.failure() {
                self = .orderRefused(order, failure)
            } else {
                self = .orderPaid(order, try Settlement(fields))
            }
        case "alreadyOwned":
            self = .alreadyOwned(
                try fields.required("transaction", TransactionID.init),
                try fields.required("order", OrderID.init), try fields.subscription())
        case "orderCompleted": self = .orderCompleted(try fields.required("order", OrderID.init))
        case "orderRefunded":
            self = .orderRefunded(
                try fields.required("order", OrderID.init),
                try fields.required("at", Timestamp.init), try fields.subscription())
        case "ordersDeleted":
            self = .ordersDeleted(try fields.identifiers("orders").map { OrderID($0) })
        case "subscriptionChanged":
            self = .subscriptionChanged(try SandboxSubscription(fields))
        case "orderTurnedDown": self = .orderTurnedDown(try TurnedDown(fields))
        case "settingsChanged": self = .settingsChanged(try StoreTestSettingsChange(fields))
        case "settingsReset": self = .settingsReset
        case "clockSet": self = .clockSet(try SandboxClock(fields))
        default: throw SandboxCodingFailure("unknown record type '\(typeWord.shortened)'")
        }
    }
}

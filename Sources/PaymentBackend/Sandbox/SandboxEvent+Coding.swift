import PaymentCore
public import StrictJSON

/// A record of the sandbox that cannot be read. As its checksum is right, another version wrote it.
public struct SandboxCodingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the type of the record and the member that is wrong.
    public let description: String

    /// Makes a failure.
    public init(_ description: String) {
        self.description = description
    }
}

/// Events as they stand in the journal: a type word and an object whose names are sorted.
///
/// Members that mean nothing are left out when writing and ignored when reading.
extension SandboxEvent {
    /// The word that tells the kinds of records apart.
    public var typeWord: StaticString {
        switch self {
        case .orderPlaced: "orderPlaced"
        case .orderSettled: "orderSettled"
        case .orderCompleted: "orderCompleted"
        case .settingsChanged: "settingsChanged"
        }
    }

    /// Every word that ``typeWord`` can be.
    public static let typeWords = [
        "orderPlaced", "orderSettled", "orderCompleted", "settingsChanged",
    ]

    /// Appends the object that belongs to the type word.
    public func encodePayload(into writer: inout JSONWriter) {
        switch self {
        case .orderPlaced(let placed):
            placed.encode(into: &writer)
        case .orderSettled(let order, let failure):
            writer.beginObject()
            writer.member("error", failure?.kind.rawValue)
            writer.member("order", order.description)
            writer.member("reason", failure?.reason)
            writer.endObject()
        case .orderCompleted(let order):
            writer.beginObject()
            writer.member("order", order.description)
            writer.endObject()
        case .settingsChanged(let change):
            change.encode(into: &writer)
        }
    }

    /// Reads what ``encodePayload(into:)`` wrote.
    public init(typeWord: String, payload: JSONValue) throws(SandboxCodingFailure) {
        let fields = PayloadFields(typeWord: typeWord, payload: payload)
        switch typeWord {
        case "orderPlaced": self = .orderPlaced(try SandboxOrder(fields))
        case "orderSettled":
            self = .orderSettled(try fields.required("order", OrderID.init), try fields.failure())
        case "orderCompleted": self = .orderCompleted(try fields.required("order", OrderID.init))
        case "settingsChanged": self = .settingsChanged(try StoreTestSettingsChange(fields))
        default: throw SandboxCodingFailure("unknown record type '\(typeWord.shortened)'")
        }
    }
}

extension SandboxOrder {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", order.account.string)
        writer.member("amount", order.price.amount.text)
        writer.member("completed", order.completed ? true : nil)
        writer.member("country", order.country.description)
        writer.member("currency", order.price.currencyCode)
        writer.member("error", order.failure?.kind.rawValue)
        writer.member("free", isFree ? true : nil)
        writer.member("order", order.order.description)
        writer.member("original", order.original.description)
        writer.member("placedAt", order.placedAt.description)
        writer.member("product", order.product.string)
        writer.member("reason", order.failure?.reason)
        writer.member("state", order.state.rawValue)
        writer.member("token", order.appAccountToken?.string)
        writer.member("transaction", order.transaction?.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        let price = Price(
            amount: try fields.required("amount", Amount.init),
            currencyCode: try fields.required("currency") { $0 })
        let order = StoreOrder(
            order: try fields.required("order", OrderID.init),
            transaction: try fields.optional("transaction", TransactionID.init),
            original: try fields.required("original", OrderID.init),
            account: try fields.required("account") { AccountName($0) },
            product: try fields.required("product") { ProductIdentifier($0) }, price: price,
            country: try fields.required("country", CountryCode.init),
            appAccountToken: try fields.optional("token") { OpaqueText($0) },
            state: try fields.required("state", StoreOrder.State.init(rawValue:)),
            failure: try fields.failure(), completed: try fields.bool("completed") ?? false,
            placedAt: try fields.required("placedAt", Timestamp.init))
        self.init(order: order, isFree: try fields.bool("free") ?? false)
    }
}

extension StoreTestSettingsChange {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("askToBuyEnabled", askToBuyEnabled)
        writer.member("failTransactionsEnabled", failTransactionsEnabled)
        writer.member("failureError", failureError)
        writer.member("latencyMs", latencyMs)
        writer.member("paymentsAllowed", paymentsAllowed)
        writer.member("storeDown", storeDown)
        writer.member("storefront", storefront?.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        self.init()
        askToBuyEnabled = try fields.bool("askToBuyEnabled")
        failTransactionsEnabled = try fields.bool("failTransactionsEnabled")
        failureError = try fields.optional("failureError") { $0 }
        latencyMs = try fields.integer("latencyMs")
        paymentsAllowed = try fields.bool("paymentsAllowed")
        storeDown = try fields.bool("storeDown")
        storefront = try fields.optional("storefront", CountryCode.init)
    }
}

import Foundation
import JSONRPC
import PaymentAPI
import PaymentCore
import SandboxControl
import StrictJSON

/// Reads parameters from their text, nil for a call without any.
func call<M: Method>(_ method: M.Type, _ params: String?) throws -> Call<M.Params> {
    let bytes = Array((params ?? "null").utf8)
    var tape = JSONTape()
    try tape.scan(bytes.span)
    return try method.call(tape, params: params == nil ? nil : 0, in: bytes.span)
}

/// The parameters of a call.
func decode<M: Method>(_ method: M.Type, _ params: String?) throws -> M.Params {
    try call(method, params).params
}

/// What is wrong with parameters, nil if nothing is.
func problem(
    _ method: any Method.Type, _ params: String?, _ limits: Limits = Limits()
) throws -> InvalidParameters? {
    let bytes = Array((params ?? "null").utf8)
    var tape = JSONTape()
    try tape.scan(bytes.span)
    do throws(InvalidParameters) {
        try Contract.check(
            method, tape: tape, params: params == nil ? nil : 0, in: bytes.span, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// The kind and the place of what is wrong, such as `missingParam /product`.
func refusal(
    _ method: any Method.Type, _ params: String?, _ limits: Limits = Limits()
) throws -> String? {
    try problem(method, params, limits).map { "\($0.kind.rawValue) \($0.path)" }
}

/// What a piece of writing code writes.
func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The text of a result.
func written(_ result: some WireResult) -> String {
    written { result.write(into: &$0) }
}

/// The text of an error as a reply carries it.
func written(_ error: ErrorObject) -> String {
    let reply = written { $0.writeError(error) }
    return String(reply.dropFirst(#"{"jsonrpc":"2.0","id":null,"error":"#.count).dropLast())
}

/// A string of so many bytes in quotation marks.
func quoted(bytes: Int) -> String {
    "\"" + String(repeating: "x", count: bytes) + "\""
}

/// Fixed values for golden texts.
enum Sample {
    static let id = TransactionID(UniqueID(high: 0x1111_1111_2222_4333, low: 0x8444_5555_5555_5555))
    static let idText = "11111111-2222-4333-8444-555555555555"
    static let order = OrderID(UniqueID(high: 0xAAAA_AAAA_BBBB_4CCC, low: 0x8DDD_EEEE_EEEE_EEEE))
    static let orderText = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
    static let restore = RestoreID(
        UniqueID(high: 0x2222_2222_3333_4444, low: 0x8555_6666_6666_6666))
    static let restoreText = "22222222-3333-4444-8555-666666666666"
    static let question = QuestionID(
        UniqueID(high: 0x3333_3333_4444_4555, low: 0x8666_7777_7777_7777))
    static let questionText = "33333333-4444-4555-8666-777777777777"
    static let created = Timestamp(milliseconds: 1_767_607_200_000)
    static let updated = Timestamp(milliseconds: 1_767_607_201_250)
    static let origin = Origin(uid: 1000, client: "shop", connection: 3, request: 9)

    static func country(_ code: String = "DE") throws -> CountryCode {
        try required(CountryCode(code))
    }

    static func price(_ amount: String) throws -> Price {
        Price(amount: try required(Amount(amount)), currencyCode: "EUR")
    }

    static func coins() throws -> Product {
        Product(
            productIdentifier: "coins.100", type: .consumable, localizedTitle: "100 coins",
            localizedDescription: "A handful", price: try price("0.99"))
    }

    static func transaction(
        _ state: TransactionState, token: OpaqueText? = nil, origin: Origin? = nil,
        order: OrderID? = nil
    ) throws -> Transaction {
        let product = RecordedProduct(number: 1, product: try coins(), country: try country())
        return Transaction(
            id: id, account: "demo", payment: Payment(product: product, appAccountToken: token),
            state: state, country: try country(), order: order, originalOrder: order,
            reason: .purchase, revision: 2, createdAt: created, updatedAt: updated, origin: origin)
    }

    static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw CocoaError(.coderInvalidValue) }
        return value
    }
}

extension Sample {
    /// An order that was paid, as it is on the day of the purchase.
    static func storeOrder() throws -> StoreOrder {
        StoreOrder(
            order: order, transaction: id, original: order, account: "demo", product: "coins.100",
            price: try price("0.99"), country: try country(), appAccountToken: "u7",
            state: .purchased, failure: nil, completed: true, placedAt: created)
    }

    /// Orders in every state, of every kind.
    static func orders() throws -> [StoreOrder] {
        var orders = try StoreOrder.State.allCases.map { state in
            var order = try storeOrder()
            order.state = state
            return order
        }
        orders[0].transaction = nil
        orders[0].isRenewal = true
        orders[1].expiresAt = updated
        orders[2].failure = .declined
        orders[3].charge = Charge(
            price: try price("0"), offer: .introductory, effectiveAt: updated,
            revocation: OrderRevocation(at: updated))
        return orders
    }

    /// Settings with every value set, and with none.
    static func settings() throws -> [StoreTestSettings] {
        var settings = StoreTestSettings(latencyMs: 20)
        settings.storefront = try country("JP")
        settings.locale = "ja_JP"
        settings.timeRate = .monthSeconds(30)
        settings.simulatedErrors = [.login: .badCredential, .purchase: .connectionError]
        return [settings, StoreTestSettings()]
    }
}

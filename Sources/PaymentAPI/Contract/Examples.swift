import PaymentCore
import SandboxControl

/// The values in the examples of the contract.
enum Examples {
    static let epoch = "9f3c0d2e"
    static let country = knownCountry("DE")
    static let transactionID = TransactionID(
        UniqueID(high: 0x0b8e_2f7a_5c31_4d6e, low: 0x9a40_1c2d_3e4f_5a6b))
    static let orderID = OrderID(UniqueID(high: 0x6f1d_2c3b_4a59_4e78, low: 0x8796_a5b4_c3d2_e1f0))
    private static let accepted = Timestamp(milliseconds: 1_767_607_200_000)
    private static let paid = Timestamp(milliseconds: 1_767_607_200_350)

    static let coins = Product(
        productIdentifier: "coins.100", type: .consumable, localizedTitle: "100 coins",
        localizedDescription: "A handful of coins", price: euros("0.99"))

    static let purchased = Transaction(
        id: transactionID, account: "demo",
        payment: Payment(product: RecordedProduct(number: 1, product: coins, country: country)),
        state: .purchased, country: country, order: orderID, originalOrder: orderID,
        reason: .purchase, revision: 3, createdAt: accepted, updatedAt: paid)

    static let purchasedRecord = Record(
        sequence: 6, time: paid, origin: nil, event: .transaction(.purchased, purchased))

    static let order = StoreOrder(
        order: orderID, transaction: transactionID, original: orderID, account: "demo",
        product: "coins.100", price: euros("0.99"), country: country, appAccountToken: nil,
        state: .purchased, failure: nil, completed: false, placedAt: accepted)

    static let restoreID = RestoreID(
        UniqueID(high: 0x3c5d_7e9f_1a2b_4c3d, low: 0x8e4f_5a6b_7c8d_9e0f))

    static let purchase = StorePurchase(
        order: orderID, original: orderID, transaction: transactionID, product: book,
        country: country, isCompleted: true, purchasedAt: paid)

    static let storeKey = StoreKey(
        id: "X8yoXy7mVgVdg8LhpJBB5Nt9Pcm2XL8lvVfdKCrPYlE", algorithm: "ES256",
        material: .p256(
            x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))

    static let question = Question(
        id: QuestionID(UniqueID(high: 0x2f4e_6d8c_0b1a_4938, low: 0x8576_9485_a3b2_c1d0)),
        kind: .shouldContinue, account: "demo", transaction: transactionID, cause: .price,
        product: RecordedProduct(number: 1, product: coins, country: country), country: country,
        patienceMs: 60_000, openedAt: accepted)

    static let refundedOrder: StoreOrder = {
        var order = Self.order
        order.state = .refunded
        order.charge?.revocation = OrderRevocation(at: paid.advanced(bySeconds: 86_400))
        return order
    }()

    static let subscriptionOrder: StoreOrder = {
        var order = Self.order
        order.transaction = nil
        order.product = "club.monthly"
        order.price = euros("9.99")
        order.isRenewal = true
        order.expiresAt = accepted.advanced(bySeconds: 2_678_400)
        return order
    }()

    static let clock = TestClock(
        now: accepted.advanced(bySeconds: 2_592_000),
        nextEventAt: accepted.advanced(bySeconds: 2_678_400))

    private static let book = Product(
        productIdentifier: "chapter.two", type: .nonConsumable, localizedTitle: "Chapter two",
        localizedDescription: "The story continues", price: euros("4.99"))

    private static func knownCountry(_ text: String) -> CountryCode {
        guard let code = CountryCode(text) else {
            preconditionFailure("the examples use '\(text)', which is not a country")
        }
        return code
    }

    private static func euros(_ amount: String) -> Price {
        guard let amount = Amount(amount) else {
            preconditionFailure("the examples use '\(amount)', which is not an amount")
        }
        return Price(amount: amount, currencyCode: "EUR")
    }
}

import PaymentCore
import PaymentHistory
import StrictJSON

/// What the tests of this target are made of.
enum Samples {
    /// 2026-01-26T10:05:00Z.
    static let now = Timestamp(milliseconds: 1_769_421_900_000)
    static let bundle = "com.example.app"

    /// Made once: an RSA key takes its time.
    static let rsa = Result { try SigningKey.generate(.rs256) }
    static let p256 = Result { try SigningKey.generate(.es256) }

    static func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        switch algorithm {
        case .rs256: try rsa.get()
        case .es256: try p256.get()
        }
    }

    static func order(_ number: UInt64) -> OrderID {
        OrderID(UniqueID(randomHigh: 0x3e46_c75a_7e04_4530, randomLow: number))
    }

    /// The three purchases of the documented example: a purchase, its renewal, and a refund.
    static let history: TransactionHistory = {
        var first = purchase(
            1, "premium_subscription_monthly", .subscription, "2025-12-26T10:00:00.000Z")
        first.productSlug = "premium-monthly"
        first.appAccountToken = "user-uuid-1234"
        first.expiresAt = Timestamp("2026-01-26T10:00:00.000Z")
        first.subscriptionID = "sub-group-xyz"
        var renewal = first
        renewal.orderID = order(2)
        renewal.purchaseDate = first.expiresAt ?? now
        renewal.expiresAt = Timestamp("2026-02-26T10:00:00.000Z")
        renewal.reason = .renewal
        var refunded = purchase(3, "remove_ads", .nonConsumable, "2025-09-01T12:00:00.000Z")
        refunded.price = 499
        refunded.revocation = Timestamp("2025-09-05T10:00:00.000Z").map { .init(date: $0) }
        return TransactionHistory(transactions: [first, renewal, refunded])
    }()

    static func purchase(
        _ number: UInt64, _ product: String, _ type: InAppPurchase.ProductType, _ date: String
    ) -> InAppPurchase {
        InAppPurchase(
            bundleID: bundle, order: order(number), price: 999, currency: "EUR",
            productID: product, productType: type, purchaseDate: Timestamp(date) ?? now,
            fetchedAt: now, country: "DE")
    }

    static func ring(_ algorithm: SignatureAlgorithm = .es256) throws -> KeyRing {
        KeyRing(try key(algorithm), createdAt: now)
    }
}

/// Random numbers that are the same in every run.
struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

/// A JWS whose parts are written by the test.
func compact(_ header: String, _ payload: String, _ signature: [UInt8]) -> String {
    [Array(header.utf8), Array(payload.utf8), signature].map { Base64URL.encode($0) }
        .joined(separator: ".")
}

extension String {
    /// The text with its last character replaced.
    func endingIn(_ character: Character) -> String { dropLast() + String(character) }
}

public import PaymentCore

/// The merchants of a store and their secrets, as a value type.
public struct MerchantRegistry: Sendable, Hashable {
    /// The merchants, oldest first.
    public internal(set) var merchants: [Merchant]

    /// Most merchants of a store.
    public static let limitMerchants = 10_000
    /// Most secrets of a merchant; the oldest are dropped beyond that.
    public static let limitSecrets = 8
    /// The longest name of a merchant, in bytes.
    public static let limitNameBytes = 128

    /// Creates an empty registry.
    public init() {
        merchants = []
    }

    /// The secret with a key ID, and its merchant; nil if there is none.
    public func holder(ofKey keyID: String) -> (merchant: Merchant, secret: Merchant.Secret)? {
        for merchant in merchants {
            for secret in merchant.secrets where secret.keyID.utf8.elementsEqual(keyID.utf8) {
                return (merchant, secret)
            }
        }
        return nil
    }

    /// The merchant with an ID; nil if there is none.
    public subscript(id: String) -> Merchant? {
        merchants.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// Adds a merchant with one secret.
    ///
    /// - Returns: The merchant; its secret is not shown again.
    /// - Throws: The name is empty, too long or has control characters, or there are too many.
    public mutating func add(
        name: String, at moment: Timestamp, using random: inout some RandomNumberGenerator
    ) throws(MerchantFault) -> Merchant {
        guard (1...Self.limitNameBytes).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .badName }
        guard merchants.count < Self.limitMerchants else { throw .tooMany }
        var id = ""
        repeat { id = "mer_" + Self.text(of: 12, using: &random) } while self[id] != nil
        let merchant = Merchant(
            id: id, name: name, createdAt: moment, secrets: [secret(at: moment, using: &random)])
        merchants.append(merchant)
        return merchant
    }

    /// Issues another secret. Earlier secrets are accepted until `end`, so that a publisher can
    /// switch without a gap.
    ///
    /// - Returns: The new secret.
    /// - Throws: The merchant is unknown or revoked.
    public mutating func rotate(
        _ id: String, at moment: Timestamp, formerUntil end: Timestamp,
        using random: inout some RandomNumberGenerator
    ) throws(MerchantFault) -> Merchant.Secret {
        let place = try place(of: id)
        guard merchants[place].revokedAt == nil else { throw .revoked(id) }
        let fresh = secret(at: moment, using: &random)
        for index in merchants[place].secrets.indices {
            let former = merchants[place].secrets[index].endsAt
            merchants[place].secrets[index].endsAt = former.map { min($0, end) } ?? end
        }
        merchants[place].secrets.insert(fresh, at: 0)
        if merchants[place].secrets.count > Self.limitSecrets {
            merchants[place].secrets.removeLast()
        }
        return fresh
    }

    /// Revokes a merchant or one of its secrets. The call is idempotent.
    ///
    /// - Throws: The merchant or the secret is unknown.
    public mutating func revoke(
        _ id: String, key keyID: String? = nil, at moment: Timestamp
    ) throws(MerchantFault) {
        let place = try place(of: id)
        guard let keyID else {
            merchants[place].revokedAt = merchants[place].revokedAt ?? moment
            for index in merchants[place].secrets.indices { end(place, index, moment) }
            return
        }
        guard
            let index = merchants[place].secrets.firstIndex(where: {
                $0.keyID.utf8.elementsEqual(keyID.utf8)
            })
        else { throw .unknownSecret(keyID) }
        end(place, index, moment)
    }

    private mutating func end(_ place: Int, _ index: Int, _ moment: Timestamp) {
        let former = merchants[place].secrets[index].endsAt
        merchants[place].secrets[index].endsAt = former.map { min($0, moment) } ?? moment
    }

    private func place(of id: String) throws(MerchantFault) -> Int {
        guard let place = merchants.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw .unknownMerchant(id)
        }
        return place
    }

    /// A new secret of 256 random bits as 43 characters, which JWT libraries accept as key text.
    private func secret(
        at moment: Timestamp, using random: inout some RandomNumberGenerator
    ) -> Merchant.Secret {
        var keyID = ""
        repeat {
            keyID = "key_" + Self.text(of: 9, using: &random)
        } while holder(ofKey: keyID) != nil
        return Merchant.Secret(
            keyID: keyID, text: Self.text(of: 32, using: &random), createdAt: moment)
    }

    private static func text(
        of count: Int, using random: inout some RandomNumberGenerator
    ) -> String {
        Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}

/// The reasons why a change of the registry is refused.
public enum MerchantFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name is not valid for a merchant.
    case badName
    /// The limit of merchants is reached.
    case tooMany
    /// The merchant is unknown.
    case unknownMerchant(String)
    /// The merchant has no such secret.
    case unknownSecret(String)
    /// The merchant was revoked.
    case revoked(String)
    /// The file is not a merchant file.
    case badFile

    /// A sentence for users.
    public var description: String {
        switch self {
        case .badName:
            "a name has 1 to \(MerchantRegistry.limitNameBytes) bytes, none of them a control character"
        case .tooMany: "there are \(MerchantRegistry.limitMerchants) merchants already"
        case .unknownMerchant: "unknown merchant"
        case .unknownSecret: "unknown secret of this merchant"
        case .revoked: "the merchant was revoked"
        case .badFile: "it is not a merchant file of this version"
        }
    }
}

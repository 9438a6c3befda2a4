import PaymentCore
import StrictJSON

extension MerchantRegistry {
    /// The longest file of merchants, in bytes.
    public static let limitFileBytes = 32 << 20

    /// The bytes of the file that the registry is kept in. They hold the secrets: a token of HS256 can
    /// only be checked with the secret itself.
    public var fileBytes: [UInt8] {
        let value: JSONValue = ["version": 1, "merchants": .array(merchants.map(\.jsonValue))]
        return Array((value.prettyText() + "\n").utf8)
    }

    /// Reads the file that a registry was kept in.
    ///
    /// - Throws: It was not written by ``fileBytes``, or was changed since.
    public init(fileBytes bytes: [UInt8]) throws(MerchantFault) {
        self.init()
        guard bytes.count <= Self.limitFileBytes,
            let value = try? JSONValue(
                parsing: bytes.span, limits: JSONLimits(maximumDepth: 8, maximumTokens: 2_000_000)),
            value["version"] == 1, let list = value["merchants"]?.arrayValue,
            list.count <= Self.limitMerchants
        else { throw .badFile }
        for entry in list {
            guard let merchant = Merchant(entry), self[merchant.id] == nil,
                merchant.secrets.allSatisfy({ holder(ofKey: $0.keyID) == nil })
            else { throw .badFile }
            merchants.append(merchant)
        }
    }
}

extension Merchant {
    fileprivate var jsonValue: JSONValue {
        [
            "id": .string(id), "name": .string(name), "createdAt": .string(createdAt.description),
            "revokedAt": revokedAt.map { .string($0.description) } ?? .null,
            "secrets": .array(
                secrets.map { secret in
                    [
                        "kid": .string(secret.keyID), "secret": .string(secret.text),
                        "createdAt": .string(secret.createdAt.description),
                        "endsAt": secret.endsAt.map { .string($0.description) } ?? .null,
                    ]
                }),
        ]
    }

    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.stringValue, let name = value["name"]?.stringValue,
            let createdAt = value["createdAt"]?.stringValue.flatMap({ Timestamp($0) }),
            let revokedAt = value["revokedAt"].flatMap(Self.optionalMoment),
            let list = value["secrets"]?.arrayValue, list.count <= MerchantRegistry.limitSecrets
        else { return nil }
        var secrets: [Secret] = []
        for entry in list {
            guard let keyID = entry["kid"]?.stringValue, !keyID.isEmpty,
                !secrets.contains(where: { $0.keyID.utf8.elementsEqual(keyID.utf8) }),
                let text = entry["secret"]?.stringValue, text.utf8.count >= 32,
                let createdAt = entry["createdAt"]?.stringValue.flatMap({ Timestamp($0) }),
                let endsAt = entry["endsAt"].flatMap(Self.optionalMoment)
            else { return nil }
            secrets.append(
                Secret(keyID: keyID, text: text, createdAt: createdAt, endsAt: endsAt.value))
        }
        self.init(
            id: id, name: name, createdAt: createdAt, revokedAt: revokedAt.value, secrets: secrets)
    }

    /// A moment or none; the outer nil says that it is neither.
    private struct Moment {
        var value: Timestamp?
    }

    private static func optionalMoment(_ value: JSONValue) -> Moment? {
        if value.isNull { return Moment(value: nil) }
        return value.stringValue.flatMap { Timestamp($0) }.map { Moment(value: $0) }
    }
}

public import PaymentCore
import StrictJSON

/// The keys of one store: the pair that signs, and the public halves of those that signed before.
///
/// A history that was signed once can be verified as long as its key is in the set; therefore a
/// rotation keeps the old public key and throws the old private key away.
public struct KeyRing: Sendable {
    /// A public key that signs no more.
    public struct Former: Sendable, Hashable {
        /// The key.
        public var key: StoreKey
        /// When it signed for the last time.
        public var retiredAt: Timestamp

        /// Keeps a key.
        public init(key: StoreKey, retiredAt: Timestamp) {
            self.key = key
            self.retiredAt = retiredAt
        }
    }

    /// The pair that signs.
    public private(set) var current: SigningKey
    /// When it was made.
    public private(set) var createdAt: Timestamp
    /// The public keys of before, the latest first.
    public private(set) var former: [Former]

    /// Most public keys that are kept; a rotation beyond that forgets the oldest.
    public static let formerLimit = 32
    /// The longest file of a ring, in bytes.
    public static let limitBytes = 128 << 10

    /// A ring of one pair.
    public init(_ key: SigningKey, createdAt: Timestamp) {
        current = key
        self.createdAt = createdAt
        former = []
    }

    /// Signs with another pair from now on.
    public mutating func rotate(to key: SigningKey, at moment: Timestamp) {
        guard key.publicKey != current.publicKey else { return }
        former.removeAll { $0.key.id == key.publicKey.id }
        former.insert(Former(key: current.publicKey, retiredAt: moment), at: 0)
        if former.count > Self.formerLimit { former.removeLast(former.count - Self.formerLimit) }
        current = key
        createdAt = moment
    }

    /// The public part of it.
    public var keySet: KeySet { KeySet([current.publicKey] + former.map(\.key)) }

    /// Signs a history.
    public func sign(_ history: TransactionHistory) throws(SigningFault) -> SignedHistory {
        try sign(history, limitBytes: .max).signed
    }

    /// Signs a history as far as it fits.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - limitBytes: Most bytes of the JWS; the first purchase is signed even if it takes more.
    /// - Returns: The JWS, and how many purchases from the first one are in it.
    /// - Throws: The key cannot sign.
    public func sign(
        _ history: TransactionHistory, limitBytes: Int
    ) throws(SigningFault) -> (signed: SignedHistory, count: Int) {
        let key = current.publicKey
        let header: JSONValue = ["alg": .string(key.algorithm), "kid": .string(key.id)]
        let signatureLength =
            switch key.material {
            // A signature is as long as the modulus, or has two numbers of 32 bytes.
            case .rsa(let modulus, _): modulus.utf8.count
            case .p256: Base64URL.length(of: 64)
            }
        let stops = 2
        let room =
            limitBytes - Base64URL.length(of: header.jsonText().utf8.count) - stops
            - signatureLength
        let (payload, count) = history.jsonBytes(limit: room / 4 * 3)
        let jws = try CompactJWS.text(header: header, payload: payload) {
            bytes throws(SigningFault) in try current.sign(bytes)
        }
        return (SignedHistory(jws: jws, keyID: key.id, algorithm: key.algorithm), count)
    }
}

extension KeyRing {
    /// The bytes of the file that a ring is kept in. They hold the private key.
    public var fileBytes: [UInt8] {
        let value: JSONValue = [
            "version": 1,
            "current": [
                "alg": .string(current.publicKey.algorithm),
                "kid": .string(current.publicKey.id),
                "createdAt": .string(createdAt.description),
                "privateKey": .string(current.pem),
            ],
            "former": .array(
                former.map {
                    ["retiredAt": .string($0.retiredAt.description), "key": $0.key.jsonValue]
                }),
        ]
        return Array((value.prettyText() + "\n").utf8)
    }

    /// Reads the file that a ring was kept in.
    ///
    /// - Throws: It was not written by ``fileBytes``, or was changed since.
    public init(fileBytes bytes: [UInt8]) throws(KeyRingFault) {
        guard bytes.count <= Self.limitBytes else { throw .notARing }
        guard let value = try? JSONValue(parsing: bytes.span, limits: JSONLimits(maximumDepth: 8)),
            value["version"] == 1,
            let algorithm = value["current"]?["alg"]?.stringValue
                .flatMap(SignatureAlgorithm.init(rawValue:)),
            let createdAt = value["current"]?["createdAt"]?.stringValue.flatMap({ Timestamp($0) }),
            let pem = value["current"]?["privateKey"]?.stringValue,
            let former = value["former"]?.arrayValue, former.count <= Self.formerLimit
        else { throw .notARing }
        guard let current = try? SigningKey(pem: pem, algorithm: algorithm),
            value["current"]?["kid"] == .string(current.publicKey.id)
        else { throw .badKey }
        self.current = current
        self.createdAt = createdAt
        self.former = []
        for entry in former {
            guard let moment = entry["retiredAt"]?.stringValue.flatMap({ Timestamp($0) }),
                let value = entry["key"], let key = try? StoreKey(value), key.id == key.thumbprint
            else { throw .badKey }
            self.former.append(Former(key: key, retiredAt: moment))
        }
    }
}

/// Why a file is no ring of keys. What stands in it is not told: it may be a private key.
public enum KeyRingFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has another form.
    case notARing
    /// A key in it cannot be read, or is not the one that it is named by.
    case badKey

    /// A phrase for people.
    public var description: String {
        switch self {
        case .notARing: "it is not a key file of this version"
        case .badKey: "a key in it is damaged"
        }
    }
}

public import PaymentCore
import StrictJSON

/// The keys of a store: the signing pair, and the public keys of earlier pairs.
///
/// A signed history can be verified as long as its key is in the set. A rotation therefore keeps
/// the old public key and discards the old private key.
public struct KeyRing: Sendable {
    /// A public key that no longer signs.
    public struct Former: Sendable, Hashable {
        /// The public key.
        public var key: StoreKey
        /// The time of its replacement.
        public var retiredAt: Timestamp

        /// Creates a retired key.
        public init(key: StoreKey, retiredAt: Timestamp) {
            self.key = key
            self.retiredAt = retiredAt
        }
    }

    /// The signing pair.
    public private(set) var current: SigningKey
    /// The time when the signing pair was created.
    public private(set) var createdAt: Timestamp
    /// The retired public keys, newest first.
    public private(set) var former: [Former]

    /// Most retired keys; a rotation beyond that drops the oldest.
    public static let formerLimit = 32
    /// The longest key file, in bytes.
    public static let limitBytes = 128 << 10

    /// Creates a ring of one pair.
    public init(_ key: SigningKey, createdAt: Timestamp) {
        current = key
        self.createdAt = createdAt
        former = []
    }

    /// Replaces the signing pair and retires its public key. Does nothing if the pair is the same.
    public mutating func rotate(to key: SigningKey, at moment: Timestamp) {
        guard key.publicKey != current.publicKey else { return }
        former.removeAll { $0.key.id == key.publicKey.id }
        former.insert(Former(key: current.publicKey, retiredAt: moment), at: 0)
        if former.count > Self.formerLimit { former.removeLast(former.count - Self.formerLimit) }
        current = key
        createdAt = moment
    }

    /// The public keys, the signing one first.
    public var keySet: KeySet { KeySet([current.publicKey] + former.map(\.key)) }

    /// Signs a whole history.
    ///
    /// - Throws: The key cannot sign.
    public func sign(_ history: TransactionHistory) throws(SigningFault) -> SignedHistory {
        try sign(history, limitBytes: .max).signed
    }

    /// Signs as many purchases of a history as fit.
    ///
    /// - Parameters:
    ///   - history: The history, newest purchase first.
    ///   - limitBytes: The size limit of the JWS, in bytes; the first purchase may exceed it.
    /// - Returns: The JWS, and the number of purchases in it, counted from the first.
    /// - Throws: The key cannot sign.
    public func sign(
        _ history: TransactionHistory, limitBytes: Int
    ) throws(SigningFault) -> (signed: SignedHistory, count: Int) {
        let key = current.publicKey
        let header: JSONValue = ["alg": .string(key.algorithm), "kid": .string(key.id)]
        let signatureLength =
            switch key.material {
            // An RSA signature is as long as the modulus; an ECDSA signature has two numbers of 32
            // bytes.
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
    /// The bytes of the key file. They contain the private key.
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

    /// Reads a key file.
    ///
    /// - Throws: The bytes are not those of ``fileBytes``.
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

/// The reasons why a file is not a key ring. They contain no file contents, which may be a private
/// key.
public enum KeyRingFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file has another form or version.
    case notARing
    /// A key in the file is unreadable, or its name is not its thumbprint.
    case badKey

    /// A phrase for users.
    public var description: String {
        switch self {
        case .notARing: "it is not a key file of this version"
        case .badKey: "a key in it is damaged"
        }
    }
}

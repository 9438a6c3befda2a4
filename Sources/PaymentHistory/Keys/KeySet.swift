public import PaymentCore
public import StrictJSON

/// The public keys of a store as a JSON Web Key Set (RFC 7517): the signing key first, then the
/// retired ones.
public struct KeySet: Sendable, Hashable {
    /// The keys; their names are unique.
    public let keys: [StoreKey]

    /// The longest key set that is read, in bytes.
    public static let limitBytes = 256 << 10
    /// Most keys in a set that is read.
    public static let limitKeys = 64

    /// Creates a set. Of keys with equal names the first is kept.
    public init(_ keys: [StoreKey]) {
        var names: Set<[UInt8]> = []
        self.keys = keys.filter { names.insert(Array($0.id.utf8)).inserted }
    }

    /// Reads a key set.
    ///
    /// - Parameter bytes: JSON without duplicate member names. Keys of unsupported kinds are
    ///   ignored.
    /// - Throws: The bytes are not a key set, two keys have the same name, or a key is invalid.
    public init(parsing bytes: [UInt8]) throws(KeySetFault) {
        guard bytes.count <= Self.limitBytes else { throw .tooLong }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, limits: JSONLimits(maximumDepth: 8))
        } catch {
            throw .notJSON
        }
        guard let list = value["keys"]?.arrayValue else { throw .noKeys }
        guard list.count <= Self.limitKeys else { throw .tooLong }
        var keys: [StoreKey] = []
        for entry in list {
            guard let key = try StoreKey(entry) else { continue }
            guard !keys.contains(where: { $0.id.utf8.elementsEqual(key.id.utf8) }) else {
                throw .repeatedName
            }
            keys.append(key)
        }
        self.keys = keys
    }

    /// The key with a name; nil if there is none.
    public subscript(id: String) -> StoreKey? {
        keys.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// The set as JSON.
    public var jsonValue: JSONValue { ["keys": .array(keys.map(\.jsonValue))] }

    /// The set as JSON, in UTF-8.
    public var jsonBytes: [UInt8] { Array(jsonValue.jsonText().utf8) }
}

/// The reasons why bytes are not a key set.
public enum KeySetFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The set has more bytes or keys than allowed.
    case tooLong
    /// The bytes are not strict JSON.
    case notJSON
    /// The list `keys` is missing.
    case noKeys
    /// Two keys have the same name.
    case repeatedName
    /// The name of a key is empty or too long.
    case badName
    /// A number of a key is missing or is not canonical base64url; the value is its member name.
    case badNumber(String)
    /// The numbers form no key, or a key of an unsupported size.
    case unusable
    /// The set contains a private key.
    case privateKey

    /// A phrase for users.
    public var description: String {
        switch self {
        case .tooLong: "it is too long for a key set"
        case .notJSON: "it is not JSON, or repeats a member"
        case .noKeys: "it has no list of keys"
        case .repeatedName: "two keys have the same kid"
        case .badName: "a kid is empty or too long"
        case .badNumber(let name): "'\(name)' of a key is missing or not canonical base64url"
        case .unusable: "a key is neither RSA with 2048 to 8192 bits nor EC on P-256"
        case .privateKey: "it holds a private key"
        }
    }
}

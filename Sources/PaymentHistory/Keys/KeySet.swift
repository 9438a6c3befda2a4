public import PaymentCore
public import StrictJSON

/// The public keys of a store as a JSON Web Key Set (RFC 7517): the one that signs now first, then
/// those that have signed before.
public struct KeySet: Sendable, Hashable {
    /// The keys; their names differ.
    public let keys: [StoreKey]

    /// The longest key set that is read, in bytes.
    public static let limitBytes = 256 << 10
    /// Most keys of a set that is read.
    public static let limitKeys = 64

    /// Makes a set. Of two keys with one name the first counts.
    public init(_ keys: [StoreKey]) {
        var names: Set<[UInt8]> = []
        self.keys = keys.filter { names.insert(Array($0.id.utf8)).inserted }
    }

    /// Reads a key set.
    ///
    /// - Parameter bytes: JSON without members of the same name. Keys that no history is signed with
    ///   are passed over.
    /// - Throws: It is no key set, has two keys of one name, or a key is not what it says.
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

    /// The key of a name.
    public subscript(id: String) -> StoreKey? {
        keys.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// The set as JSON.
    public var jsonValue: JSONValue { ["keys": .array(keys.map(\.jsonValue))] }

    /// The set as the bytes of its JSON.
    public var jsonBytes: [UInt8] { Array(jsonValue.jsonText().utf8) }
}

/// Why something is no key set.
public enum KeySetFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// More bytes or keys than allowed.
    case tooLong
    /// No strict JSON.
    case notJSON
    /// There is no list `keys`.
    case noKeys
    /// Two keys have one name.
    case repeatedName
    /// The name of a key is empty or too long.
    case badName
    /// A number of a key is missing or not canonical base64url.
    case badNumber(String)
    /// The numbers make no key, or one that is too weak or too large.
    case unusable
    /// It holds a private key, which has no place in a key set.
    case privateKey

    /// A phrase for people.
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

import Crypto
public import PaymentCore
public import StrictJSON

extension StoreKey {
    /// The key as a JSON Web Key, with its use, algorithm and name.
    public var jsonValue: JSONValue {
        var members = required
        members.append(JSONMember(name: "use", value: "sig"))
        members.append(JSONMember(name: "alg", value: .string(algorithm)))
        members.append(JSONMember(name: "kid", value: .string(id)))
        return .object(members)
    }

    /// The RFC 7638 thumbprint with SHA-256, in base64url. The keys of this store are named by it.
    public var thumbprint: String {
        Base64URL.encode(SHA256.hash(data: Array(JSONValue.object(required).jsonText().utf8)))
    }

    /// The required members of the key, sorted by name. The thumbprint is computed over exactly
    /// these.
    private var required: [JSONMember] {
        switch material {
        case .rsa(let modulus, let exponent):
            [
                JSONMember(name: "e", value: .string(exponent)),
                JSONMember(name: "kty", value: "RSA"),
                JSONMember(name: "n", value: .string(modulus)),
            ]
        case .p256(let x, let y):
            [
                JSONMember(name: "crv", value: "P-256"),
                JSONMember(name: "kty", value: "EC"),
                JSONMember(name: "x", value: .string(x)),
                JSONMember(name: "y", value: .string(y)),
            ]
        }
    }

    /// Reads a JSON Web Key.
    ///
    /// - Returns: Nil for a key of an unsupported kind, curve, use or algorithm. RFC 7517 section 5
    ///   requires such keys to be ignored.
    /// - Throws: The key is of a supported kind but invalid.
    init?(_ value: JSONValue) throws(KeySetFault) {
        if let use = value["use"], use != "sig" { return nil }
        let algorithm: SignatureAlgorithm
        switch value["kty"]?.stringValue {
        case "RSA": algorithm = .rs256
        case "EC" where value["crv"] == "P-256": algorithm = .es256
        default: return nil
        }
        if let named = value["alg"], named != .string(algorithm.rawValue) { return nil }
        func number(_ name: String) throws(KeySetFault) -> String {
            guard let text = value[name]?.stringValue, Base64URL.decode(text.utf8) != nil else {
                throw .badNumber(name)
            }
            return text
        }
        guard value["d"] == nil else { throw .privateKey }
        let material: Material =
            switch algorithm {
            case .rs256: .rsa(modulus: try number("n"), exponent: try number("e"))
            case .es256: .p256(x: try number("x"), y: try number("y"))
            }
        self.init(id: "", algorithm: algorithm.rawValue, material: material)
        // A key without a name is named by its thumbprint.
        id = value["kid"]?.stringValue ?? thumbprint
        guard (1...256).contains(id.utf8.count) else { throw .badName }
        _ = try VerifyingKey(self)
    }
}

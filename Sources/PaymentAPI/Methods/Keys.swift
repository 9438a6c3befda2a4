public import PaymentCore
import StrictJSON

/// `keys`: the public keys that verify the store's signatures.
public enum Keys: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The key set.
    public struct Result: WireResult, Hashable {
        /// The keys, the signing key first.
        public var keys: [StoreKey]

        /// The members: a JSON Web Key Set (RFC 7517).
        public static let form = ResultForm<Result>.object([
            .required(
                "keys", \.keys, .list(of: key), "The JSON Web Keys, the current one first.")
        ])

        /// Creates a result.
        public init(keys: [StoreKey]) {
            self.keys = keys
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "keys",
        summary: "Fetch the public keys of the store",
        description: """
            Returns a JSON Web Key Set: the current signing key first, then earlier keys, so that \
            older histories can still be verified. A kid is the thumbprint of RFC 7638. No account \
            needs to be in session.
            """,
        errors: [.appNotRegistered, .storeUnavailable, .connectionError, .notDurable],
        role: .observe,
        example: Result(keys: [Examples.storeKey]))

    private static let key = ResultForm<StoreKey>.object([
        .required(
            "kty", { $0.modulus == nil ? "EC" : "RSA" },
            ResultForm(Schema.words(["RSA", "EC"])) { $1.string($0) }, "The type of key."),
        .required(
            "use", { _ in "sig" }, ResultForm(Schema.words(["sig"])) { $1.string($0) },
            "The use of the key."),
        .required("alg", \.algorithm, .text, "The algorithm: RS256 or ES256."),
        .required("kid", \.id, .text, "The identifier of the key in signatures."),
        .optional("n", \.modulus, .text, "The modulus of an RSA key."),
        .optional("e", \.exponent, .text, "The exponent of an RSA key."),
        .optional("crv", { $0.x.map { _ in "P-256" } }, .text, "The curve of an EC key: P-256."),
        .optional("x", \.x, .text, "The first coordinate of an EC key."),
        .optional("y", \.y, .text, "The second coordinate of an EC key."),
    ])
}

extension StoreKey {
    fileprivate var modulus: String? {
        if case .rsa(let modulus, _) = material { modulus } else { nil }
    }
    fileprivate var exponent: String? {
        if case .rsa(_, let exponent) = material { exponent } else { nil }
    }
    fileprivate var x: String? { if case .p256(let x, _) = material { x } else { nil } }
    fileprivate var y: String? { if case .p256(_, let y) = material { y } else { nil } }
}

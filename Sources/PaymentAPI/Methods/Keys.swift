public import PaymentCore
public import StrictJSON

/// `keys`: what the store's signatures are verified with.
public enum Keys: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The key set.
    public struct Result: WireResult, Hashable {
        /// The keys, the one in use first.
        public var keys: [StoreKey]

        /// Makes a result.
        public init(keys: [StoreKey]) {
            self.keys = keys
        }

        /// Appends the result: a JSON Web Key Set (RFC 7517), as it is.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"keys\":[")
            for key in keys {
                writer.element()
                writer.storeKey(key)
            }
            writer.raw("]}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "keys",
        summary: "Fetch the public keys of the store",
        description: """
            Returns a JSON Web Key Set: the current signing key first, then earlier keys, so that \
            older histories can still be verified. A kid is the thumbprint of RFC 7638. No account \
            needs to be in session.
            """,
        resultSchema: Schema.object([
            Schema.required(
                "keys", Schema.list(of: key),
                """
                The JSON Web Keys, the current one first.
                """)
        ]),
        errors: [.appNotRegistered, .storeUnavailable, .connectionError, .notDurable],
        role: .observe,
        example: .init(result: Result(keys: [Examples.storeKey])))

    private static let key = Schema.object([
        Schema.required("kty", Schema.words(["RSA", "EC"]), "The type of key."),
        Schema.required("use", Schema.words(["sig"]), "The use of the key."),
        Schema.required("alg", Schema.text, "The algorithm: RS256 or ES256."),
        Schema.required("kid", Schema.text, "The identifier of the key in signatures."),
        Schema.optional("n", Schema.text, "The modulus of an RSA key."),
        Schema.optional("e", Schema.text, "The exponent of an RSA key."),
        Schema.optional("crv", Schema.text, "The curve of an EC key: P-256."),
        Schema.optional("x", Schema.text, "The first coordinate of an EC key."),
        Schema.optional("y", Schema.text, "The second coordinate of an EC key."),
    ])
}

extension JSONWriter {
    fileprivate mutating func storeKey(_ key: StoreKey) {
        beginObject()
        switch key.material {
        case .rsa(let modulus, let exponent):
            member("kty", "RSA")
            common(key)
            member("n", modulus)
            member("e", exponent)
        case .p256(let x, let y):
            member("kty", "EC")
            common(key)
            member("crv", "P-256")
            member("x", x)
            member("y", y)
        }
        endObject()
    }

    private mutating func common(_ key: StoreKey) {
        member("use", "sig")
        member("alg", key.algorithm)
        member("kid", key.id)
    }

    private mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }
}

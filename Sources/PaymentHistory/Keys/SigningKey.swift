import Crypto
import CryptoExtras
import FoundationEssentials
public import PaymentCore

/// A key pair that signs histories. The private key is written only to the key file.
public struct SigningKey: Sendable {
    private enum Kind: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    private let kind: Kind
    /// The public key, named by its thumbprint.
    public let publicKey: StoreKey

    /// Generates a key pair with the random source of the cryptographic library. An RSA key of 2048
    /// bits takes some tenths of a second.
    ///
    /// - Throws: ``SigningFault/cannotGenerate`` if the library fails.
    public static func generate(_ algorithm: SignatureAlgorithm) throws(SigningFault) -> SigningKey
    {
        switch algorithm {
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw .cannotGenerate
            }
            return try SigningKey(.rsa(key))
        case .es256: return try SigningKey(.p256(P256.Signing.PrivateKey()))
        }
    }

    /// Reads a private key: PKCS #1 or PKCS #8 for RSA, SEC 1 or PKCS #8 for P-256.
    ///
    /// - Throws: ``SigningFault/badKey`` if the text is not such a key.
    public init(pem: String, algorithm: SignatureAlgorithm) throws(SigningFault) {
        switch algorithm {
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else {
                throw .badKey
            }
            try self.init(.rsa(key))
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
                throw .badKey
            }
            try self.init(.p256(key))
        }
    }

    private init(_ kind: Kind) throws(SigningFault) {
        self.kind = kind
        let material: StoreKey.Material
        switch kind {
        case .rsa(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { throw .badKey }
            material = .rsa(
                modulus: Base64URL.encode(numbers.modulus.drop { $0 == 0 }),
                exponent: Base64URL.encode(numbers.publicExponent.drop { $0 == 0 }))
        case .p256(let key):
            let point = key.publicKey.rawRepresentation
            material = .p256(
                x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
        }
        var publicKey = StoreKey(
            id: "", algorithm: Self.algorithm(of: kind).rawValue, material: material)
        publicKey.id = publicKey.thumbprint
        self.publicKey = publicKey
    }

    /// The algorithm of the signatures.
    public var algorithm: SignatureAlgorithm { Self.algorithm(of: kind) }

    /// The private key in PEM, for the key file.
    public var pem: String {
        switch kind {
        case .rsa(let key): key.pkcs8PEMRepresentation
        case .p256(let key): key.pemRepresentation
        }
    }

    /// Signs bytes.
    ///
    /// - Throws: ``SigningFault/cannotSign`` if the library fails.
    func sign(_ bytes: [UInt8]) throws(SigningFault) -> [UInt8] {
        let digest = SHA256.hash(data: bytes)
        switch kind {
        case .rsa(let key):
            guard let signature = try? key.signature(for: digest, padding: .insecurePKCS1v1_5)
            else { throw .cannotSign }
            return Array(signature.rawRepresentation)
        case .p256(let key):
            guard let signature = try? key.signature(for: digest) else { throw .cannotSign }
            return Array(signature.rawRepresentation)
        }
    }

    private static func algorithm(of kind: Kind) -> SignatureAlgorithm {
        switch kind {
        case .rsa: .rs256
        case .p256: .es256
        }
    }
}

/// The failures of signing.
public enum SigningFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not a private key of the algorithm.
    case badKey
    /// The library generated no key.
    case cannotGenerate
    /// The library made no signature.
    case cannotSign

    /// A sentence for users.
    public var description: String {
        switch self {
        case .badKey: "the private key cannot be read"
        case .cannotGenerate: "no key could be generated"
        case .cannotSign: "signing failed"
        }
    }
}

import Crypto
import CryptoExtras
import FoundationEssentials
import PaymentCore

/// A public key in the form that the cryptographic library verifies with.
struct VerifyingKey {
    private enum Kind {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
    }

    private let kind: Kind

    /// The accepted sizes of RSA keys, in bits: smaller ones are too weak, larger ones cost too
    /// much time.
    private static let bits = 2048...8192

    /// Creates the key from its numbers.
    ///
    /// - Throws: The numbers do not form a key of an accepted size.
    init(_ key: StoreKey) throws(KeySetFault) {
        func bytes(_ text: String) throws(KeySetFault) -> [UInt8] {
            guard let bytes = Base64URL.decode(text.utf8) else { throw .unusable }
            return bytes
        }
        switch key.material {
        case .rsa(let modulus, let exponent):
            let (modulus, exponent) = (try bytes(modulus), try bytes(exponent))
            // The lengths are checked before any computation, because the input is untrusted. RFC
            // 7518 section 6.3.1.1 forbids leading zeros.
            guard modulus.count <= Self.bits.upperBound / 8, modulus.first != 0,
                (1...8).contains(exponent.count), exponent.first != 0,
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
                Self.bits.contains(key.keySizeInBits)
            else { throw .unusable }
            kind = .rsa(key)
        case .p256(let x, let y):
            let (x, y) = (try bytes(x), try bytes(y))
            guard x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { throw .unusable }
            kind = .p256(key)
        }
    }

    /// The algorithm of the signatures that it verifies.
    var algorithm: SignatureAlgorithm {
        switch kind {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// True if the signature over the bytes was made with the private key.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        let digest = SHA256.hash(data: bytes)
        switch kind {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
                padding: .insecurePKCS1v1_5)
        case .p256(let key):
            // RFC 7518 section 3.4: the signature is two numbers of 32 bytes each.
            guard signature.count == 64,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }
}

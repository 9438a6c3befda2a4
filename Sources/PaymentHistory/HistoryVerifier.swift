public import PaymentCore
import StrictJSON

/// A verifier of signed histories, with the public keys of a store.
///
/// It uses only the key name of the unverified header. The key determines the algorithm, never the
/// text under verification.
public struct HistoryVerifier: Sendable {
    /// The trusted keys.
    public let keys: KeySet
    /// The longest accepted text, in bytes.
    public let limitBytes: Int

    /// Creates a verifier with trusted keys.
    public init(keys: KeySet, limitBytes: Int = 64 << 20) {
        self.keys = keys
        self.limitBytes = limitBytes
    }

    /// Verifies a history.
    ///
    /// - Parameter jws: The compact JWS; line ends after it are ignored.
    /// - Returns: The signed history and the key that signed it.
    /// - Throws: The first fault found.
    public func verify(_ jws: String) throws(VerificationFault) -> (
        history: TransactionHistory, key: StoreKey
    ) {
        var text = Array(jws.utf8)[...]
        while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r") {
            text.removeLast()
        }
        let parts: CompactJWS
        do throws(JWSFault) {
            parts = try CompactJWS(text, limit: limitBytes)
        } catch {
            throw .form(error)
        }
        guard let name = parts.header["kid"]?.stringValue else { throw .noKeyName }
        guard let key = keys[name] else { throw .unknownKey(name) }
        guard let verifying = try? VerifyingKey(key) else { throw .unknownKey(name) }
        guard parts.header["alg"] == .string(verifying.algorithm.rawValue) else {
            throw .wrongAlgorithm(expected: verifying.algorithm)
        }
        guard verifying.isValid(parts.signature, for: parts.signedBytes) else {
            throw .badSignature
        }
        do throws(HistoryFault) {
            return (try TransactionHistory(parsing: parts.payload), key)
        } catch {
            throw .payload(error)
        }
    }
}

/// The reasons why a signed history is rejected.
public enum VerificationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not a JWS.
    case form(JWSFault)
    /// The header has no key name.
    case noKeyName
    /// No trusted key has this name.
    case unknownKey(String)
    /// The header names another algorithm than the key's.
    case wrongAlgorithm(expected: SignatureAlgorithm)
    /// The signature was made with another key or over other bytes.
    case badSignature
    /// The signature is valid, but the payload is not a history.
    case payload(HistoryFault)

    /// A sentence for users.
    public var description: String {
        switch self {
        case .form(let fault): "it is not a compact JWS: \(fault.word)"
        case .noKeyName: "its header has no kid"
        case .unknownKey(let name): "no known key has the kid '\(name.prefix(64))'"
        case .wrongAlgorithm(let expected):
            "its header claims another algorithm than the key's \(expected.rawValue)"
        case .badSignature: "the signature is not valid"
        case .payload(let fault): "it is signed, but is not a history: \(fault)"
        }
    }
}

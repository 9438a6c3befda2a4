public import PaymentCore
import StrictJSON

/// Verifies signed histories against the public keys of a store.
///
/// The header is believed in one thing only: which of the known keys to try. How a signature is
/// computed is a property of the key, never of the text that is verified.
public struct HistoryVerifier: Sendable {
    /// The keys that are trusted.
    public let keys: KeySet
    /// The longest text that is looked at, in bytes.
    public let limitBytes: Int

    /// Trusts keys.
    public init(keys: KeySet, limitBytes: Int = 64 << 20) {
        self.keys = keys
        self.limitBytes = limitBytes
    }

    /// Verifies a history.
    ///
    /// - Parameter jws: The compact JWS; a line feed after it is passed over.
    /// - Returns: What was signed, and which key did it.
    /// - Throws: The first thing that is wrong.
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

/// Why a signed history is not to be believed.
public enum VerificationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is no JWS.
    case form(JWSFault)
    /// It does not say which key signed it.
    case noKeyName
    /// No known key has the name.
    case unknownKey(String)
    /// The header claims another algorithm than the key's.
    case wrongAlgorithm(expected: SignatureAlgorithm)
    /// The signature was made with another key, or over other bytes.
    case badSignature
    /// The signature is right, what was signed is no history.
    case payload(HistoryFault)

    /// A sentence for people.
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

public import StrictJSON

/// A compact JWS taken apart (RFC 7515 section 7.1). Nothing in it is to be believed before its
/// signature was verified.
public struct CompactJWS: Sendable, Hashable {
    /// The protected header, an object.
    public let header: JSONValue
    /// The signed part.
    public let payload: [UInt8]
    /// The signature.
    public let signature: [UInt8]
    /// The bytes that the signature is over: the first two parts with the full stop.
    public let signedBytes: [UInt8]

    /// The longest header in characters.
    public static let headerLimit = 2048

    /// Takes a JWS apart.
    ///
    /// - Parameters:
    ///   - text: The three parts, nothing around them.
    ///   - limit: Most characters of all of them.
    /// - Throws: What is wrong with the form.
    public init(_ text: some Collection<UInt8>, limit: Int) throws(JWSFault) {
        guard text.count <= limit else { throw .tooLong }
        let parts = text.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notThreeParts }
        guard parts.allSatisfy({ !$0.isEmpty }) else { throw .emptyPart }
        guard parts[0].count <= Self.headerLimit else { throw .tooLong }
        guard let header = Base64URL.decode(parts[0]) else { throw .spelling(.header) }
        guard let payload = Base64URL.decode(parts[1]) else { throw .spelling(.payload) }
        guard let signature = Base64URL.decode(parts[2]) else { throw .spelling(.signature) }
        self.header = try Self.object(header, .header, Self.headerLimits)
        self.payload = payload
        self.signature = signature
        signedBytes = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        // RFC 7515 section 4.1.11: a reader that does not know a critical extension refuses.
        guard self.header["crit"] == nil else { throw .critical }
    }

    /// Reads one of the parts as an object without members of the same name.
    static func object(
        _ bytes: [UInt8], _ part: JWSFault.Part, _ limits: JSONLimits
    ) throws(JWSFault) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, limits: limits)
        } catch {
            throw error.kind == .duplicateName ? .repeatedMember(part) : .notJSON(part)
        }
        guard value.members != nil else { throw .notAnObject(part) }
        return value
    }

    private static let headerLimits = JSONLimits(maximumDepth: 4, maximumTokens: 64)

    /// Puts a JWS together.
    ///
    /// - Parameters:
    ///   - header: The protected header.
    ///   - payload: What is signed.
    ///   - sign: Signs the bytes that it is given.
    /// - Returns: The three parts.
    /// - Throws: What `sign` throws.
    public static func text<Failure: Error>(
        header: JSONValue, payload: [UInt8], sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        // A payload may have megabytes: one array takes all three parts.
        let header = header.jsonText().utf8
        var text: [UInt8] = []
        text.reserveCapacity(
            Base64URL.length(of: header.count) + Base64URL.length(of: payload.count) + 1024)
        Base64URL.append(header, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &text)
        let signature = try sign(text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// A fault in the form of a JWS, whatever its signature.
public enum JWSFault: Error, Sendable, Hashable {
    /// The parts of a JWS.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// How it was signed.
        case header
        /// The signed part.
        case payload
        /// The signature.
        case signature
    }

    /// More characters than allowed.
    case tooLong
    /// Not three parts.
    case notThreeParts
    /// A part without a character.
    case emptyPart
    /// Not the canonical base64url of any bytes.
    case spelling(Part)
    /// No JSON, or more of it than allowed.
    case notJSON(Part)
    /// An object has two members of one name.
    case repeatedMember(Part)
    /// JSON, but no object.
    case notAnObject(Part)
    /// The header names extensions that must be known, and none is.
    case critical

    /// A word for logs.
    public var word: String {
        switch self {
        case .tooLong: "tooLong"
        case .notThreeParts: "notThreeParts"
        case .emptyPart: "emptyPart"
        case .spelling(let part): "\(part.rawValue)NotCanonicalBase64"
        case .notJSON(let part): "\(part.rawValue)NotJSON"
        case .repeatedMember(let part): "\(part.rawValue)RepeatsAMember"
        case .notAnObject(let part): "\(part.rawValue)NotAnObject"
        case .critical: "criticalExtension"
        }
    }
}

public import StrictJSON

/// The parts of a compact JWS (RFC 7515 section 7.1). They are untrusted until the signature is
/// verified.
public struct CompactJWS: Sendable, Hashable {
    /// The protected header, a JSON object.
    public let header: JSONValue
    /// The payload, decoded.
    public let payload: [UInt8]
    /// The signature, decoded.
    public let signature: [UInt8]
    /// The bytes that the signature covers: the first two encoded parts and the full stop between
    /// them.
    public let signedBytes: [UInt8]

    /// The longest encoded header, in characters.
    public static let headerLimit = 2048

    /// Parses a JWS.
    ///
    /// - Parameters:
    ///   - text: The three parts, with nothing before or after.
    ///   - limit: The longest text, in characters.
    /// - Throws: The first fault in the form.
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

    /// Parses a part as an object without duplicate member names.
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

    /// Assembles and signs a JWS.
    ///
    /// - Parameters:
    ///   - header: The protected header.
    ///   - payload: The payload.
    ///   - sign: Signs the given bytes and returns the signature.
    /// - Returns: The compact JWS.
    /// - Throws: The error of `sign`.
    public static func text<Failure: Error>(
        header: JSONValue, payload: [UInt8], sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        // One array holds all three parts, because a payload may have several megabytes.
        let header = Array(header.jsonText().utf8)
        var text: [UInt8] = []
        text.reserveCapacity(
            Base64URL.length(of: header.count) + Base64URL.length(of: payload.count) + 1024)
        Base64URL.append(header.span, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(payload.span, to: &text)
        let signature = try sign(text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// The faults in the form of a JWS, independent of its signature.
public enum JWSFault: Error, Sendable, Hashable {
    /// The parts of a JWS.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// The protected header.
        case header
        /// The payload.
        case payload
        /// The signature.
        case signature
    }

    /// The text or the header has more characters than allowed.
    case tooLong
    /// The text does not have three parts.
    case notThreeParts
    /// A part is empty.
    case emptyPart
    /// A part is not canonical base64url.
    case spelling(Part)
    /// A part is not JSON or exceeds the limits.
    case notJSON(Part)
    /// An object has a duplicate member name.
    case repeatedMember(Part)
    /// A part is JSON, but not an object.
    case notAnObject(Part)
    /// The header names critical extensions; none is supported.
    case critical

    /// The word for logs.
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

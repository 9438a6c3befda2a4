public import JSONRPC
import StrictJSON

/// The error for parameters that violate the contract. The call had no effect.
public struct InvalidParameters: Error, Sendable, Hashable {
    /// The kinds of violations, by their words in `data.kind`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A required parameter is missing.
        case missingParam
        /// A parameter name is unknown, or an array has too many elements.
        case unknownParam
        /// The JSON type is wrong.
        case wrongType
        /// The type is right, but the value is not allowed.
        case outOfRange
        /// The value has more bytes than allowed.
        case tooLong
        /// The call may wait, which batches do not allow.
        case waitInBatch
    }

    /// The kind of the violation.
    public let kind: Kind
    /// The place, as a JSON Pointer into the parameters; empty for the parameters as a whole.
    public let path: String
    /// The accepted values at the place.
    public let expected: String?
    /// The nearest accepted name or word.
    public let didYouMean: String?
    /// A sentence about a name of StoreKit or OnsideKit, without a full stop.
    public let hint: String?

    /// Creates an error.
    public init(
        _ kind: Kind, at path: String, expected: String? = nil, didYouMean: String? = nil,
        hint: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.expected = expected
        self.didYouMean = didYouMean
        self.hint = hint
    }

    /// Creates an error for an unknown name or word, with the nearest accepted one.
    init(
        _ kind: Kind, at path: String, expected: String?, given: String, accepted: [String]
    ) {
        let advice = FamiliarNames.advice(
            for: given, among: accepted, isValue: kind == .outOfRange)
        self.init(
            kind, at: path, expected: expected, didYouMean: advice.didYouMean, hint: advice.hint)
    }

    /// The error object with code −32602.
    public var errorObject: ErrorObject {
        var details: [JSONMember] = [JSONMember(name: "path", value: .string(path))]
        if let expected { details.append(JSONMember(name: "expected", value: .string(expected))) }
        if let didYouMean {
            details.append(JSONMember(name: "didYouMean", value: .string(didYouMean)))
        }
        if let hint { details.append(JSONMember(name: "hint", value: .string(hint))) }
        return ErrorCode.invalidParams.object(
            kind: kind.rawValue, message: sentence, .object(details))
    }

    private var sentence: String {
        let place = path.isEmpty ? "the parameters" : "'\(path)'"
        let hint = didYouMean.map { "; did you mean '\($0)'?" } ?? ""
        let wanted = expected.map { ": expected \($0)" } ?? ""
        return switch kind {
        case .missingParam: "Invalid params: \(place) is missing\(wanted)"
        case .unknownParam: "Invalid params: \(place) is not a parameter\(wanted)\(hint)"
        case .wrongType:
            "Invalid params: \(place) \(path.isEmpty ? "have" : "has") the wrong type\(wanted)"
        case .outOfRange: "Invalid params: \(place) is out of range\(wanted)\(hint)"
        case .tooLong: "Invalid params: \(place) is too long\(wanted)"
        case .waitInBatch: "Invalid params: this call would wait, and calls in a batch cannot wait"
        }
    }

    /// The path of a member below a parent path, escaped as a JSON Pointer (RFC 6901).
    static func path(_ parent: String, _ name: String) -> String {
        let name = EchoedName.clipped(name)
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return parent + "/" + name }
        var escaped = ""
        for character in name.unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return parent + "/" + escaped
    }
}

public import JSONRPC
import StrictJSON

/// The parameters of a call are not what the contract says. Nothing was done.
public struct InvalidParameters: Error, Sendable, Hashable {
    /// The kind of problem; the word that `data.kind` carries.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A required parameter is not there.
        case missingParam
        /// There is no parameter of that name, or none at that place of an array.
        case unknownParam
        /// The JSON type is another one.
        case wrongType
        /// The type is right, the value is not allowed.
        case outOfRange
        /// More bytes than allowed.
        case tooLong
        /// The call would have to wait, and batches do not.
        case waitInBatch
    }

    /// The problem.
    public let kind: Kind
    /// Where, as a JSON Pointer into the parameters; empty for the parameters themselves.
    public let path: String
    /// The values that are accepted there.
    public let expected: String?
    /// The accepted name or word that was probably meant.
    public let didYouMean: String?
    /// A sentence about the name or word, if StoreKit or OnsideKit has it; without a full stop.
    public let hint: String?

    /// Describes what is wrong.
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

    /// Describes a name or word that is not accepted, with what was probably meant.
    init(
        _ kind: Kind, at path: String, expected: String?, given: String, accepted: [String]
    ) {
        self.init(
            kind, at: path, expected: expected,
            didYouMean: FamiliarNames.suggestion(for: given, among: accepted),
            hint: FamiliarNames.sentence(about: given))
    }

    /// The error −32602 that says so.
    public var errorObject: ErrorObject {
        var details: [JSONMember] = [JSONMember(name: "path", value: .string(path))]
        if let expected { details.append(JSONMember(name: "expected", value: .string(expected))) }
        if let didYouMean {
            details.append(JSONMember(name: "didYouMean", value: .string(didYouMean)))
        }
        if let hint { details.append(JSONMember(name: "hint", value: .string(hint))) }
        return ErrorCode.invalidParams.object(kind: kind.rawValue, message: sentence, details)
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

    /// The path of a member below another path, escaped as JSON Pointers are (RFC 6901).
    static func path(_ parent: String, _ name: String) -> String {
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

import StrictJSON

/// The reason why a line or an element of a batch is not a valid request.
public struct RPCFault: Error, Sendable, Hashable {
    /// The kinds of faults, by their words in `data.kind`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The line is not JSON.
        case syntax
        /// The line is not UTF-8, or begins with a byte order mark.
        case encoding
        /// The line or element is neither an object nor a batch.
        case notAnObject
        /// `jsonrpc` is not the string "2.0".
        case badVersion
        /// `method` is missing or not a string, or the object is a reply.
        case badMethod
        /// `id` is not a string, number or null, or is longer than `RequestEnvelope.idLimitBytes`.
        case badId
        /// `params` is neither an object nor an array.
        case badParams
        /// An object has a duplicate member name.
        case duplicateName
        /// An escape is half of a surrogate pair.
        case loneSurrogate
        /// The nesting of the line exceeds the limit.
        case tooDeep
        /// The number of tokens in the line exceeds the limit.
        case tooManyTokens
        /// The batch has no elements.
        case emptyBatch
        /// The number of elements in the batch exceeds the limit.
        case batchTooLarge
    }

    /// The kind of the fault.
    public let kind: Kind

    /// The offset of the fault in the line, in bytes from 0; nil unless a scan found it.
    public let offset: Int?

    /// The exceeded limit; nil for other faults.
    public let limit: Int?

    /// The range of the request's id in the line. Nil if the id is missing or ambiguous; the reply
    /// then has a null id.
    public let id: Range<Int>?

    /// Creates a fault.
    public init(kind: Kind, offset: Int? = nil, limit: Int? = nil, id: Range<Int>? = nil) {
        self.kind = kind
        self.offset = offset
        self.limit = limit
        self.id = id
    }

    /// The code: -32700 for text that is not JSON, -32600 for JSON that is not a request.
    public var code: Int {
        switch kind {
        case .syntax, .encoding: -32700
        case .notAnObject, .badVersion, .badMethod, .badId, .badParams, .duplicateName,
            .loneSurrogate, .tooDeep, .tooManyTokens, .emptyBatch, .batchTooLarge:
            -32600
        }
    }

    /// The error of the reply. The request had no effect, and a retry would fail again.
    public var errorObject: ErrorObject {
        var data = [
            JSONMember(name: "kind", value: .string(kind.rawValue)),
            JSONMember(name: "retry", value: "no"),
            JSONMember(name: "effect", value: "none"),
        ]
        if let offset { data.append(JSONMember(name: "offset", value: .integer(offset))) }
        if let limit { data.append(JSONMember(name: "limit", value: .integer(limit))) }
        let message = code == -32700 ? "Parse error" : "Invalid Request"
        return ErrorObject(code: code, message: message, data: data)
    }
}

extension RPCFault.Kind {
    /// The kind for a fault of the scanner.
    init(_ kind: JSONFault.Kind) {
        switch kind {
        case .syntax: self = .syntax
        case .encoding: self = .encoding
        case .duplicateName: self = .duplicateName
        case .loneSurrogate: self = .loneSurrogate
        case .tooDeep: self = .tooDeep
        case .tooManyTokens: self = .tooManyTokens
        }
    }
}

import StrictJSON

/// Why a line, or an element of a batch, is no valid request.
public struct RPCFault: Error, Sendable, Hashable {
    /// The reasons, by the words that programs see in `data.kind`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The line is not JSON.
        case syntax
        /// The line is not UTF-8, or begins with a byte order mark.
        case encoding
        /// The line, or the element, is neither an object nor a batch.
        case notAnObject
        /// `jsonrpc` is not the string "2.0".
        case badVersion
        /// `method` is missing or no string, or the object is a reply.
        case badMethod
        /// `id` is no string, number or null, or is longer than `RequestEnvelope.idLimitBytes`.
        case badId
        /// `params` is neither an object nor an array.
        case badParams
        /// An object repeats a name.
        case duplicateName
        /// An escape stands for half of a surrogate pair.
        case loneSurrogate
        /// The line is nested beyond the limit.
        case tooDeep
        /// The line has more tokens than the limit.
        case tooManyTokens
        /// A batch without elements.
        case emptyBatch
        /// A batch beyond the limit.
        case batchTooLarge
    }

    /// The problem.
    public let kind: Kind

    /// The byte of the line, from 0, at which it is wrong, for what a scan finds.
    public let offset: Int?

    /// The limit that was passed, if one was.
    public let limit: Int?

    /// The bytes of the request's id in the line; nil if there is none that can be told for
    /// certain, and then the answer's id is null.
    public let id: Range<Int>?

    /// Describes a fault.
    public init(kind: Kind, offset: Int? = nil, limit: Int? = nil, id: Range<Int>? = nil) {
        self.kind = kind
        self.offset = offset
        self.limit = limit
        self.id = id
    }

    /// -32700 for what is not JSON, -32600 for JSON that is no request.
    public var code: Int {
        switch kind {
        case .syntax, .encoding: -32700
        case .notAnObject, .badVersion, .badMethod, .badId, .badParams, .duplicateName,
            .loneSurrogate, .tooDeep, .tooManyTokens, .emptyBatch, .batchTooLarge:
            -32600
        }
    }

    /// The error to answer with. Nothing was done, and sending the same again cannot help.
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
    /// The word for what a scan found.
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

public import JSONRPC
public import StrictJSON

extension ErrorCode {
    /// Creates the error object of a reply.
    ///
    /// - Parameters:
    ///   - kind: A more specific word than the code's.
    ///   - message: A more specific sentence than the code's.
    ///   - retry: A better advice about repeating the call than the code's.
    ///   - retryAfterMs: A better wait than the code's, in milliseconds; ignored if the code has
    ///     none.
    ///   - effect: The effect of the call, if it is known better than by the code.
    ///   - details: The members after `kind`, `retry`, `retryAfterMs` and `effect`: identifiers,
    ///     limits, paths.
    /// - Returns: The error object, with a fixed order of data members.
    public func object(
        kind: String? = nil, message: String? = nil, retry: Retry? = nil,
        retryAfterMs: Int? = nil, effect: Effect? = nil,
        _ details: JSONValue = [:]
    ) -> ErrorObject {
        let advice = retry ?? self.retry
        var data = [
            JSONMember(name: "kind", value: .string(kind ?? self.kind)),
            JSONMember(name: "retry", value: .string(advice.rawValue)),
        ]
        if advice != .no, let standard = self.retryAfterMs {
            let value = JSONValue.integer(retryAfterMs ?? standard)
            data.append(JSONMember(name: "retryAfterMs", value: value))
        }
        data.append(JSONMember(name: "effect", value: .string((effect ?? self.effect).rawValue)))
        data += details.members ?? []
        return ErrorObject(code: rawValue, message: message ?? self.message, data: data)
    }
}

public import JSONRPC
public import StrictJSON

extension ErrorCode {
    /// The error of a reply.
    ///
    /// - Parameters:
    ///   - kind: A finer word than the code's own.
    ///   - message: A better sentence than the code's own.
    ///   - retryAfterMs: A better guess than the code's own, for a code that has one.
    ///   - effect: What the call changed, where that is known better than by the code.
    ///   - details: The members behind `kind`, `retry`, `retryAfterMs` and `effect`: identifiers
    ///     concerned, limits, paths.
    /// - Returns: The error, its data in a fixed order.
    public func object(
        kind: String? = nil, message: String? = nil, retryAfterMs: Int? = nil,
        effect: Effect? = nil, _ details: [JSONMember] = []
    ) -> ErrorObject {
        var data = [
            JSONMember(name: "kind", value: .string(kind ?? self.kind)),
            JSONMember(name: "retry", value: .string(retry.rawValue)),
        ]
        if let standard = self.retryAfterMs {
            let value = JSONValue.integer(retryAfterMs ?? standard)
            data.append(JSONMember(name: "retryAfterMs", value: value))
        }
        data.append(JSONMember(name: "effect", value: .string((effect ?? self.effect).rawValue)))
        return ErrorObject(code: rawValue, message: message ?? self.message, data: data + details)
    }

    /// The error of a reply that names one thing concerned.
    func object(_ name: String, _ value: JSONValue, message: String? = nil) -> ErrorObject {
        object(message: message, [JSONMember(name: name, value: value)])
    }
}

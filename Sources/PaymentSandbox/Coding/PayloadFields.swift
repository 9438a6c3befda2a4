import PaymentCore
import StrictJSON

/// The members of a record's object, read by name. Errors have the name of the member.
struct PayloadFields {
    let typeWord: String
    let payload: JSONValue

    /// A required text that `read` accepts.
    func required<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SandboxCodingFailure) -> Value {
        guard let value = try optional(name, read) else { throw failure(name, "is missing") }
        return value
    }

    /// An optional text; if it is present, `read` must accept it.
    func optional<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SandboxCodingFailure) -> Value? {
        guard let member = payload[name] else { return nil }
        guard let text = member.stringValue, let value = read(text) else {
            throw failure(name, "cannot be read")
        }
        return value
    }

    /// An optional truth value.
    func bool(_ name: String) throws(SandboxCodingFailure) -> Bool? {
        guard let member = payload[name] else { return nil }
        guard let value = member.boolValue else { throw failure(name, "cannot be read") }
        return value
    }

    /// An optional whole number.
    func integer(_ name: String) throws(SandboxCodingFailure) -> Int? {
        guard let member = payload[name] else { return nil }
        guard let value = member.intValue else { throw failure(name, "cannot be read") }
        return Int(value)
    }

    /// The failure of the members `error` and `reason`; nil without `error`.
    func failure() throws(SandboxCodingFailure) -> PaymentFailure? {
        let reason = try optional("reason") { $0 }
        let kind = try optional("error", PaymentFailure.Kind.init(rawValue:))
        return kind.map { PaymentFailure($0, reason: reason) }
    }

    func failure(_ name: String, _ problem: String) -> SandboxCodingFailure {
        SandboxCodingFailure("cannot read record '\(typeWord.shortened)': '\(name)' \(problem)")
    }
}

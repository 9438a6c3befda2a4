import PaymentCore
import StrictJSON

/// The members of a record's object, read by name with errors that say which one was wrong.
struct PayloadFields {
    let typeWord: String
    let payload: JSONValue

    /// A text that must be there and that `read` understands.
    func required<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SandboxCodingFailure) -> Value {
        guard let value = try optional(name, read) else { throw failure(name, "is missing") }
        return value
    }

    /// A text that may be missing; if it is there `read` must understand it.
    func optional<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SandboxCodingFailure) -> Value? {
        guard let member = payload[name] else { return nil }
        guard let text = member.stringValue, let value = read(text) else {
            throw failure(name, "cannot be read")
        }
        return value
    }

    /// A truth value that may be missing.
    func bool(_ name: String) throws(SandboxCodingFailure) -> Bool? {
        guard let member = payload[name] else { return nil }
        guard let value = member.boolValue else { throw failure(name, "cannot be read") }
        return value
    }

    /// A whole number that may be missing.
    func integer(_ name: String) throws(SandboxCodingFailure) -> Int? {
        guard let member = payload[name] else { return nil }
        guard let value = member.intValue else { throw failure(name, "cannot be read") }
        return Int(value)
    }

    /// The failure that `error` and `reason` tell of, if `error` is there.
    func failure() throws(SandboxCodingFailure) -> PaymentFailure? {
        let reason = try optional("reason") { $0 }
        let kind = try optional("error", PaymentFailure.Kind.init(rawValue:))
        return kind.map { PaymentFailure($0, reason: reason) }
    }

    func failure(_ name: String, _ problem: String) -> SandboxCodingFailure {
        SandboxCodingFailure("cannot read record '\(typeWord.shortened)': '\(name)' \(problem)")
    }
}

public import PaymentCore

/// A name of this interface that corresponds to a name of StoreKit or OnsideKit.
public enum Counterpart: Sendable, Hashable {
    /// A method.
    case method(String)
    /// A parameter of a method.
    case parameter(String, of: String)
    /// A component schema, such as `Transaction`.
    case type(String)
    /// A member of a component schema or of a method's result.
    case member(String, of: String)
    /// A kind of event.
    case event(EventKind)
    /// The error of a call.
    case error(ErrorCode)
    /// A value of a parameter or member, such as a state.
    case word(String)
    /// A member of each purchase in a signed history.
    case purchaseField(String)
    /// A command, or a path of the store server.
    case place(String)

    /// The names to suggest, the likeliest first.
    var words: [String] {
        switch self {
        case .method(let name), .member(let name, _), .word(let name), .purchaseField(let name):
            [name]
        case .parameter(let name, let method): [name, method]
        case .event(let kind): [kind.rawValue, "subscribe"]
        case .error(let code): [code.kind]
        case .type, .place: []
        }
    }

    /// The counterpart as a part of a sentence.
    ///
    /// - Parameter quote: The quotation mark around names.
    /// - Returns: The text, such as `'product' of 'add'`.
    public func text(quote: String) -> String {
        func quoted(_ name: String) -> String { quote + name + quote }
        return switch self {
        case .method(let name), .word(let name), .place(let name): quoted(name)
        case .parameter(let name, let owner), .member(let name, let owner):
            "\(quoted(name)) of \(quoted(owner))"
        case .type(let name): "the shape \(quoted(name))"
        case .event(let kind): "the event \(quoted(kind.rawValue))"
        case .error(let code): "the error \(quoted(code.kind)) (\(code.rawValue))"
        case .purchaseField(let name): "\(quoted(name)) in the signed history"
        }
    }
}

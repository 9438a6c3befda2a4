public import PaymentCore

/// One of our names that stands for a name of StoreKit or OnsideKit.
public enum Counterpart: Sendable, Hashable {
    /// A method.
    case method(String)
    /// A parameter of a method.
    case parameter(String, of: String)
    /// A shape that several methods share, such as `Transaction`.
    case type(String)
    /// A member of such a shape, or of the result of a method.
    case member(String, of: String)
    /// A kind of event.
    case event(EventKind)
    /// An error of a call.
    case error(ErrorCode)
    /// A value of a parameter or member, such as a state.
    case word(String)
    /// A member of each purchase in a signed history.
    case purchaseField(String)
    /// A command to type, or an address of the store server.
    case place(String)

    /// The names that a client may have meant, the likeliest first.
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

    /// The counterpart as part of a sentence.
    ///
    /// - Parameter quote: What stands on both sides of a name.
    /// - Returns: Such as `'product' of 'add'`.
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

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation
{
    /// `nil` becomes the literal `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// `true` and `false` become literals.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// An integer becomes a number. Fractions have no literal, because Swift would convert them to
    /// binary first.
    public init(integerLiteral value: Int64) {
        self = .number(String(value))
    }

    /// A string literal becomes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// The elements keep their order.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// The members keep their order. Each name must occur only once.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        let members = elements.map { JSONMember(name: $0.0, value: $0.1) }
        precondition(
            Set(members.map { Array($0.name.utf8) }).count == members.count,
            "an object literal repeats a name")
        self = .object(members)
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation
{
    /// `nil` is the literal `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// `true` and `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// A plain integer. There is no literal for fractions, because a binary number would stand
    /// behind it.
    public init(integerLiteral value: Int64) {
        self = .number(String(value))
    }

    /// A text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Elements in their order.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Members in their order. Each name must be there once.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        let members = elements.map { JSONMember(name: $0.0, value: $0.1) }
        precondition(
            Set(members.map { Array($0.name.utf8) }).count == members.count,
            "an object literal repeats a name")
        self = .object(members)
    }
}

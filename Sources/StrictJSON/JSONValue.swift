/// A JSON value as a tree.
///
/// Numbers keep their digits and objects the order of their members. Equality is equality of the
/// canonical text: `1.0` differs from `1`, and order matters. Strings are compared by bytes, not by
/// Unicode equivalence.
public indirect enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number by its digits, which must follow the grammar of JSON. Writing checks that.
    case number(String)
    /// A string.
    case string(String)
    /// An array of elements in order.
    case array([JSONValue])
    /// An object with members in order; names are unique.
    case object([JSONMember])

    /// Creates a number from an integer.
    public static func integer(_ value: some FixedWidthInteger) -> JSONValue {
        .number(String(value))
    }

    /// Creates a number from its digits.
    ///
    /// - Parameter digits: For example `0.99`. Digits outside the grammar of JSON, such as `01`,
    ///   `+1`, `.5` and `NaN`, give nil.
    public init?(number digits: String) {
        guard isNumber(digits) else { return nil }
        self = .number(digits)
    }
}

/// A member of an object.
public struct JSONMember: Sendable {
    /// The name, with escapes decoded.
    public var name: String

    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// The value of the member with a name, compared by bytes; nil if there is none or this is not
    /// an object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { sameBytes($0.name, name) }?.value
    }

    /// The element at an index; nil if there is none or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text of a string; nil for other values.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number in plain integer notation within `Int64`; nil for `1.0` and `1e2`.
    public var intValue: Int64? {
        if case .number(let digits) = self { Int64(digits) } else { nil }
    }

    /// The nearest binary number; nil if it is not finite. Not suitable for prices.
    public var doubleValue: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
            return nil
        }
        return value
    }

    /// The digits of a number as written; nil for other values.
    public var numberText: String? {
        if case .number(let digits) = self { digits } else { nil }
    }

    /// The value of a boolean; nil for other values.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array; nil for other values.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    public var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// True for the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSONValue: Hashable {
    /// Compares kinds, digits, order and bytes.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): sameBytes(left, right)
        case (.string(let left), .string(let right)): sameBytes(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let digits): hashBytes(digits, into: &hasher)
        case .string(let text): hashBytes(text, into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSONMember: Hashable {
    /// Compares the bytes of the names, and the values.
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        sameBytes(left.name, right.name) && left.value == right.value
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hashBytes(name, into: &hasher)
        hasher.combine(value)
    }
}

/// Compares bytes, because `String` treats canonically equivalent texts as equal.
private func sameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
}

private func hashBytes(_ text: String, into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
}

/// A JSON value as a tree.
///
/// Numbers keep the digits they were written with, objects the order of their members. Equality
/// is equality of the canonical text: `1.0` is not `1`, another order is another value, and
/// strings are compared byte by byte, never by Unicode equivalence.
public indirect enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number by its digits, which must follow the grammar of JSON; printing checks that.
    case number(String)
    /// A text.
    case string(String)
    /// Elements in their order.
    case array([JSONValue])
    /// Members in their order, each name once.
    case object([JSONMember])

    /// A number from an integer.
    public static func integer(_ value: some FixedWidthInteger) -> JSONValue {
        .number(String(value))
    }

    /// A number from its digits, if they follow the grammar of JSON.
    ///
    /// - Parameter digits: For example `0.99`; `01`, `+1`, `.5`, `NaN` give nil.
    public init?(number digits: String) {
        guard isNumber(digits) else { return nil }
        self = .number(digits)
    }
}

/// One member of an object.
public struct JSONMember: Sendable {
    /// The name, without escapes.
    public var name: String

    /// The value.
    public var value: JSONValue

    /// A member of a name and a value.
    public init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// The value of a member, compared byte by byte; nil if there is none or if this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { sameBytes($0.name, name) }?.value
    }

    /// The value of an element; nil outside of the array or if this is none.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text of a string.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number written as a plain integer that fits; nil for `1.0` and `1e2`.
    public var intValue: Int64? {
        if case .number(let digits) = self { Int64(digits) } else { nil }
    }

    /// The nearest binary number; nil if it is not finite. Never for prices.
    public var doubleValue: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
            return nil
        }
        return value
    }

    /// The digits of a number as written.
    public var numberText: String? {
        if case .number(let digits) = self { digits } else { nil }
    }

    /// The truth value of a literal.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object.
    public var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// True for the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSONValue: Hashable {
    /// Equality of kind, digits, order and bytes.
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
    /// Equality of the bytes of the name and of the value.
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        sameBytes(left.name, right.name) && left.value == right.value
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hashBytes(name, into: &hasher)
        hasher.combine(value)
    }
}

/// `String` calls two spellings of one letter equal; JSON does not.
private func sameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
}

private func hashBytes(_ text: String, into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
}

import PaymentCore
package import StrictJSON

/// The error for a message that does not conform to the Store API.
package struct MessageFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the invalid member.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The members of an object. Faults name the invalid member. Members that are not read are ignored;
/// a server that refuses them calls ``only(_:)``.
package struct MessageFields {
    private let members: [JSONMember]
    private let place: String

    /// Wraps an object.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - place: The path of the object, for the sentences of faults.
    /// - Throws: The value is not an object.
    package init(_ value: JSONValue, at place: String = "") throws(MessageFault) {
        guard let members = value.members else {
            throw MessageFault("'\(place.isEmpty ? "the message" : place)' is not an object")
        }
        self.members = members
        self.place = place
    }

    /// Parses a body, which must be one object in strict JSON.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .trusted) throws(MessageFault) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, limits: limits)
        } catch {
            throw MessageFault(error.description)
        }
        try self.init(value)
    }

    /// Refuses members with other names.
    ///
    /// - Throws: A member has another name.
    package func only(_ names: Set<String>) throws(MessageFault) {
        for member in members where !names.contains(member.name) {
            throw fault(RecordBounds.shortened(member.name, to: 40), "is not known")
        }
    }

    /// A member; nil if it is missing or null, which are equivalent.
    package subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else {
            return nil
        }
        return value
    }

    /// Reads a string member with `read`.
    ///
    /// - Throws: It is missing, or `read` returns nil.
    package func required<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(MessageFault) -> Value {
        guard let value = try optional(name, read) else { throw fault(name, "is missing") }
        return value
    }

    /// Reads an optional string member with `read`; nil if it is missing.
    ///
    /// - Throws: It is not a string, or `read` returns nil.
    package func optional<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(MessageFault) -> Value? {
        guard let member = self[name] else { return nil }
        guard let text = member.stringValue, let value = read(text) else {
            throw fault(name, "cannot be read")
        }
        return value
    }

    /// Reads a boolean member; false if it is missing.
    ///
    /// - Throws: It is not a boolean.
    package func flag(_ name: String) throws(MessageFault) -> Bool {
        guard let member = self[name] else { return false }
        guard let value = member.boolValue else { throw fault(name, "is neither true nor false") }
        return value
    }

    /// Reads an integer member within a range; nil if it is missing.
    ///
    /// - Throws: It is not an integer in the range.
    package func number(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(MessageFault) -> Int64? {
        guard let member = self[name] else { return nil }
        guard let value = member.numberText.flatMap(Self.whole), range.contains(value) else {
            throw fault(name, "is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
    }

    /// The integer value of a number in any notation: 487, 487.0 and 4.87e2 are equal.
    private static func whole(_ text: String) -> Int64? {
        if let value = Int64(text) { return value }
        guard let value = Double(text), value.rounded() == value, abs(value) < 0x1p53 else {
            return nil
        }
        return Int64(value)
    }

    /// Reads an object member; nil if it is missing.
    ///
    /// - Throws: It is not an object.
    package func object(_ name: String) throws(MessageFault) -> MessageFields? {
        guard let member = self[name] else { return nil }
        return try MessageFields(member, at: path(name))
    }

    /// Reads a list of objects; empty if it is missing.
    ///
    /// - Throws: It is not a list of objects.
    package func objects(_ name: String) throws(MessageFault) -> [MessageFields] {
        guard let member = self[name] else { return [] }
        guard let elements = member.arrayValue else { throw fault(name, "is not a list") }
        var found: [MessageFields] = []
        found.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            found.append(try MessageFields(element, at: "\(path(name))/\(index)"))
        }
        return found
    }

    /// Reads a list of strings; empty if it is missing.
    ///
    /// - Throws: It is not a list of strings.
    package func texts(_ name: String) throws(MessageFault) -> [String] {
        guard let member = self[name] else { return [] }
        guard let elements = member.arrayValue else { throw fault(name, "is not a list") }
        var texts: [String] = []
        for element in elements {
            guard let text = element.stringValue else {
                throw fault(name, "is not a list of strings")
            }
            texts.append(text)
        }
        return texts
    }

    /// Reads an object member that must exist.
    ///
    /// - Throws: It is missing or not an object.
    package func requiredObject(_ name: String) throws(MessageFault) -> MessageFields {
        guard let fields = try object(name) else { throw fault(name, "is missing") }
        return fields
    }

    /// The fault for a member, with its path.
    package func fault(_ name: String, _ problem: String) -> MessageFault {
        MessageFault("'\(path(name))' \(problem)")
    }

    private func path(_ name: String) -> String { place.isEmpty ? name : "\(place)/\(name)" }
}

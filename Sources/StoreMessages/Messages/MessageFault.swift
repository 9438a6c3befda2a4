import PaymentCore
package import StrictJSON

/// A message of the Store API that cannot be read: what the other side sent is not what the API says.
package struct MessageFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that names the member that is wrong.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Reads the members of an object, saying which one is wrong. Members that it is not asked for are
/// ignored by ``MessageFields``'s readers; a server that wants none of them calls ``only(_:)``.
package struct MessageFields {
    private let members: [JSONMember]
    private let place: String

    /// Looks at an object.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - place: Where it stands, for the sentence of a fault.
    /// - Throws: It is none.
    package init(_ value: JSONValue, at place: String = "") throws(MessageFault) {
        guard let members = value.members else {
            throw MessageFault("'\(place.isEmpty ? "the message" : place)' is not an object")
        }
        self.members = members
        self.place = place
    }

    /// Parses a body: strict JSON, one object.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .trusted) throws(MessageFault) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, limits: limits)
        } catch {
            throw MessageFault(error.description)
        }
        try self.init(value)
    }

    /// Refuses members that are none of these.
    package func only(_ names: Set<String>) throws(MessageFault) {
        for member in members where !names.contains(member.name) {
            throw fault(RecordBounds.shortened(member.name, to: 40), "is not known")
        }
    }

    /// A member; nil if it is missing or null, which mean the same.
    package subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else {
            return nil
        }
        return value
    }

    /// A text, as something reads it.
    package func required<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(MessageFault) -> Value {
        guard let value = try optional(name, read) else { throw fault(name, "is missing") }
        return value
    }

    /// A text that may be missing, as something reads it.
    package func optional<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(MessageFault) -> Value? {
        guard let member = self[name] else { return nil }
        guard let text = member.stringValue, let value = read(text) else {
            throw fault(name, "cannot be read")
        }
        return value
    }

    /// A flag; false if it is missing.
    package func flag(_ name: String) throws(MessageFault) -> Bool {
        guard let member = self[name] else { return false }
        guard let value = member.boolValue else { throw fault(name, "is neither true nor false") }
        return value
    }

    /// A whole number within a range; nil if it is missing.
    package func number(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(MessageFault) -> Int64? {
        guard let member = self[name] else { return nil }
        guard let value = member.numberText.flatMap(Self.whole), range.contains(value) else {
            throw fault(name, "is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
    }

    /// The whole number that stands there, however it is written: 487, 487.0 and 4.87e2 are one.
    private static func whole(_ text: String) -> Int64? {
        if let value = Int64(text) { return value }
        guard let value = Double(text), value.rounded() == value, abs(value) < 0x1p53 else {
            return nil
        }
        return Int64(value)
    }

    /// An object; nil if it is missing.
    package func object(_ name: String) throws(MessageFault) -> MessageFields? {
        guard let member = self[name] else { return nil }
        return try MessageFields(member, at: path(name))
    }

    /// The objects of a list; none if it is missing.
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

    /// The texts of a list; none if it is missing.
    package func texts(_ name: String) throws(MessageFault) -> [String] {
        guard let member = self[name] else { return [] }
        guard let elements = member.arrayValue else { throw fault(name, "is not a list") }
        var texts: [String] = []
        for element in elements {
            guard let text = element.stringValue else {
                throw fault(
                    name,
                    """
                    is not a list of strings
                    """)
            }
            texts.append(text)
        }
        return texts
    }

    /// An object that must be there.
    package func requiredObject(_ name: String) throws(MessageFault) -> MessageFields {
        guard let fields = try object(name) else { throw fault(name, "is missing") }
        return fields
    }

    /// The problem with a member.
    package func fault(_ name: String, _ problem: String) -> MessageFault {
        MessageFault("'\(path(name))' \(problem)")
    }

    private func path(_ name: String) -> String { place.isEmpty ? name : "\(place)/\(name)" }
}

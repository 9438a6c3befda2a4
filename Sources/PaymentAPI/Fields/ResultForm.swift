public import StrictJSON

/// The form of a result value: its writing and its schema. A single declaration defines both, so
/// that they cannot disagree.
public struct ResultForm<Value: Sendable>: Sendable {
    /// Appends a value.
    typealias Write = @Sendable (Value, inout JSONWriter) -> Void

    /// The name of its component schema; nil if the schema is inline.
    let component: String?
    /// The JSON Schema, without a reference.
    let definition: JSONValue
    /// Appends a value.
    let write: Write
    /// Appends a value member by member, also if ``write`` is hand-written for speed.
    let writeMembers: Write

    /// Creates the form of a non-object, or of an object with unlisted members.
    init(_ schema: JSONValue, component: String? = nil, _ write: @escaping Write) {
        self.component = component
        definition = schema
        self.write = write
        writeMembers = write
    }

    /// Creates the form of an object, with members in the order of writing.
    ///
    /// - Parameters:
    ///   - members: The members, in one or several lists.
    ///   - write: A faster hand-written writer of the same bytes; a test compares them.
    /// - Returns: The form, with an inline schema.
    @_semantics("optimize.sil.specialize.generic.never")
    static func object(_ members: [Member<Value>]..., byHand write: Write? = nil) -> Self {
        Self(nil, members.flatMap(\.self), byHand: write)
    }

    /// Creates the form of an object with a shared component schema.
    @_semantics("optimize.sil.specialize.generic.never")
    static func component(
        _ name: String, _ members: [Member<Value>]..., byHand write: Write? = nil
    ) -> Self {
        Self(name, members.flatMap(\.self), byHand: write)
    }

    private init(_ component: String?, _ members: [Member<Value>], byHand write: Write?) {
        self.component = component
        definition = Schema.object(members.map(\.described))
        let writeMembers: Write = { value, writer in
            writer.beginObject()
            for member in members { member.write(value, &writer) }
            writer.endObject()
        }
        self.writeMembers = writeMembers
        self.write = write ?? writeMembers
    }

    /// The JSON Schema for use in another schema, as a reference if it is a component.
    var schema: JSONValue { component.map { Schema.reference($0) } ?? definition }
}

/// A member of an object: its name, value and meaning. Like those of ``Parameter``, its
/// declarations are not specialized.
public struct Member<Root: Sendable>: Sendable {
    /// The entry of the member in the schema.
    let described: Schema.Member
    /// Appends the name and the value; nothing if the value is nil.
    let write: ResultForm<Root>.Write

    /// Creates a member that is always present.
    @_semantics("optimize.sil.specialize.generic.never")
    static func required<Value>(
        _ name: String, _ value: @escaping @Sendable (Root) -> Value, _ form: ResultForm<Value>,
        _ summary: String
    ) -> Self {
        Self(described: Schema.required(name, form.schema, summary)) { root, writer in
            writer.name(name)
            form.write(value(root), &writer)
        }
    }

    /// Creates a member that is absent if its value is nil.
    @_semantics("optimize.sil.specialize.generic.never")
    static func optional<Value>(
        _ name: String, _ value: @escaping @Sendable (Root) -> Value?, _ form: ResultForm<Value>,
        _ summary: String
    ) -> Self {
        Self(described: Schema.optional(name, form.schema, summary)) { root, writer in
            guard let value = value(root) else { return }
            writer.name(name)
            form.write(value, &writer)
        }
    }

    private init(described: Schema.Member, write: @escaping ResultForm<Root>.Write) {
        self.described = described
        self.write = write
    }
}

/// The result of a method. Its form, declared once, defines the reply, the schema and `help`.
public protocol WireResult: Sendable {
    /// The form of the result.
    static var form: ResultForm<Self> { get }

    /// Appends the result as one JSON value. Only very frequent results implement it.
    func write(into writer: inout JSONWriter)
}

extension WireResult {
    /// Appends the result by its form.
    public func write(into writer: inout JSONWriter) { Self.form.write(self, &writer) }

    /// The result as a JSON value, for examples and tests; null if the written bytes are not valid
    /// JSON.
    public var jsonValue: JSONValue {
        var writer = JSONWriter()
        write(into: &writer)
        return (try? JSONValue(parsing: writer.bytes)) ?? .null
    }
}

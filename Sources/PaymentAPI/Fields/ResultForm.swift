public import StrictJSON

/// How a value is written in results, and what the contract says of it. One declaration makes both,
/// so that they cannot disagree.
public struct ResultForm<Value: Sendable>: Sendable {
    /// Appends a value.
    typealias Write = @Sendable (Value, inout JSONWriter) -> Void

    /// The name among the components of the contract; nil if it is described where it is used.
    let component: String?
    /// The JSON Schema, written out.
    let definition: JSONValue
    /// Appends a value.
    let write: Write
    /// Appends a value member by member, also where ``write`` is written by hand for speed.
    let writeMembers: Write

    /// A value that is no object, or an object whose members are not listed.
    init(_ schema: JSONValue, component: String? = nil, _ write: @escaping Write) {
        self.component = component
        definition = schema
        self.write = write
        writeMembers = write
    }

    /// An object with these members, in the order of the wire.
    ///
    /// - Parameters:
    ///   - members: The members, in one list or several.
    ///   - write: Writes the same bytes faster, for what is written often; a test compares them.
    /// - Returns: The form, described wherever it is used.
    @_semantics("optimize.sil.specialize.generic.never")
    static func object(_ members: [Member<Value>]..., byHand write: Write? = nil) -> Self {
        Self(nil, members.flatMap(\.self), byHand: write)
    }

    /// An object that several results share, with its name among the components of the contract.
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

    /// The JSON Schema where a value is used.
    var schema: JSONValue { component.map { Schema.reference($0) } ?? definition }
}

/// One member of an object: its name, its value, what it means. As those of ``Parameter``, the
/// declarations are not specialised.
public struct Member<Root: Sendable>: Sendable {
    /// The entry of the member in its schema.
    let described: Schema.Member
    /// Appends name and value, if there is one.
    let write: ResultForm<Root>.Write

    /// A member that is always there.
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

    /// A member that is left out where its value is nil.
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

/// The result of a method, declared once: the bytes of a reply, the schema and `help` all come from its
/// form.
public protocol WireResult: Sendable {
    /// How the result is written, and what the contract says of it.
    static var form: ResultForm<Self> { get }

    /// Appends the result, one JSON value. Only a result that is sent very often has code of its own.
    func write(into writer: inout JSONWriter)
}

extension WireResult {
    /// Appends the result as its form says.
    public func write(into writer: inout JSONWriter) { Self.form.write(self, &writer) }

    /// The result as a value, for examples and tests; null only if ``write(into:)`` is broken.
    public var jsonValue: JSONValue {
        var writer = JSONWriter()
        write(into: &writer)
        return (try? JSONValue(parsing: writer.bytes)) ?? .null
    }
}

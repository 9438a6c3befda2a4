extension JSONWriter {
    /// Begins an object.
    public mutating func beginObject() {
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends an object.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Begins an array.
    public mutating func beginArray() {
        bytes.append(UInt8(ascii: "["))
    }

    /// Ends an array.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
    }

    /// Begins a member: a comma unless it is the first, the name and a colon.
    ///
    /// - Parameter name: The name, which must not need escapes.
    @inlinable
    public mutating func name(_ name: StaticString) {
        separate(after: UInt8(ascii: "{"))
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        raw("\":")
    }

    /// Begins a member with a name that may need escapes.
    ///
    /// Literals use the overload that writes them unescaped.
    @_disfavoredOverload
    public mutating func name(_ name: String) {
        separate(after: UInt8(ascii: "{"))
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a string member unless the value is nil.
    public mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        let isFirst = bytes.last == nil || bytes.last == UInt8(ascii: "{")
        onStack { piece in
            piece.literal(isFirst ? "\"" : ",\"")
            piece.literal(name)
            piece.literal("\":")
            piece.string(text)
        }
    }

    /// Writes a boolean member unless the value is nil.
    public mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        self.name(name)
        bool(flag)
    }

    /// Writes an integer member unless the value is nil.
    public mutating func member(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        self.name(name)
        integer(number)
    }

    /// Begins an element of an array: a comma unless it is the first.
    @inlinable
    public mutating func element() {
        separate(after: UInt8(ascii: "["))
    }

    /// A value never ends with an opening bracket. An opening bracket as the last byte therefore
    /// means an empty container.
    @usableFromInline
    mutating func separate(after bracket: UInt8) {
        if let last = bytes.last, last != bracket { bytes.append(UInt8(ascii: ",")) }
    }
}

public import StrictJSON

extension JSONWriter {
    /// Writes a reply up to where its result must follow; `endReply` completes it.
    ///
    /// - Parameter idBytes: The id as it was sent.
    public mutating func beginReply(idBytes: Span<UInt8>) {
        raw(#"{"jsonrpc":"2.0","id":"#)
        raw(idBytes)
        raw(#","result":"#)
    }

    /// Completes a reply after its result.
    public mutating func endReply() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a notification up to where its parameters must follow; `endNotification` completes
    /// it.
    ///
    /// - Parameter method: A name that needs no escapes.
    public mutating func beginNotification(_ method: StaticString) {
        raw(#"{"jsonrpc":"2.0","method":""#)
        raw(method)
        raw(#"","params":"#)
    }

    /// Completes a notification after its parameters.
    public mutating func endNotification() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a whole error reply.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - idBytes: The id as it was sent.
    public mutating func writeError(_ error: ErrorObject, idBytes: Span<UInt8>) {
        raw(#"{"jsonrpc":"2.0","id":"#)
        raw(idBytes)
        errorMember(error)
    }

    /// Writes a whole error reply to a request whose id is not known: its id is null.
    public mutating func writeError(_ error: ErrorObject) {
        raw(#"{"jsonrpc":"2.0","id":null"#)
        errorMember(error)
    }

    /// Writes the whole error reply that a faulty line or element gets.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - line: The line in which the fault was found.
    public mutating func writeError(_ fault: RPCFault, in line: Span<UInt8>) {
        guard let id = fault.id else {
            writeError(fault.errorObject)
            return
        }
        writeError(fault.errorObject, idBytes: line.extracting(id))
    }

    /// Ends a line: every message but an element of a batch stands on a line of its own.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func errorMember(_ error: ErrorObject) {
        raw(#","error":{"code":"#)
        integer(error.code)
        raw(#","message":"#)
        string(error.message)
        raw(#","data":{"#)
        for member in error.data {
            name(member.name)
            value(member.value)
        }
        raw("}}}")
    }
}

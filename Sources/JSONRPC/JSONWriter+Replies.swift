public import StrictJSON

extension JSONWriter {
    /// Writes the beginning of a reply, up to its result. `endReply` completes it.
    ///
    /// - Parameter idBytes: The id of the request, as received.
    public mutating func beginReply(idBytes: Span<UInt8>) {
        raw(#"{"jsonrpc":"2.0","id":"#)
        raw(idBytes)
        raw(#","result":"#)
    }

    /// Completes a reply after its result.
    public mutating func endReply() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes the beginning of a notification, up to its parameters. `endNotification` completes
    /// it.
    ///
    /// - Parameter method: The method, which must not need escapes.
    public mutating func beginNotification(_ method: StaticString) {
        raw(#"{"jsonrpc":"2.0","method":""#)
        raw(method)
        raw(#"","params":"#)
    }

    /// Completes a notification after its parameters.
    public mutating func endNotification() {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a complete error reply.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - idBytes: The id of the request, as received.
    public mutating func writeError(_ error: ErrorObject, idBytes: Span<UInt8>) {
        raw(#"{"jsonrpc":"2.0","id":"#)
        raw(idBytes)
        errorMember(error)
    }

    /// Writes a complete error reply with a null id, for a request with an unknown id.
    public mutating func writeError(_ error: ErrorObject) {
        raw(#"{"jsonrpc":"2.0","id":null"#)
        errorMember(error)
    }

    /// Writes the complete error reply to a faulty line or element.
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

    /// Ends a line. Each message is a line, except for elements of a batch.
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

public import StrictJSON

/// A scanner of JSON-RPC 2.0 requests, reusable from line to line.
public struct RequestScanner: Sendable {
    /// The tape of the last line, which the positions of an envelope refer to.
    public private(set) var tape: JSONTape

    /// Creates a scanner with limits for each line.
    public init(limits: JSONLimits = JSONLimits()) {
        tape = JSONTape(limits: limits)
    }

    /// Scans one line.
    ///
    /// - Parameters:
    ///   - line: The line without its ending.
    ///   - batchLimit: The greatest number of elements in a batch.
    /// - Returns: The contents of the line. A fault in its text, such as a duplicate name anywhere
    ///   in a batch, refuses the whole line.
    public mutating func scan(_ line: Span<UInt8>, batchLimit: Int) -> ScannedLine {
        do {
            try tape.scan(line)
        } catch {
            return .fault(fault(error, line))
        }
        guard tape.tokens[0].kind == .array else {
            do {
                return .request(try envelope(at: 0, line))
            } catch {
                return .fault(error)
            }
        }
        return batch(line, limit: batchLimit)
    }

    private func batch(_ line: Span<UInt8>, limit: Int) -> ScannedLine {
        let count = Int(tape.tokens[0].count)
        if count == 0 { return .fault(RPCFault(kind: .emptyBatch)) }
        if count > limit { return .fault(RPCFault(kind: .batchTooLarge, limit: limit)) }
        var elements: [BatchElement] = []
        elements.reserveCapacity(count)
        var index = 1
        for _ in 0..<count {
            do {
                elements.append(.request(try envelope(at: index, line)))
            } catch {
                elements.append(.fault(error))
            }
            index = Int(tape.tokens[index].next)
        }
        return .batch(elements)
    }

    /// The token indexes of the members that JSON-RPC defines.
    private struct Members {
        var version: Int?
        var method: Int?
        var params: Int?
        var id: Int?
        /// True if a `result` or an `error` exists: the object is a reply, not a request.
        var isReply = false
        /// True if `id` occurs twice, which is possible only in a refused text.
        var repeatsID = false
    }

    private func members(of object: Int, _ line: Span<UInt8>) -> Members {
        var members = Members()
        var name = object + 1
        for _ in 0..<tape.tokens[object].count {
            if tape.matches(name, "jsonrpc", in: line) {
                members.version = name + 1
            } else if tape.matches(name, "id", in: line) {
                members.repeatsID = members.id != nil
                members.id = name + 1
            } else if tape.matches(name, "method", in: line) {
                members.method = name + 1
            } else if tape.matches(name, "params", in: line) {
                members.params = name + 1
            } else if tape.matches(name, "result", in: line)
                || tape.matches(name, "error", in: line)
            {
                members.isReply = true
            }
            name = Int(tape.tokens[name + 1].next)
        }
        return members
    }

    private func envelope(
        at index: Int, _ line: Span<UInt8>
    ) throws(RPCFault) -> RequestEnvelope {
        guard tape.tokens[index].kind == .object else { throw RPCFault(kind: .notAnObject) }
        let members = members(of: index, line)
        // The id of a reply belongs to a request of this side; the error must not repeat it.
        guard !members.isReply else { throw RPCFault(kind: .badMethod) }
        let id = try members.id.map { token throws(RPCFault) in try idRange(token) }
        guard let version = members.version, tape.matches(version, "2.0", in: line) else {
            throw RPCFault(kind: .badVersion, id: id)
        }
        guard let method = members.method, tape.tokens[method].kind == .string else {
            throw RPCFault(kind: .badMethod, id: id)
        }
        if let params = members.params {
            let kind = tape.tokens[params].kind
            guard kind == .object || kind == .array else {
                throw RPCFault(kind: .badParams, id: id)
            }
        }
        return RequestEnvelope(method: method, params: members.params, id: id)
    }

    private func idRange(_ token: Int) throws(RPCFault) -> Range<Int> {
        let range = tape.tokens[token].range
        switch tape.tokens[token].kind {
        case .string, .number, .null:
            guard range.count <= RequestEnvelope.idLimitBytes else {
                throw RPCFault(kind: .badId, limit: RequestEnvelope.idLimitBytes)
            }
            return range
        case .object, .array, .true, .false:
            throw RPCFault(kind: .badId)
        }
    }

    /// The fault of a line's text, with the id of the request if it is certain.
    private func fault(_ fault: JSONFault, _ line: Span<UInt8>) -> RPCFault {
        let limit: Int? =
            switch fault.kind {
            case .tooDeep: tape.limits.maximumDepth
            case .tooManyTokens: tape.limits.maximumTokens
            case .syntax, .encoding, .duplicateName, .loneSurrogate: nil
            }
        return RPCFault(
            kind: RPCFault.Kind(fault.kind), offset: fault.offset, limit: limit,
            id: certainID(fault.kind, line))
    }

    /// The id of a refused request, if it is unique, valid and not itself the fault.
    private func certainID(_ kind: JSONFault.Kind, _ line: Span<UInt8>) -> Range<Int>? {
        guard let first = tape.tokens.first, first.kind == .object else { return nil }
        let members = members(of: 0, line)
        guard let id = members.id, !members.repeatsID, !members.isReply else { return nil }
        // An escaped id may contain the lone surrogate, which no reply may repeat.
        if kind == .loneSurrogate && tape.tokens[id].hasEscapes { return nil }
        return try? idRange(id)
    }
}

public import StrictJSON

/// Reads lines as JSON-RPC 2.0 requests; made to be reused from line to line.
public struct RequestScanner: Sendable {
    /// The tokens of the last line, to which an envelope's positions belong.
    public private(set) var tape: JSONTape

    /// A scanner that applies limits to each line.
    public init(limits: JSONLimits = JSONLimits()) {
        tape = JSONTape(limits: limits)
    }

    /// Reads one line.
    ///
    /// - Parameters:
    ///   - line: The line without its ending.
    ///   - batchLimit: The greatest number of elements in a batch.
    /// - Returns: What the line asks for. A fault found in the text of a line, such as a repeated
    ///   name anywhere in a batch, refuses the whole line.
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

    /// The tokens of the members that JSON-RPC gives a meaning to.
    private struct Members {
        var version: Int?
        var method: Int?
        var params: Int?
        var id: Int?
        /// True if there is a `result` or an `error`: a reply, to which there is no question.
        var isReply = false
        /// True if `id` is there twice, which only a refused text can have.
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
        // The id of a reply names a question of ours; sent back it would look like an answer.
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

    /// The fault of the text of a line, addressed to its sender if that is certain.
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

    /// The id of a refused request: there once, valid, and not itself what was refused.
    private func certainID(_ kind: JSONFault.Kind, _ line: Span<UInt8>) -> Range<Int>? {
        guard let first = tape.tokens.first, first.kind == .object else { return nil }
        let members = members(of: 0, line)
        guard let id = members.id, !members.repeatsID, !members.isReply else { return nil }
        // An escaped id may hold the half surrogate, which no reply may repeat.
        if kind == .loneSurrogate && tape.tokens[id].hasEscapes { return nil }
        return try? idRange(id)
    }
}

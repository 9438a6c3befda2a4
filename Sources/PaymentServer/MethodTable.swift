import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON

/// One request as its handler sees it.
struct Request {
    let connection: Connection
    /// The number of the request on its connection.
    let number: UInt64
    let isInBatch: Bool
    var trace: OpaqueText?

    /// The origin of the records of this request.
    var origin: Origin {
        Origin(
            uid: connection.caller.peer.uid, client: connection.caller.clientName,
            connection: connection.caller.number, request: number, trace: trace)
    }

    /// Refuses a peer without a role; for parameters that need more than the method itself.
    func require(_ role: Role) throws(ErrorObject) {
        guard connection.caller.roles.contains(role) else { throw Failures.forbidden(need: role) }
    }
}

/// The answer of a handler.
enum Answer<Result: WireResult> {
    /// The result.
    case now(Result)
    /// The call is answered later; the closure starts it.
    case later((WaitingCall) -> Void)
}

/// The methods by name, each with its handler. Table and entries are classes, because every request
/// looks up its method, and a copy of a value would count references for each of its parts.
final class MethodTable {
    /// Decodes, runs, and writes the reply into the connection's held output.
    typealias Run = (Request, JSONTape, RequestEnvelope, Span<UInt8>) throws(ErrorObject) -> (
        (WaitingCall) -> Void
    )?

    /// Decodes the parameters of a call, and throws the refusal that it would have now. Changes nothing.
    typealias Refusal = (Request, JSONTape, Int?, Span<UInt8>) throws(ErrorObject) -> Void

    final class Entry {
        let spec: MethodSpec
        let run: Run
        let check: Refusal
        /// The number of calls.
        var calls: UInt64 = 0

        init(spec: MethodSpec, check: @escaping Refusal, run: @escaping Run) {
            self.spec = spec
            self.check = check
            self.run = run
        }
    }

    private var entries: [String: Entry] = [:]
    private var add: Entry?
    private var finish: Entry?

    /// Registers a method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - handler: Runs a call.
    ///   - check: Throws the refusal that the handler would throw before its first effect; nil if the
    ///     handler refuses nothing, or only the store can.
    func register<M: Method>(
        _ method: M.Type,
        _ handler: @escaping (M.Params, Request) throws(ErrorObject) -> Answer<M.Result>,
        check: ((M.Params, Request) throws(ErrorObject) -> Void)? = nil
    ) {
        let name = "\(M.spec.name)"
        let entry = Entry(
            spec: M.spec,
            check: { request, tape, params, line throws(ErrorObject) in
                guard let check else { return }
                let limits = request.connection.server.limits
                try check(Self.decode(M.self, tape, params, line, limits).params, request)
            },
            run: { request, tape, envelope, line throws(ErrorObject) in
                let call = try Self.decode(
                    M.self, tape, envelope.params, line, request.connection.server.limits)
                var request = request
                request.trace = call.trace
                switch try handler(call.params, request) {
                case .later(let start):
                    return start
                case .now(let result):
                    Self.reply(result, to: envelope, line, request.connection)
                    return nil
                }
            })
        entries[name] = entry
        if name == "add" { add = entry }
        if name == "finish" { finish = entry }
    }

    /// Registers `check`, which reads the parameters of another method directly from the scanned
    /// line.
    func registerCheck() {
        entries["\(Check.spec.name)"] = Entry(
            spec: Check.spec, check: { _, _, _, _ in },
            run: { [unowned self] request, tape, envelope, line throws(ErrorObject) in
                let limits = request.connection.server.limits
                let call = try Self.decode(
                    Check.self, tape, envelope.params, line, limits)
                let verdict = Check.verdict(
                    call.params, roles: request.connection.caller.roles.set, limits: limits,
                    tape: tape, in: line)
                if let verdict { throw verdict }
                let entry = try entry(named: call.params.method)
                guard !entry.spec.isForChanges || !request.connection.server.context.changesNothing
                else {
                    throw Failures.readOnly
                }
                try entry.check(request, tape, call.params.params, line)
                Self.reply(Check.Result(), to: envelope, line, request.connection)
                return nil
            })
    }

    /// Writes a reply into the held output; a notification has none.
    private static func reply(
        _ result: some WireResult, to envelope: RequestEnvelope, _ line: Span<UInt8>,
        _ connection: Connection
    ) {
        guard let id = envelope.id else { return }
        connection.output.held.beginReply(idBytes: line.extracting(id))
        result.write(into: &connection.output.held)
        connection.output.held.endReply()
    }

    /// The entry of a method by its name on the tape. The two most frequent methods are found without
    /// creating a string.
    func entry(_ token: Int, _ tape: JSONTape, _ line: Span<UInt8>) throws(ErrorObject) -> Entry {
        if let add, tape.matches(token, "add", in: line) { return add }
        if let finish, tape.matches(token, "finish", in: line) { return finish }
        return try entry(named: tape.text(token, in: line))
    }

    /// The number of calls of each method that was called, by name.
    var callCounts: [(name: String, calls: UInt64)] {
        entries.map { ($0.key, $0.value.calls) }.filter { $0.calls > 0 }
            .sorted { $0.name < $1.name }
    }

    /// The entry of a method by its name.
    func entry(named name: String) throws(ErrorObject) -> Entry {
        guard let entry = entries[name] else { throw Failures.methodNotFound(name) }
        return entry
    }

    /// Reads the parameters of a method directly from the scanned line.
    static func decode<M: Method>(
        _ method: M.Type, _ tape: JSONTape, _ params: Int?, _ line: Span<UInt8>,
        _ limits: Limits
    ) throws(ErrorObject) -> Call<M.Params> {
        do throws(InvalidParameters) {
            return try M.call(tape, params: params, in: line, limits: limits)
        } catch {
            throw error.errorObject
        }
    }
}

import StrictJSON
import Synchronization

/// The members of an etcd cluster, and how they are reached.
public struct EtcdOptions: Sendable {
    /// Each member as host and port, such as `etcd-1.example:2379`.
    public var members: [String]
    /// The certificates that verify those of the members, in PEM; nil if the connections are not encrypted.
    public var trustRoots: [UInt8]?
    /// The certificate and the key with which this client authenticates itself to the members, in PEM.
    public var identity: (certificate: [UInt8], key: [UInt8])?
    /// The user and the password.
    public var user: (name: String, password: String)?
    /// The time that a member has to answer a request. After it the next member gets the request.
    public var patience = Duration.seconds(1)
    /// The most bytes of lines in one transaction, below etcd's limit of 1.5 MiB.
    var bytesPerTransaction = 1 << 20

    /// Creates options.
    public init(members: [String]) {
        self.members = members
    }
}

/// The failure of a request to etcd.
public enum EtcdFailure: Error, Sendable, CustomStringConvertible {
    /// No member answered in time. The request may have been executed.
    case unreachable(String)
    /// etcd refused the request, with a code of gRPC.
    case refused(code: Int, String)

    /// A sentence that ends without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let reason): "no member of etcd answers: \(reason)"
        case .refused(let code, let message): "etcd refuses: \(message) (code \(code))"
        }
    }

    /// Whether the lease or the key of the request does not exist.
    var isNotFound: Bool {
        if case .refused(5, _) = self { true } else { false }
    }

    /// Whether etcd has no room; the request may nevertheless have been executed.
    var isOutOfSpace: Bool {
        if case .refused(8, _) = self { true } else { false }
    }
}

/// A client of etcd's JSON interface.
///
/// It sends requests to one member until that fails, and then to the next. A request may be sent twice, so
/// callers send only changes that may be executed twice.
final class EtcdClient: Sendable {
    private let transport: any EtcdTransport
    private let options: EtcdOptions
    private let time: ClusterTime
    private let state: Mutex<State>

    private struct State {
        /// The index of the member that gets the requests.
        var member = 0
        /// The highest revision that a member has named. An answer of an earlier one is stale.
        var revision: Int64 = 0
        /// Authorises requests, if there is a user.
        var token: String?
    }

    init(_ options: EtcdOptions, over transport: any EtcdTransport, time: ClusterTime) {
        self.options = options
        self.transport = transport
        self.time = time
        state = Mutex(State())
    }

    /// The most bytes of lines in one transaction.
    var bytesPerTransaction: Int { options.bytesPerTransaction }

    /// Closes all connections.
    func close() async {
        await transport.close()
    }

    /// Executes a transaction that may be executed twice.
    func transact(_ transaction: EtcdTransaction) async throws(EtcdFailure) -> EtcdAnswer {
        let body = transaction.body
        return try await ask("kv/txn", body) { EtcdAnswer($0) }
    }

    /// Reads keys.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - patience: The time that a member has to answer; nil for the usual one.
    /// - Returns: The entries, and the revision of the store when they were read.
    /// - Throws: etcd refused the request, or no member gave a valid answer in time.
    func read(
        _ range: EtcdRange, patience: Duration? = nil
    ) async throws(EtcdFailure) -> (entries: [EtcdEntry], revision: Int64) {
        var writer = JSONWriter()
        range.write(to: &writer)
        return try await ask("kv/range", writer.bytes, patience: patience) { json in
            guard let header = json["header"], let entries = EtcdAnswer.entries(json) else {
                return nil
            }
            return (entries, header.revision("revision"))
        }
    }

    /// Grants a lease.
    func grant(seconds: Int) async throws(EtcdFailure) -> Int64 {
        let body = "{\"TTL\":\"\(seconds)\"}"
        return try await ask("lease/grant", Array(body.utf8)) { json in
            json["ID"]?.stringValue.flatMap { Int64($0) }
        }
    }

    /// Keeps a lease alive.
    ///
    /// - Returns: The seconds that it has left; 0 if it has ended.
    func keepAlive(_ lease: Int64) async throws(EtcdFailure) -> Int64 {
        try await ask("lease/keepalive", Self.named(lease)) { json in
            json["result"]?.revision("TTL")
        }
    }

    /// Ends a lease, and the keys with it.
    func revoke(_ lease: Int64) async throws(EtcdFailure) {
        _ = try await ask("lease/revoke", Self.named(lease)) { $0["header"] }
    }

    /// The bytes in use in the files of the member that answers, and the revision of the store.
    func size() async throws(EtcdFailure) -> (bytes: Int64, revision: Int64) {
        try await ask("maintenance/status", Array("{}".utf8)) { json in
            guard let header = json["header"] else { return nil }
            return (json.revision("dbSizeInUse"), header.revision("revision"))
        }
    }

    /// The state of each member, in the order of the options.
    func members() async -> [EtcdMember] {
        await withTaskGroup(of: (Int, EtcdMember).self) { group in
            for (index, address) in options.members.enumerated() {
                group.addTask {
                    let json = try? await self.send(
                        "maintenance/status", Array("{}".utf8), to: index, self.options.patience)
                    return (index, EtcdMember(address: address, json))
                }
            }
            var members: [(Int, EtcdMember)] = []
            for await member in group { members.append(member) }
            return members.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Makes etcd discard the values that keys had before a revision.
    func compact(upTo revision: Int64) async throws(EtcdFailure) {
        _ = try await ask("kv/compaction", Array("{\"revision\":\"\(revision)\"}".utf8)) {
            $0["header"]
        }
    }

    /// Calls a closure whenever keys below a prefix change, and once at the beginning. Changes may be reported
    /// late, together or twice. If etcd loses a watch, they are not reported at all, so the caller must also
    /// poll.
    ///
    /// Returns only when the task is cancelled.
    func watch(_ prefix: String, _ ring: @Sendable () -> Void) async {
        while !Task.isCancelled {
            ring()
            let member = currentMember
            do {
                try await watchOnce(prefix, at: member, ring)
            } catch {
                nextMember(after: member)
                try? await time.sleep(.milliseconds(200))
            }
        }
    }

    private func watchOnce(
        _ prefix: String, at member: Int, _ ring: @Sendable () -> Void
    ) async throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("create_request")
        writer.beginObject()
        writer.name("key")
        writer.base64(Array(prefix.utf8))
        writer.name("range_end")
        writer.base64(Array(Self.end(ofPrefix: prefix).utf8))
        writer.endObject()
        writer.endObject()
        try await transport.watch(request("watch", writer.bytes, to: member), ring)
    }

    /// The first key after all that begin with a prefix.
    static func end(ofPrefix prefix: String) -> String {
        guard let last = prefix.unicodeScalars.last, let next = Unicode.Scalar(last.value + 1)
        else { return "\u{0}" }
        return String(prefix.unicodeScalars.dropLast()) + String(next)
    }

    private static func named(_ lease: Int64) -> [UInt8] { Array("{\"ID\":\"\(lease)\"}".utf8) }

    // MARK: Transport

    private var currentMember: Int { state.withLock { $0.member } }

    /// Switches to the next member, unless another request has already switched from the failed one.
    private func nextMember(after failed: Int) {
        state.withLock { state in
            guard state.member == failed else { return }
            state.member = (failed + 1) % options.members.count
        }
    }

    /// Sends a request to each member once, beginning with the one that answered last. A single member gets it
    /// twice.
    private func ask<Answer>(
        _ path: String, _ body: [UInt8], patience: Duration? = nil,
        _ read: (JSONValue) -> Answer?
    ) async throws(EtcdFailure) -> Answer {
        var last = EtcdFailure.unreachable("no member is configured")
        for _ in 0..<max(options.members.count, 2) {
            let (member, known) = state.withLock { ($0.member, $0.revision) }
            do throws(EtcdFailure) {
                let json = try await send(path, body, to: member, patience ?? options.patience)
                guard isFresh(json, since: known) else {
                    throw .unreachable("\(options.members[member]) is behind the others")
                }
                guard let answer = read(json) else {
                    throw .unreachable("\(options.members[member]) answers something else")
                }
                return answer
            } catch {
                last = error
                switch error {
                case .refused(16, _) where options.user != nil:
                    state.withLock { $0.token = nil }
                    continue
                // The member has no leader, or did not complete the request.
                case .unreachable, .refused(14, _), .refused(4, _), .refused(13, _):
                    nextMember(after: member)
                default: throw error
                }
            }
            if Task.isCancelled { break }
        }
        throw last
    }

    /// Whether an answer is at least as new as the newest answer known when the request was sent.
    private func isFresh(_ json: JSONValue, since known: Int64) -> Bool {
        guard let revision = json["header"]?.revision("revision"), revision != 0 else {
            return true
        }
        state.withLock { $0.revision = max($0.revision, revision) }
        return revision >= known
    }

    private func send(
        _ path: String, _ body: [UInt8], to member: Int, _ patience: Duration
    ) async throws(EtcdFailure) -> JSONValue {
        if options.user != nil, state.withLock({ $0.token == nil }) {
            try await logIn(at: member)
        }
        return try await exchange(path, body, with: member, patience)
    }

    private func logIn(at member: Int) async throws(EtcdFailure) {
        guard let user = options.user else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", user.name)
        writer.member("password", user.password)
        writer.endObject()
        let json = try await exchange(
            "auth/authenticate", writer.bytes, with: member, options.patience)
        state.withLock { $0.token = json["token"]?.stringValue }
    }

    private func exchange(
        _ path: String, _ body: [UInt8], with member: Int, _ patience: Duration
    ) async throws(EtcdFailure) -> JSONValue {
        let reply: (status: Int, body: [UInt8])
        do {
            reply = try await transport.exchange(
                request(path, body, to: member), patience: patience)
        } catch {
            throw .unreachable("\(options.members[member]): \(error)")
        }
        guard let json = try? JSONValue(parsing: reply.body) else {
            throw .unreachable(
                "\(options.members[member]) answers no JSON, with status \(reply.status)")
        }
        // Errors of a stream are in the answer, with status 200.
        if let error = json["error"] {
            let code = json["code"]?.intValue ?? error["grpc_code"]?.intValue ?? 0
            let message =
                json["message"]?.stringValue ?? error["message"]?.stringValue
                ?? error.stringValue ?? "an error without text"
            throw .refused(code: Int(code), message)
        }
        return json
    }

    private func request(_ path: String, _ body: [UInt8], to member: Int) -> EtcdRequest {
        EtcdRequest(
            path: path, body: body, member: member, token: state.withLock { $0.token })
    }
}

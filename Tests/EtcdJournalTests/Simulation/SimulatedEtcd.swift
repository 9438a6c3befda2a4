import StrictJSON

@testable import EtcdJournal

/// The keys and leases of etcd, as its JSON interface shows them.
final class SimulatedEtcd {
    /// A key at one of its revisions.
    struct Version {
        var revision: Int64
        var created: Int64
        /// Nil if it was removed.
        var value: [UInt8]?
        var lease: Int64 = 0
    }

    struct Lease {
        let seconds: Int
        var end: Duration
    }

    /// A request that is refused, with a code of gRPC.
    struct Refusal: Error {
        let code: Int
        let message: String
    }

    private let stage: Stage
    private(set) var revision: Int64
    private var compacted: Int64 = 0
    /// All keys that have ever been, in order.
    private var names: [String] = []
    private var versions: [String: [Version]] = [:]
    private(set) var leases: [Int64: Lease] = [:]
    /// Leases that have ended and are said to be kept alive.
    var falselyKept: Set<Int64> = []
    private var lastLease: Int64 = 7_587_000
    /// Whether there is no room.
    var isFull = false
    /// The bytes in use, if they are not those of the keys.
    var claimedBytes: Int64?
    var defect: ClusterDefect?
    /// Called with the first key of a range that was read.
    var wasRead: (_ key: String) -> Void = { _ in }
    /// Called with what a transaction has changed.
    var changed: (_ changes: [(key: String, value: [UInt8]?)]) -> Void = { _ in }

    init(_ stage: Stage, revision: Int64) {
        self.stage = stage
        self.revision = revision
    }

    // MARK: Requests

    /// Executes a request.
    ///
    /// - Parameters:
    ///   - path: The name of the call.
    ///   - body: The request.
    ///   - seen: The revision that the member shows to readers, if it is behind.
    /// - Returns: The body of the answer.
    /// - Throws: The refusal.
    func execute(
        _ path: String, _ body: [UInt8], seen: Int64?
    ) throws(Refusal) -> [UInt8] {
        guard let request = try? JSONValue(parsing: body) else {
            throw Refusal(code: 3, message: "no JSON")
        }
        var answer = JSONWriter()
        answer.beginObject()
        switch path {
        case "kv/txn": try transact(request, seen: seen, &answer)
        case "kv/range":
            let seen = max(min(seen ?? revision, revision), compacted)
            header(seen, &answer)
            write(range(request, at: seen), &answer)
            wasRead(Self.key(request, "key") ?? "")
        case "lease/grant":
            if isFull { throw Self.full }
            header(revision, &answer)
            let seconds = Int(request.revision("TTL"))
            lastLease += 1
            leases[lastLease] = Lease(seconds: seconds, end: stage.now + .seconds(seconds))
            expire(lastLease)
            answer.member("ID", String(lastLease))
            answer.member("TTL", String(seconds))
        case "lease/keepalive":
            answer.name("result")
            answer.beginObject()
            header(revision, &answer)
            if let seconds = keepAlive(request.revision("ID")) {
                answer.member("TTL", String(seconds))
            }
            answer.endObject()
        case "lease/revoke":
            guard revoke(request.revision("ID")) else {
                throw Refusal(code: 5, message: "etcdserver: requested lease not found")
            }
            header(revision, &answer)
        case "maintenance/status":
            header(min(seen ?? revision, revision), &answer)
            answer.member("dbSizeInUse", String(claimedBytes ?? bytes))
        case "kv/compaction":
            let bound = request.revision("revision")
            guard bound > compacted else {
                throw Refusal(
                    code: 11, message: "etcdserver: mvcc: required revision has been compacted")
            }
            compact(bound)
            header(revision, &answer)
        default: throw Refusal(code: 12, message: path)
        }
        answer.endObject()
        return answer.bytes
    }

    private static let full = Refusal(
        code: 8, message: "etcdserver: mvcc: database space exceeded")

    private func header(_ revision: Int64, _ answer: inout JSONWriter) {
        answer.name("header")
        answer.beginObject()
        answer.member("revision", String(revision))
        answer.endObject()
    }

    private static func key(_ json: JSONValue, _ name: String) -> String? {
        json[name]?.stringValue.flatMap(Base64.decode).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Reading

    func version(_ key: String, at revision: Int64) -> Version? {
        let version = versions[key]?.last { $0.revision <= revision }
        return version?.value == nil ? nil : version
    }

    private func index(of key: String) -> Int {
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func entries(
        _ key: String, _ end: String?, at revision: Int64
    ) -> [(key: String, version: Version)] {
        guard let end else { return version(key, at: revision).map { [(key, $0)] } ?? [] }
        let start = index(of: key)
        return names[start..<max(start, index(of: end))].compactMap { name in
            version(name, at: revision).map { (name, $0) }
        }
    }

    private func range(
        _ json: JSONValue, at revision: Int64
    ) -> [(key: String, version: Version)] {
        guard let key = Self.key(json, "key") else { return [] }
        var found = entries(key, Self.key(json, "range_end"), at: revision)
        if json["sort_order"]?.stringValue == "DESCEND" { found.reverse() }
        let limit = Int(json.revision("limit"))
        return limit > 0 ? Array(found.prefix(limit)) : found
    }

    private func write(_ entries: [(key: String, version: Version)], _ answer: inout JSONWriter) {
        guard !entries.isEmpty else { return }
        answer.name("kvs")
        answer.beginArray()
        for (key, version) in entries {
            answer.element()
            answer.beginObject()
            answer.name("key")
            answer.base64(Array(key.utf8))
            answer.member("create_revision", String(version.created))
            answer.member("mod_revision", String(version.revision))
            if let value = version.value, !value.isEmpty {
                answer.name("value")
                answer.base64(value)
            }
            if version.lease != 0 { answer.member("lease", String(version.lease)) }
            answer.endObject()
        }
        answer.endArray()
        answer.member("count", String(entries.count))
    }

    private var bytes: Int64 {
        names.reduce(0) { $0 + Int64(version($1, at: revision)?.value?.count ?? 0) }
    }

    // MARK: Transactions

    /// A transaction that only reads is as old as a plain read.
    private func transact(
        _ request: JSONValue, seen: Int64?, _ answer: inout JSONWriter
    ) throws(Refusal) {
        let comparisons = request["compare"]?.arrayValue ?? []
        // A node tries to become the owner.
        let isAttempt = comparisons.contains {
            Self.key($0, "key")?.hasSuffix("/owner") == true && $0.revision("create_revision") == 0
        }
        let holds = comparisons.allSatisfy { self.holds($0, isAttempt: isAttempt) }
        let operations = request[holds ? "success" : "failure"]?.arrayValue ?? []
        let puts = operations.contains { $0["request_put"] != nil }
        // A server that has become full only now executes what it refuses.
        if puts, isFull, stage.chance(700) { throw Self.full }
        for put in operations.compactMap({ $0["request_put"] }) {
            let lease = put.revision("lease")
            guard lease == 0 || leases[lease] != nil else {
                throw Refusal(code: 5, message: "etcdserver: requested lease not found")
            }
        }
        let age = Self.onlyReads(request) ? max(min(seen ?? revision, revision), compacted) : nil
        var responses = JSONWriter()
        var changes: [(key: String, value: [UInt8]?)] = []
        responses.beginArray()
        for operation in operations {
            responses.element()
            responses.beginObject()
            apply(operation, at: age ?? revision + 1, &changes, &responses)
            responses.endObject()
        }
        responses.endArray()
        commit(changes)
        if puts, isFull { throw Self.full }
        header(age ?? revision, &answer)
        if holds { answer.member("succeeded", true) }
        if !operations.isEmpty {
            answer.name("responses")
            answer.raw(responses.bytes)
        }
    }

    /// Whether a transaction changes and compares nothing.
    static func onlyReads(_ request: JSONValue) -> Bool {
        request["compare"]?.arrayValue?.isEmpty != false
            && request["success"]?.arrayValue?.allSatisfy { $0["request_range"] != nil } == true
    }

    private func holds(_ comparison: JSONValue, isAttempt: Bool) -> Bool {
        guard let key = Self.key(comparison, "key") else { return false }
        if let defect, defect.forgets(comparison, of: key, isAttempt: isAttempt) { return true }
        let end = Self.key(comparison, "range_end")
        let found = entries(key, end, at: revision).map(\.version)
        let isCreate = comparison["target"]?.stringValue == "CREATE"
        let bound = comparison.revision(isCreate ? "create_revision" : "mod_revision")
        let values = found.isEmpty ? [0] : found.map { isCreate ? $0.created : $0.revision }
        return values.allSatisfy {
            comparison["result"]?.stringValue == "LESS" ? $0 < bound : $0 == bound
        }
    }

    private func apply(
        _ operation: JSONValue, at revision: Int64,
        _ changes: inout [(key: String, value: [UInt8]?)],
        _ responses: inout JSONWriter
    ) {
        if let put = operation["request_put"], let key = Self.key(put, "key") {
            let value = Base64.decode(put["value"]?.stringValue ?? "") ?? []
            set(key, value, lease: put.revision("lease"))
            changes.append((key, value))
            responses.name("response_put")
            responses.beginObject()
            responses.endObject()
        } else if let read = operation["request_range"] {
            responses.name("response_range")
            responses.beginObject()
            write(range(read, at: revision), &responses)
            responses.endObject()
        } else if let removal = operation["request_delete_range"],
            let key = Self.key(removal, "key")
        {
            var end = Self.key(removal, "range_end")
            if defect == .trimsTooMuch, end != nil { end = "q/log0" }
            for (name, _) in entries(key, end, at: revision) {
                set(name, nil, lease: 0)
                changes.append((name, nil))
            }
            responses.name("response_delete_range")
            responses.beginObject()
            responses.endObject()
        }
    }

    /// Sets or removes a key at the next revision.
    private func set(_ key: String, _ value: [UInt8]?, lease: Int64) {
        let before = version(key, at: revision + 1)
        let version = Version(
            revision: revision + 1, created: before?.created ?? revision + 1, value: value,
            lease: lease)
        if versions[key] == nil { names.insert(key, at: index(of: key)) }
        if versions[key]?.last?.revision == revision + 1 { versions[key]?.removeLast() }
        versions[key, default: []].append(version)
    }

    private func commit(_ changes: [(key: String, value: [UInt8]?)]) {
        guard !changes.isEmpty else { return }
        revision += 1
        stage.note(UInt64(revision))
        changed(changes)
    }

    private func compact(_ bound: Int64) {
        compacted = bound
        for name in names {
            let kept = versions[name]?.lastIndex { $0.revision <= bound } ?? 0
            versions[name]?.removeFirst(kept)
        }
    }

    // MARK: Leases

    /// Ends a lease some time after its end, unless it is kept alive meanwhile.
    private func expire(_ id: Int64) {
        guard let lease = leases[id] else { return }
        let delay = max(.zero, lease.end - stage.now) + stage.milliseconds(0...500)
        stage.after(delay) { [weak self] in
            guard let self, let lease = leases[id] else { return }
            if lease.end <= stage.now { revoke(id) } else { expire(id) }
        }
    }

    private func keepAlive(_ id: Int64) -> Int? {
        guard let lease = leases[id], lease.end > stage.now else {
            return falselyKept.contains(id) ? 1 : nil
        }
        leases[id]?.end = stage.now + .seconds(lease.seconds)
        return lease.seconds
    }

    /// Ends a lease and its keys.
    @discardableResult
    func revoke(_ id: Int64) -> Bool {
        guard leases.removeValue(forKey: id) != nil else { return false }
        var changes: [(key: String, value: [UInt8]?)] = []
        for name in names where version(name, at: revision)?.lease == id {
            set(name, nil, lease: 0)
            changes.append((name, nil))
        }
        commit(changes)
        return true
    }

    /// A new leader lets all leases last their whole time again.
    func promote() {
        for (id, lease) in leases { leases[id]?.end = stage.now + .seconds(lease.seconds) }
    }
}

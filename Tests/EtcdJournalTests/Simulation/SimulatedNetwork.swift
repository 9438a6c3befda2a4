import StrictJSON

@testable import EtcdJournal

/// The ways between nodes and members: requests and answers are lost, late and out of order, and members fall
/// behind.
final class SimulatedNetwork {
    /// How often something goes wrong, in thousandths.
    struct Weather {
        var lostRequests = 0
        var lostAnswers = 0
        var lateRequests = 0
        var slow = 0
        var staleAnswers = 0
        var unsure = 0
        var lostBells = 0
        var brokenWatches = 0
    }

    struct Member {
        var isDown = false
        var hasLeader = true
        /// The revision that readers see, while it is behind.
        var seen: Int64?
    }

    /// A node that waits for changes.
    final class Watch {
        let node: Int
        let member: Int
        var rings = 0
        var end: Result<Void, any Error>?
        var wake: (() -> Void)?

        init(node: Int, member: Int) {
            self.node = node
            self.member = member
        }
    }

    struct Broken: Error {}

    let stage: Stage
    let etcd: SimulatedEtcd
    var weather = Weather()
    var members = [Member](repeating: Member(), count: 3)
    /// The ways that are cut: node and member.
    var cuts: Set<[Int]> = []
    var defect: ClusterDefect?
    /// The token that authorises requests; nil if they need none.
    var token: String?
    private(set) var requests = 0
    private(set) var faults = 0
    private var watches: [Watch] = []

    init(_ stage: Stage, _ etcd: SimulatedEtcd) {
        self.stage = stage
        self.etcd = etcd
    }

    private func happens(_ perMille: Int) -> Bool {
        guard perMille > 0, stage.chance(perMille) else { return false }
        faults += 1
        return true
    }

    private var latency: Duration {
        happens(weather.slow) ? stage.milliseconds(1...1500) : .microseconds(stage.draw(100...3000))
    }

    // MARK: Requests

    typealias Answer = (Result<(status: Int, body: [UInt8]), any Error>) -> Void

    /// Sends a request on its way.
    func send(_ request: EtcdRequest, from node: Int, _ answer: @escaping Answer) {
        requests += 1
        stage.note(UInt64(request.body.count))
        let member = members[request.member]
        guard !member.isDown, !cuts.contains([node, request.member]) else {
            if stage.chance(500) { stage.after(latency) { answer(.failure(Broken())) } }
            return
        }
        guard !happens(weather.lostRequests) else {
            return pretend(request, answer)
        }
        let delay = happens(weather.lateRequests) ? stage.milliseconds(100...6000) : latency
        stage.after(delay) { [self] in
            let reply = execute(request)
            guard !happens(weather.lostAnswers) else { return }
            stage.after(latency) { answer(.success(reply)) }
        }
    }

    /// A planted defect: a client that takes silence for success.
    private func pretend(_ request: EtcdRequest, _ answer: @escaping Answer) {
        guard defect == .silenceIsSuccess, request.path == "kv/txn" else { return }
        let text = "{\"header\":{\"revision\":\"\(etcd.revision)\"},\"succeeded\":true}"
        stage.after(latency) { answer(.success((200, Array(text.utf8)))) }
    }

    private func execute(_ request: EtcdRequest) -> (status: Int, body: [UInt8]) {
        let member = members[request.member]
        guard member.hasLeader else { return Self.refusal(14, "etcdserver: no leader") }
        if happens(weather.unsure) {
            // It may be executed, too.
            if stage.chance(500) {
                stage.after(latency) { [self] in
                    _ = try? etcd.execute(request.path, request.body, seen: nil)
                }
            }
            return Self.refusal(
                [14, 4, 13][stage.draw(0...2)], "etcdserver: request timed out")
        }
        if let token, request.path == "auth/authenticate" {
            return (200, Array("{\"token\":\"\(token)\"}".utf8))
        }
        guard token == nil || request.token == token else {
            return Self.refusal(16, "etcdserver: invalid auth token")
        }
        var seen = member.seen
        if seen == nil, happens(weather.staleAnswers) {
            seen = max(1, etcd.revision - Int64(stage.draw(1...20)))
        }
        do throws(SimulatedEtcd.Refusal) {
            var body = try etcd.execute(request.path, request.body, seen: seen)
            if defect == .takesStaleAnswers, Self.onlyReads(request) {
                body = Self.withoutRevision(body)
            }
            return (200, body)
        } catch {
            return Self.refusal(error.code, error.message)
        }
    }

    private static func onlyReads(_ request: EtcdRequest) -> Bool {
        if request.path == "kv/range" { return true }
        guard request.path == "kv/txn", let json = try? JSONValue(parsing: request.body) else {
            return false
        }
        return SimulatedEtcd.onlyReads(json)
    }

    private static func refusal(_ code: Int, _ message: String) -> (status: Int, body: [UInt8]) {
        let text = "{\"error\":\"\(message)\",\"code\":\(code),\"message\":\"\(message)\"}"
        return (code == 14 ? 503 : 400, Array(text.utf8))
    }

    /// A planted defect: an answer that does not say how old it is.
    private static func withoutRevision(_ body: [UInt8]) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        return Array(text.replacing("\"revision\":", with: "\"other\":", maxReplacements: 1).utf8)
    }

    // MARK: Watches

    func begin(_ watch: Watch, _ request: EtcdRequest) {
        let member = members[watch.member]
        let isAuthorised = token == nil || request.token == token
        guard isAuthorised, !member.isDown, !cuts.contains([watch.node, watch.member]) else {
            stage.after(latency) { self.end(watch, .failure(Broken())) }
            return
        }
        watches.append(watch)
    }

    func end(_ watch: Watch, _ result: Result<Void, any Error>) {
        watches.removeAll { $0 === watch }
        watch.end = result
        watch.wake?()
    }

    /// Lets the nodes know that keys have changed, or does not.
    func ring() {
        for watch in watches {
            if happens(weather.brokenWatches) {
                end(watch, stage.chance(500) ? .success(()) : .failure(Broken()))
                continue
            }
            guard !members[watch.member].isDown, !cuts.contains([watch.node, watch.member]),
                !happens(weather.lostBells)
            else { continue }
            for _ in 0...(stage.chance(50) ? 1 : 0) {
                stage.after(latency) {
                    watch.rings += 1
                    watch.wake?()
                }
            }
        }
    }

    /// Has all requests refused that have the token so far.
    func changeToken() {
        if token != nil { token = "token-\(stage.number())" }
    }

    /// Ends all that goes wrong.
    func calm() {
        weather = Weather()
        members = members.map { _ in Member() }
        cuts = []
        etcd.isFull = false
        etcd.falselyKept = []
        etcd.claimedBytes = nil
    }
}

/// The way of one process to the members.
///
/// Proof: as for ``Stage``.
final class SimulatedTransport: EtcdTransport, @unchecked Sendable {
    private let network: SimulatedNetwork
    private let process: SimulatedProcess
    private let node: Int

    init(_ network: SimulatedNetwork, _ process: SimulatedProcess, node: Int) {
        self.network = network
        self.process = process
        self.node = node
    }

    func exchange(
        _ request: EtcdRequest, patience: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        try await process.suspended { [self] resume in
            network.send(request, from: node, resume)
            return process.stage.after(patience) {
                resume(.failure(SimulatedNetwork.Broken()))
            }
        }
    }

    func watch(_ request: EtcdRequest, _ ring: @Sendable () -> Void) async throws {
        let watch = SimulatedNetwork.Watch(node: node, member: request.member)
        network.begin(watch, request)
        defer { network.end(watch, .success(())) }
        while true {
            if let end = watch.end { return try end.get() }
            if watch.rings > 0 {
                watch.rings = 0
                ring()
                continue
            }
            try await process.suspended { resume in
                watch.wake = { resume(.success(())) }
                return nil
            }
        }
    }

    func close() async {}
}

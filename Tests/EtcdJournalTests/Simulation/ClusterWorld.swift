import PaymentCore
import PaymentStorage
import PaymentTesting

@testable import EtcdJournal

/// Three nodes over a simulated etcd, from a seed: the same seed is the same run.
final class ClusterWorld {
    struct Settings {
        var defect: ClusterDefect?
        var leaseSeconds = 2
        var patience = Duration.milliseconds(300)
        var keptBytes: Int64 = 0
        /// Small, so that the ends of segments are met; or so that much waits for a sync.
        var segmentBytes = 3072
        /// The longest time between two batches, in milliseconds.
        var longestPause = 300
        /// The most bytes of one append; batches are often longer.
        var bytesPerAppend = 1 << 20
        var hasUser = false
        /// Whether etcd says now and then that it is nearly full, so that nodes that are behind lose lines.
        var loses = false
    }

    let settings: Settings
    let stage: Stage
    let etcd: SimulatedEtcd
    let network: SimulatedNetwork
    let ledger = LogLedger(ClusterKeys(prefix: "q"))
    private(set) var nodes: [SimulatedNode] = []
    private(set) var commits = 0
    /// The commits since the end has begun.
    private(set) var endCommits = 0
    /// Whether nothing goes wrong any more.
    private(set) var isEnding = false
    var resignations = 0
    /// The terms in which nodes have owned the log.
    private(set) var terms: [UInt64] = []
    /// The leases that were lost before their time.
    private var lostLeases: Set<Int64> = []

    init(seed: UInt64, defect: ClusterDefect? = nil) {
        stage = Stage(seed: seed)
        var settings = Settings(defect: defect)
        settings.leaseSeconds = [1, 2, 3, 5][stage.draw(0...3)]
        settings.patience =
            [.milliseconds(100), .milliseconds(300), .seconds(1)][
                stage.draw(0...2)]
        settings.keptBytes = stage.chance(700) ? 0 : 1 << 30
        if stage.chance(400) { settings.segmentBytes = 1 << 16 }
        settings.longestPause = [50, 300, 1000][stage.draw(0...2)]
        settings.bytesPerAppend = stage.chance(300) ? 150 : 1 << 20
        settings.hasUser = stage.chance(300)
        settings.loses = stage.chance(200)
        self.settings = settings
        etcd = SimulatedEtcd(stage, revision: stage.chance(500) ? 1 : 20_000)
        network = SimulatedNetwork(stage, etcd)
        etcd.defect = defect
        network.defect = defect
        if settings.hasUser { network.token = "token" }
        etcd.changed = { [unowned self] changes in
            ledger.changed(changes, revision: etcd.revision, in: etcd)
            network.ring()
        }
        // A node comes while the owner decides which lines no node needs.
        etcd.wasRead = { [unowned self] key in
            guard key == ledger.keys.nodes.key, stage.chance(500) else { return }
            for node in nodes where node.lives == 0 { stage.after(.zero) { node.start() } }
        }
        nodes = (0..<3).map { SimulatedNode($0, in: self) }
    }

    /// The first promise that was broken.
    var finding: String? { ledger.finding }

    /// Runs the nodes through all that goes wrong, and to the end.
    func run() {
        changeWeather()
        for node in nodes {
            stage.after(stage.milliseconds(0...(stage.chance(500) ? 50 : 8000))) { node.start() }
        }
        disturbLater()
        let storm = stage.milliseconds(8000...20_000)
        if !stage.run(until: storm, unless: { self.finding != nil }) { ledger.find("it spins") }
        if finding == nil { finish() }
        for node in nodes { node.stop(losesPower: false) }
        // Tasks that have lost their process come to their end.
        _ = stage.run(until: stage.now)
    }

    // MARK: Nodes

    /// Ends the process of a node, and begins another one after a time.
    func end(_ node: SimulatedNode) {
        node.stop(losesPower: stage.chance(500))
        stage.after(isEnding ? .milliseconds(100) : stage.milliseconds(10...2000)) { node.start() }
    }

    /// Decides whether a node may have failed.
    func judge(_ error: any Error, of node: SimulatedNode) {
        guard !node.disk.isOff else { return }
        let next = node.life?.log?.end.next ?? node.kept?.next ?? 1
        let isSayingSo = error is StorageError || error is ClusterFailure
        guard isSayingSo, ledger.firstKept > next else {
            return ledger.find("\(node.name) has failed: \(error)")
        }
        if !settings.loses, node.hasReported {
            ledger.find("\(node.name) was left behind: \(error)")
        }
        let others = nodes.filter { $0 !== node && ($0.life?.log?.end.next ?? 0) > next }
        if let other = others.first {
            node.stop(losesPower: false)
            node.copyFiles(of: other)
            stage.after(.milliseconds(100)) { node.start() }
        }
    }

    func noteCommit() {
        commits += 1
        checkOwners()
        if isEnding { endCommits += 1 }
    }

    func noteOwner(_ life: NodeLife) {
        guard let right = life.right else { return }
        terms.append(right.term)
        checkOwners()
        let owner = etcd.version("q/owner", at: etcd.revision)
        if owner?.created == Int64(right.term), life.log?.end.next != ledger.next {
            ledger.find("a node owns the log in term \(right.term) without having all of it")
        }
    }

    /// At most one node believes to own the log, unless a lease was lost before its time.
    private func checkOwners() {
        let rights = nodes.compactMap(\.life).filter { !$0.process.isStopped }.compactMap(\.right)
            .filter { $0.holds && !lostLeases.contains($0.lease.id) }
        if rights.count > 1 {
            ledger.find("two nodes own the log, in the terms \(rights.map(\.term))")
        }
    }

    // MARK: Faults

    private func disturbLater() {
        stage.after(stage.milliseconds(50...1500)) { [self] in
            guard !isEnding else { return }
            checkOwners()
            disturb()
            disturbLater()
        }
    }

    private func disturb() {
        let node = nodes[stage.draw(0...2)]
        let member = stage.draw(0...2)
        let time = stage.milliseconds(100...settings.leaseSeconds * 2000)
        switch stage.draw(0...14) {
        case 0, 1: if node.life != nil { end(node) }
        case 2, 3: halt(node, for: time)
        case 4: loseLease()
        case 5: set(\.isDown, of: member, to: true, then: false, after: time)
        case 6: set(\.hasLeader, of: member, to: false, then: true, after: time)
        case 7: set(\.seen, of: member, to: etcd.revision, then: nil, after: time)
        case 8: cut(node.number, member, for: time)
        case 9: for member in 0...2 { cut(node.number, member, for: time) }
        case 10: fill(for: time)
        case 11: etcd.promote()
        case 12: network.changeToken()
        case 13:
            // A disk without power would have it again.
            guard !node.disk.isOff else { break }
            node.disk.cutPower(atCall: node.disk.callCount + stage.draw(1...30))
        default: changeWeather()
        }
    }

    private func halt(_ node: SimulatedNode, for time: Duration) {
        guard let process = node.life?.process else { return }
        process.stop()
        stage.after(time) { [self] in
            process.proceed()
            stage.after(.microseconds(10)) { self.checkOwners() }
        }
    }

    /// The lease of the owner ends before its time, or that of any node.
    private func loseLease() {
        let owner = etcd.version("q/owner", at: etcd.revision)?.lease
        let any = etcd.leases.keys.sorted()
        guard !any.isEmpty else { return }
        let lease = stage.chance(500) ? owner : any[stage.draw(0...any.count - 1)]
        guard let lease else { return }
        lostLeases.insert(lease)
        if stage.chance(500) { etcd.falselyKept.insert(lease) }
        etcd.revoke(lease)
    }

    private func set<Value>(
        _ property: WritableKeyPath<SimulatedNetwork.Member, Value>, of member: Int,
        to value: Value, then later: Value, after time: Duration
    ) {
        network.members[member][keyPath: property] = value
        stage.after(time) { [network] in network.members[member][keyPath: property] = later }
    }

    private func cut(_ node: Int, _ member: Int, for time: Duration) {
        network.cuts.insert([node, member])
        stage.after(time) { [network] in network.cuts.remove([node, member]) }
    }

    private func fill(for time: Duration) {
        if settings.loses, stage.chance(500) {
            etcd.claimedBytes = 2 << 30
        } else {
            etcd.isFull = true
        }
        stage.after(time) { [etcd] in
            etcd.claimedBytes = nil
            etcd.isFull = false
        }
    }

    private func changeWeather() {
        func rate(_ most: Int) -> Int { stage.chance(500) ? 0 : stage.draw(0...most) }
        network.weather = SimulatedNetwork.Weather(
            lostRequests: rate(100), lostAnswers: rate(200), lateRequests: rate(100),
            slow: rate(100), staleAnswers: rate(200), unsure: rate(100), lostBells: rate(500),
            brokenWatches: rate(50))
    }

    // MARK: End

    /// Nothing goes wrong any more: a node owns the log soon, and all copies get all of it.
    private func finish() {
        isEnding = true
        network.calm()
        for node in nodes {
            // A node may not have noticed yet that it has no power.
            if node.disk.isOff { end(node) }
            node.disk.cutPower(atCall: .max)
            node.life?.process.proceed()
            node.start()
        }
        let isEven = { [self] in
            endCommits > 0
                && nodes.allSatisfy {
                    $0.life?.log?.end.next == ledger.next
                        && !etcd.entries("q/up/\($0.name)/", "q/up/\($0.name)0", at: etcd.revision)
                            .isEmpty
                }
        }
        let isRunning = stage.run(until: stage.now + .seconds(40)) {
            self.finding != nil || isEven()
        }
        if !isRunning { ledger.find("it spins") }
        if !isEven() {
            ledger.find(
                "after 40 seconds without faults \(endCommits) batches are committed, the copies end at "
                    + "\(nodes.map { $0.life?.log?.end.next ?? 0 }) of \(ledger.next), and up are "
                    + "\(etcd.entries("q/up/", "q/up0", at: etcd.revision).map(\.key))")
        }
        guard finding == nil else { return }
        for node in nodes {
            _ = try? node.life?.log?.sync()
            node.stop(losesPower: true)
            ledger.check(node.bytes(), of: node.name, isWhole: true)
        }
        replay(nodes[stage.draw(0...2)])
    }

    /// Reads a copy as the next start does.
    private func replay(_ node: SimulatedNode) {
        let replay = SeenReplay()
        do {
            let directory = try StateDirectory(
                disk: MemoryDisk(world: node.disk), path: "/\(node.name)", owner: 0,
                identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
                started: Samples.noon)
            _ = try LocalLog.read(in: directory, settings: NodeLife.settings(node, self), replay)
            ledger.check(replay.records, of: node.name)
        } catch {
            ledger.find("the files of \(node.name) cannot be read: \(error)")
        }
    }
}

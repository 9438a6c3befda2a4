import FoundationEssentials
import Glibc
import Logging
import Observability
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentHistory
import PaymentServer
import StoreMessages
import Telemetry

/// All resolved settings with their sources.
///
/// ``ConfigurationKey/all`` defines how each property is read and documented.
struct DaemonConfiguration: Sendable {
    var socket = Setting<String?>(value: nil, source: .byDefault)
    var stateDirectory = Setting<String?>(value: nil, source: .byDefault)
    /// Whether the daemon serves its state read-only.
    var readOnly = Setting(value: false, source: .byDefault)
    /// The location of the queue's log, which the other nodes of a cluster share.
    var journal = Setting<String?>(value: nil, source: .byDefault)
    /// The cluster named by `journal`; nil for local files.
    var clusterAddress: ClusterAddress?
    var cluster = Cluster()
    var file = Setting<String?>(value: nil, source: .byDefault)
    var store = Setting<String?>(value: nil, source: .byDefault)
    /// The server named by `store`; nil for the embedded store.
    var storeAddress: StoreAddress?
    var storeCredentials = Setting<String?>(value: nil, source: .byDefault)
    var storeCertificates = Setting<String?>(value: nil, source: .byDefault)
    var catalog = Setting<String?>(value: nil, source: .byDefault)
    var historyAlgorithm = Setting(value: SignatureAlgorithm.rs256, source: .byDefault)
    var demo = Setting(value: false, source: .byDefault)
    var logLevel = Setting(value: Logger.Level.info, source: .byDefault)
    var logFormat = Setting(value: LogFormat.suggested, source: .byDefault)
    var socketMode = Setting<UInt16>(value: 0o600, source: .byDefault)
    var socketGroup = Setting<String?>(value: nil, source: .byDefault)
    /// The socket that only root and the daemon's own user can open.
    var adminSocket = Setting<String?>(value: nil, source: .byDefault)
    /// Whether client connections are kept over restarts.
    var keepConnections = Setting(value: KeepConnections.auto, source: .byDefault)
    /// The socket that serves metrics and health over HTTP.
    var metricsSocket = Setting<String?>(value: nil, source: .byDefault)
    var otlpEndpoint = Setting<String?>(value: nil, source: .byDefault)
    /// The collector at `otlpEndpoint`.
    var collector: OTLPEndpoint?
    var limits = Limits()
    var retention = Retention()
    var timeouts = Timeouts()
    var roles = AccessPolicy(ownUser: geteuid())
    /// The keys of object members that the file contains, such as `limits.depth`.
    var namedInFile: Set<String> = []

    /// The node, and its access to etcd and to other nodes.
    struct Cluster: Sendable {
        /// The name of this node.
        var node = Setting<String?>(value: nil, source: .byDefault)
        /// The time in seconds after which another node replaces an owner that does not respond.
        var leaseSeconds = 5
        /// The file with the CA certificates of etcd.
        var certificates = Setting<String?>(value: nil, source: .byDefault)
        /// The file with the user or the certificate for etcd.
        var credentials = Setting<String?>(value: nil, source: .byDefault)
        /// The address at which other nodes reach this node.
        var peer = Setting<String?>(value: nil, source: .byDefault)
        /// The file with the CA certificates of the nodes.
        var peerCertificates = Setting<String?>(value: nil, source: .byDefault)
        /// The file with the certificate and the key of this node.
        var peerCredentials = Setting<String?>(value: nil, source: .byDefault)
    }

    /// The retention periods.
    struct Retention: Sendable {
        /// Days for which finished transactions and their keys are remembered.
        var finishedDays = 90
        /// Maximum age of the event log, in days.
        var logDays = 30
        /// Maximum size of the event log, in bytes.
        var logBytes = 64 * 1024 * 1024
        /// Backups that the daemon keeps; it removes older ones.
        var backups = 10
    }

    /// The timeouts.
    struct Timeouts: Sendable {
        /// Seconds for peers to read the last line when the daemon stops.
        var drainSeconds = 5
        /// Maximum time of an open login question, in seconds.
        var loginSeconds = 120
        /// Maximum time of an open payment question, in seconds.
        var paymentSeconds = 120
        /// Timeout of a restore, in seconds.
        var restoreSeconds = 60
        /// Interval of reconciliations with the store, in seconds.
        var reconciliationSeconds = 900

        /// The timeouts in the form of the engine.
        var engine: EngineTimeouts {
            EngineTimeouts(
                login: .seconds(loginSeconds), payment: .seconds(paymentSeconds),
                restore: .seconds(restoreSeconds),
                reconciliation: .seconds(reconciliationSeconds))
        }
    }
}

extension DaemonConfiguration {
    /// The default configuration.
    static let standard = DaemonConfiguration()

    /// Resolves flags, environment and file.
    ///
    /// - Parameters:
    ///   - options: The flags.
    ///   - environment: The process environment.
    ///   - reachesStores: Whether this build contains the client of store servers.
    /// - Throws: The first invalid setting.
    init(
        options: DaemonOptions, environment: [String: String],
        reachesStores: Bool = StoreServerClient.isThere
    ) throws(ConfigurationProblem) {
        try Self.checkNames(of: environment)
        let file = Self.locateFile(options, environment)
        let json: ConfigurationFile?
        if let path = file.value { json = try ConfigurationFile(path: path) } else { json = nil }
        let sources = SettingSources(options: options, environment: environment, file: json)
        try self.init(sources, file: file, reachesStores: reachesStores)
        let limit = "limits.unfinishedTransactions"
        if !namedInFile.contains(limit), let most = MemoryLimit.transactions() {
            limits.unfinishedTransactions = min(limits.unfinishedTransactions, most)
        }
    }

    /// Resolves the settings of sources that were read.
    ///
    /// - Throws: The first invalid setting.
    init(
        _ sources: SettingSources, file: Setting<String?>, reachesStores: Bool
    ) throws(ConfigurationProblem) {
        self.init()
        self.file = file
        for key in ConfigurationKey.all { try key.read(sources, &self) }
        let places = DefaultPlaces(environment: sources.environment, demo: demo)
        socket = places.socket(socket)
        stateDirectory = places.state(stateDirectory)
        try checkReadOnly()
        try checkStore(reachesStores)
        try checkJournal(reachesStores)
        try checkCollector()
    }

    /// One line for each setting with its value and source.
    var report: [String] {
        let shown = ConfigurationKey.all.map { ($0.name, $0.shown(self)) }
        return ([("config", (file.value, file.source))] + shown).map { name, shown in
            "\(name) = \(shown.value ?? "(none)")  [\(shown.source)]"
        }
    }

    /// The places without a path, which the environment of a start may still name.
    ///
    /// - Parameter isPassed: Whether the service manager passed a socket.
    /// - Returns: The names of the places.
    func unnamedPlaces(isPassed: Bool) -> [String] {
        guard !demo.value else { return [] }
        let socket = isPassed || self.socket.value != nil ? [] : ["socket"]
        return socket + (stateDirectory.value == nil ? ["state directory"] : [])
    }

    /// A limit by its place in the table of limits.
    subscript(limit index: Int) -> Int {
        get { limits[keyPath: Limits.keys[index].path] }
        set { limits[keyPath: Limits.keys[index].path] = newValue }
    }

    /// The source of a key inside an object.
    func memberSource(_ key: String) -> SettingSource {
        namedInFile.contains(key) ? file.value.map { .file($0) } ?? .byDefault : .byDefault
    }

    /// The environment variable that names the file, as `--config` does.
    private static let fileVariable = "PAYQUEUED_CONFIG"

    /// Refuses variables with the daemon's prefix that set nothing. A misspelled one would start
    /// the daemon on an unintended state directory.
    private static func checkNames(
        of environment: [String: String]
    ) throws(ConfigurationProblem) {
        let known = [fileVariable] + ConfigurationKey.all.compactMap(\.variable)
        let prefix = "PAYQUEUED_"
        for name in environment.keys.sorted() where name.hasPrefix(prefix) {
            // Container platforms name services of the namespace in such variables.
            let isOfPlatform = ["SERVICE_", "PORT"].contains { name.hasPrefix(prefix + $0) }
            guard !known.contains(name), !isOfPlatform else { continue }
            let words = known.map { String($0.dropFirst(prefix.count)) }
            let hint = NearestName.find(String(name.dropFirst(prefix.count)), in: words)
            throw ConfigurationProblem(
                "unknown environment variable '\(name)'"
                    + (hint.map { "; did you mean '\(prefix)\($0)'?" }
                        ?? "; 'payqueued --print-config' lists the keys"))
        }
    }

    private func checkReadOnly() throws(ConfigurationProblem) {
        guard readOnly.value, demo.value else { return }
        throw ConfigurationProblem(
            "--demo begins a new state; use either --demo or --read-only", place: "/readOnly")
    }

    private mutating func checkStore(_ reachesStores: Bool) throws(ConfigurationProblem) {
        guard let name = store.value, name != "sandbox" else { return }
        guard let address = StoreAddress(name) else {
            throw ConfigurationProblem(
                "cannot use store '\(name)' [\(store.source)]: expected sandbox, "
                    + "http://HOST:PORT, https://HOST:PORT or http+unix://PATH", place: "/store")
        }
        guard !demo.value else {
            throw ConfigurationProblem(
                "--demo has its own store; use either --demo or --store",
                place: "/store")
        }
        guard reachesStores else {
            throw ConfigurationProblem(
                "cannot use store '\(name)' [\(store.source)]: this payqueued was built "
                    + "without the client of store servers; build it with 'make build'",
                place: "/store")
        }
        storeAddress = address
    }

    private mutating func checkJournal(_ reachesStores: Bool) throws(ConfigurationProblem) {
        guard let name = journal.value, name != "file:" else { return }
        guard let address = ClusterAddress(name) else {
            throw ConfigurationProblem(
                "cannot use journal '\(name)' [\(journal.source)]: expected file: or "
                    + "etcd://HOST:PORT,.../PREFIX", place: "/journal")
        }
        guard !demo.value, !readOnly.value else {
            throw ConfigurationProblem(
                "a node of a cluster is neither a demo nor read-only; leave out --demo and "
                    + "--read-only", place: "/journal")
        }
        guard reachesStores else {
            throw ConfigurationProblem(
                "cannot use journal '\(name)' [\(journal.source)]: this payqueued was built "
                    + "without the client of etcd; build it with 'make build'", place: "/journal")
        }
        if let node = cluster.node.value,
            node.wholeMatch(of: /[A-Za-z0-9._\-]{1,64}/) == nil
        {
            throw ConfigurationProblem(
                "cannot use node '\(node)' [\(cluster.node.source)]: expected at most 64 letters, digits, '.', "
                    + "'-' and '_'", place: "/cluster/node")
        }
        let peers = [
            cluster.peer.value, cluster.peerCertificates.value, cluster.peerCredentials.value,
        ]
        guard peers.allSatisfy({ $0 == nil }) || !peers.contains(nil) else {
            throw ConfigurationProblem(
                "nodes reach each other with all of cluster.peer, cluster.peerCertificates and "
                    + "cluster.peerCredentials", place: "/cluster")
        }
        clusterAddress = address
    }

    private mutating func checkCollector() throws(ConfigurationProblem) {
        guard let address = otlpEndpoint.value else { return }
        collector = OTLPEndpoint(address)
        guard collector == nil else { return }
        let hint =
            address.hasPrefix("https:")
            ? "; a collector on this machine can forward the traces over TLS" : ""
        throw ConfigurationProblem(
            "cannot use '\(address)' as 'otlpEndpoint' [\(otlpEndpoint.source)]: expected "
                + "http://HOST:PORT\(hint)",
            place: "/otlpEndpoint")
    }

    private static func locateFile(
        _ options: DaemonOptions, _ environment: [String: String]
    ) -> Setting<String?> {
        if let path = options.config { return Setting(value: path, source: .flag("--config")) }
        if let path = environment[fileVariable] {
            return Setting(value: path, source: .environment(fileVariable))
        }
        if let directory = environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first {
            let path = "\(directory)/payqueued.json"
            if FileManager.default.fileExists(atPath: path) {
                return Setting(value: path, source: .serviceManager("CONFIGURATION_DIRECTORY"))
            }
        }
        return Setting(value: nil, source: .byDefault)
    }
}

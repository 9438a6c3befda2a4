import FoundationEssentials
import Logging
import Observability
import PaymentAPI
import PaymentBackend
import PaymentCore
import PaymentEngine
import PaymentHistory
import PaymentServer

/// Everything that can be set, resolved, with where each value came from.
struct DaemonConfiguration: Sendable {
    var socket: Setting<String?>
    var stateDirectory: Setting<String?>
    var file: Setting<String?>
    var store: Setting<String>
    /// The server that `store` names; nil for the embedded one.
    var storeAddress: StoreAddress?
    var storeCredentials: Setting<String?>
    var storeCertificates: Setting<String?>
    var catalog: Setting<String?>
    var historyAlgorithm: Setting<SignatureAlgorithm>
    var demo: Setting<Bool>
    var logLevel: Setting<Logger.Level>
    var logFormat: Setting<LogFormat>
    var socketMode: Setting<UInt16>
    var socketGroup: Setting<String?>
    /// Whether client connections are kept over restarts.
    var keepConnections: Setting<KeepConnections>
    /// Where measurements are served over HTTP.
    var metricsSocket: Setting<String?>
    var limits: Setting<Limits>
    var retention: Setting<Retention>
    var timeouts: Setting<Timeouts>
    var roles: Setting<AccessPolicy>
    /// The keys inside of limits, retention, timeouts and roles that the file names.
    private let membersInFile: Set<String>

    /// How long things are kept.
    struct Retention: Sendable {
        /// Days that finished transactions and their keys are remembered.
        var finishedDays = 90
        /// Days that the event log goes back, at most.
        var logDays = 30
        /// Bytes that the event log may take.
        var logBytes = 64 * 1024 * 1024

        static let names = ["finishedDays", "logDays", "logBytes"]
    }

    /// How long things may take.
    struct Timeouts: Sendable {
        /// Seconds that peers have to read the last line when the daemon stops.
        var drainSeconds = 5
        /// Seconds that a login question may stay open.
        var loginSeconds = 120
        /// Seconds that a payment agent may be silent.
        var paymentSeconds = 120
        /// Seconds that a restore may take.
        var restoreSeconds = 60
        /// Seconds from one reconciliation with the store to the next.
        var reconciliationSeconds = 900

        static let names = [
            "drainSeconds", "loginSeconds", "paymentSeconds", "restoreSeconds",
            "reconciliationSeconds",
        ]

        /// The values by their keys.
        var named: [(name: String, value: Int)] {
            let values = [
                drainSeconds, loginSeconds, paymentSeconds, restoreSeconds, reconciliationSeconds,
            ]
            return Array(zip(Self.names, values))
        }

        /// The times as the engine wants them.
        var engine: EngineTimeouts {
            EngineTimeouts(
                login: .seconds(loginSeconds), payment: .seconds(paymentSeconds),
                restore: .seconds(restoreSeconds),
                reconciliation: .seconds(reconciliationSeconds))
        }
    }
}

extension DaemonConfiguration {
    /// Resolves flags, environment and file.
    ///
    /// - Parameters:
    ///   - options: The flags.
    ///   - environment: The process environment.
    ///   - reachesStores: Whether this build has the client of store servers.
    /// - Throws: The first thing that cannot be used.
    init(
        options: DaemonOptions, environment: [String: String],
        reachesStores: Bool = StoreServerClient.isThere
    ) throws(ConfigurationProblem) {
        let located = Self.locateFile(options, environment)
        file = located
        let json: ConfigurationFile?
        if let path = located.value { json = try ConfigurationFile(path: path) } else { json = nil }
        let sources = SettingSources(environment: environment, file: json)
        socket = try sources.text(flag: options.socket, key: "socket", name: "SOCKET")
        stateDirectory = try sources.text(
            flag: options.stateDirectory, key: "stateDirectory", name: "STATE_DIRECTORY")
        catalog = try sources.text(flag: options.catalog, key: "catalog", name: "CATALOG")
        historyAlgorithm = try sources.word(
            flag: nil, key: "historyAlgorithm", name: "HISTORY_ALGORITHM", byDefault: .rs256)
        socketGroup = try sources.text(flag: nil, key: "socketGroup", name: nil)
        let address = try sources.text(flag: options.store, key: "store", name: "STORE")
        store = Setting(value: address.value ?? "sandbox", source: address.source)
        storeCredentials = try sources.text(flag: nil, key: "storeCredentials", name: nil)
        storeCertificates = try sources.text(flag: nil, key: "storeCertificates", name: nil)
        demo = try sources.flag(flag: options.demo, key: "demo", name: "DEMO")
        logLevel = try sources.word(
            flag: options.logLevel, key: "logLevel", name: "LOG_LEVEL", byDefault: .info)
        logFormat = try sources.word(
            flag: options.logFormat, key: "logFormat", name: "LOG_FORMAT",
            byDefault: LogFormat.suggested)
        socketMode = try sources.socketMode()
        keepConnections = try sources.word(
            flag: nil, key: "keepConnections", name: "KEEP_CONNECTIONS", byDefault: .auto)
        metricsSocket = try sources.text(
            flag: options.metricsSocket, key: "metricsSocket", name: "METRICS_SOCKET")
        limits = try sources.limits()
        retention = try sources.retention()
        timeouts = try sources.timeouts()
        roles = try sources.roles()
        membersInFile = json?.memberKeys ?? []
        let places = DefaultPlaces(environment: environment, demo: demo)
        socket = places.socket(socket)
        stateDirectory = places.state(stateDirectory)
        try checkStore(reachesStores)
    }

    /// One line for each value: what it is and where it came from.
    var report: [String] {
        entries.map { "\($0.key) = \($0.value)  [\($0.source)]" }
    }

    /// The values by their keys, without the roles, which have more to them than a line.
    var values: [(key: String, value: String)] {
        entries.filter { !$0.key.hasPrefix("roles.") }.map { ($0.key, $0.value) }
    }

    private typealias Entry = (key: String, value: String, source: SettingSource)

    private var entries: [Entry] {
        func entry(_ key: String, _ value: String?, _ source: SettingSource) -> Entry {
            (key, value ?? "(none)", source)
        }
        func member(_ key: String, _ value: String, _ source: SettingSource) -> Entry {
            entry(key, value, membersInFile.contains(key) ? source : .byDefault)
        }
        let temporary = demo.value ? "(in a temporary directory)" : nil
        var entries = [
            entry("socket", socket.value ?? temporary, socket.source),
            entry("stateDirectory", stateDirectory.value ?? temporary, stateDirectory.source),
            entry("config", file.value, file.source),
            entry("store", store.value, store.source),
            entry("storeCredentials", storeCredentials.value, storeCredentials.source),
            entry("storeCertificates", storeCertificates.value, storeCertificates.source),
            entry("catalog", catalog.value, catalog.source),
            entry("demo", "\(demo.value)", demo.source),
            entry(
                "historyAlgorithm", historyAlgorithm.value.rawValue, historyAlgorithm.source),
            entry("logLevel", logLevel.value.rawValue, logLevel.source),
            entry("logFormat", logFormat.value.rawValue, logFormat.source),
            entry("socketMode", "0" + String(socketMode.value, radix: 8), socketMode.source),
            entry("socketGroup", socketGroup.value, socketGroup.source),
            entry(
                "keepConnections", keepConnections.value.rawValue, keepConnections.source),
            entry("metricsSocket", metricsSocket.value, metricsSocket.source),
            member("retention.finishedDays", "\(retention.value.finishedDays)", retention.source),
            member("retention.logDays", "\(retention.value.logDays)", retention.source),
            member("retention.logBytes", "\(retention.value.logBytes)", retention.source),
        ]
        for (name, value) in timeouts.value.named {
            entries.append(member("timeouts.\(name)", "\(value)", timeouts.source))
        }
        for (name, value) in limits.value.named {
            entries.append(member("limits.\(name)", "\(value)", limits.source))
        }
        let everybody = roles.value.everybody.map(\.rawValue).sorted().joined(separator: ", ")
        entries.append(member("roles.everybody", everybody, roles.source))
        return entries
    }

    private mutating func checkStore(_ reachesStores: Bool) throws(ConfigurationProblem) {
        guard store.value != "sandbox" else { return }
        guard let address = StoreAddress(store.value) else {
            throw ConfigurationProblem(
                "cannot use store '\(store.value)' [\(store.source)]: expected sandbox, "
                    + "http://HOST:PORT, https://HOST:PORT or http+unix://PATH", place: "/store")
        }
        guard !demo.value else {
            throw ConfigurationProblem(
                "--demo has its own store; use either --demo or --store",
                place: "/store")
        }
        guard reachesStores else {
            throw ConfigurationProblem(
                "cannot use store '\(store.value)' [\(store.source)]: this payqueued was built "
                    + "without the client of store servers; build it with 'make build'",
                place: "/store")
        }
        storeAddress = address
    }

    private static func locateFile(
        _ options: DaemonOptions, _ environment: [String: String]
    ) -> Setting<String?> {
        if let path = options.config { return Setting(value: path, source: .flag("--config")) }
        if let path = environment["PAYQUEUED_CONFIG"] {
            return Setting(value: path, source: .environment("PAYQUEUED_CONFIG"))
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

import CoreMetrics
import Glibc
import Logging
import NIOCore
import NIOPosix
import Observability
import PaymentCore
import PaymentEngine
import PaymentHistory
import PaymentSandbox
import PaymentServer
import PaymentStorage
import SandboxStorage
import ServiceLifecycle
import StoreMessages
import Systemd
import Telemetry
import UnixSignals

/// The daemon and its parts.
struct Daemon {
    let configuration: DaemonConfiguration
    let catalogue: StoreCatalogue
    let sockets: DaemonSockets
    let watchdog: Watchdog?
    let temporary: TemporaryDirectory?
    let statePath: String
    let log: Logger
    let administration: Administration
    let credentials: StoreCredentials
    /// The store of connections that survive a restart; nil if they are not kept.
    let keptStore: ManagerStore?
    let restart: Restart
    let earlyStop = EarlyStop()
    let notifier = Notifier()
    let progressNotifier = ProgressNotifier(Notifier(), patience: Daemon.patience)
    let registry = MetricsRegistry()

    /// Resolves all paths and opens the log. It does not touch the files of the queue.
    init(
        configuration: DaemonConfiguration, catalogue: StoreCatalogue,
        credentials: StoreCredentials, inherited: InheritedSockets, watchdog: Watchdog?,
        environment: [String: String], reading: @escaping Administration.Reading
    ) throws {
        self.configuration = configuration
        self.catalogue = catalogue
        self.watchdog = watchdog
        keptStore = ManagerStore(
            configuration.keepConnections.value, left: inherited.stored.filter { !$0.isHanded })
        restart = Restart(
            inherited, isKept: keptStore != nil,
            isInCluster: configuration.clusterAddress != nil, environment: environment)
        let threshold = LogThreshold(configuration.logLevel.value)
        var logging = LogConfiguration(
            format: configuration.logFormat.value, threshold: threshold, fieldPrefix: "PAYQUEUED")
        logging.messageIDs = NotableEvent.messageIDs
        logging.prefixesPriority = JournalStream.isStandardError
        LoggingSystem.bootstrap(logging.handlerFactory())
        MetricsSystem.bootstrap(registry)
        log = Logger(label: "payqueued")
        self.credentials = credentials
        administration = Administration(
            configuration: configuration, catalogue: catalogue, threshold: threshold, log: log,
            notifier: notifier, reading: reading)
        let temporary = try configuration.demo.value ? TemporaryDirectory() : nil
        self.temporary = temporary
        do {
            sockets = try DaemonSockets(
                configuration, inherited: inherited, temporary: temporary?.path)
            statePath = try StatePath.resolve(
                configuration.stateDirectory, temporary: temporary?.path)
            try sockets.prepare()
        } catch {
            temporary?.remove()
            throw error
        }
    }

    /// Reports the problems that a start would find before it opens anything. It creates nothing.
    static func examine(_ configuration: DaemonConfiguration, inherited: InheritedSockets) throws {
        var temporary: String?
        if configuration.demo.value {
            try TemporaryDirectory.examine()
            temporary = TemporaryDirectory.template
        }
        try DaemonSockets(
            configuration, inherited: inherited, temporary: temporary, isStart: false
        ).examine()
        if let path = configuration.stateDirectory.value {
            do throws(StorageError) {
                try StateDirectory.examine(path: path, isReadOnly: configuration.readOnly.value)
            } catch {
                throw StartFailure.storage(error)
            }
        }
        try configuration.examineClusterFiles()
        guard let address = configuration.storeAddress else { return }
        do {
            try StoreServerClient.check(certificates: configuration.storeCertificates.value)
        } catch {
            throw Self.problem(address, certificates: error)
        }
    }

    private static func problem(
        _ address: StoreAddress, certificates error: any Error
    ) -> StartFailure {
        .configuration("cannot use the certificates for store '\(address)': \(error)")
    }

    /// Replays the journal, listens, and serves until a stop.
    func run() async throws {
        try FileLimit.check()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let storeGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let started = Timestamp.now
        defer { temporary?.remove() }
        await earlyStop.begin { [restart] in
            restart.forbid()
        } tidyUp: { [notifier, temporary, log] in
            notifier.stopping(status: "stopping")
            temporary?.remove()
            log.notice("stopped")
        }
        let member = try ClusterMember(
            configuration, log: log, notifier: notifier, group: storeGroup)
        do {
            // From here on a start may take any time as long as it reports progress.
            notifier.extendTimeout(by: Self.patience, status: "reading the state")
            let state = try openState(started)
            if !state.isReadOnly {
                try ClusterMembership.check(state, prefix: configuration.clusterAddress?.prefix)
            }
            let seed = try await member?.seed(
                for: state, Persistence.settings(configuration.journalPolicy))
            // Everything is read before anything is written, so that a refused directory stays
            // unchanged.
            let reading = try await read(state, on: group.next())
            let remote =
                configuration.readOnly.value
                ? nil : try openRemote(in: state, member, on: storeGroup.next())
            // The stale sockets of an earlier owner are removed only now, because the state is
            // locked and valid.
            try sockets.clear()
            let running = try await assemble(
                state, reading, remote: remote, member, seed, started: started)
            administration.begin(
                Administration.Parts(
                    server: running.server, checkpointer: running.checkpointer, loop: running.loop,
                    statePath: statePath, member: member, restart: restart,
                    useCatalogue: {
                        await running.store.control(in: running.engine)?.use($0)
                    }))
            let service = DaemonService(
                daemon: self, running: running, group: group, storeLoop: storeGroup.next())
            let services = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [.init(service: service)],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: quietLog))
            earlyStop.hand(over: services)
            restart.hand(over: services)
            try await services.run()
        } catch {
            await member?.leave()
            throw (error as? StorageError).map { StartFailure.storage($0) } ?? error
        }
        // The loops end with the process. Each still submits work to the other: answers that no
        // caller waits for, and the ends of snapshots. Neither can therefore be shut down first.
    }

    /// The extension of the service manager's timeout with each progress report.
    private static let patience = Duration.seconds(30)

    /// The service group's messages about starting and stopping services do not help users.
    private var quietLog: Logger {
        var log = Logger(label: "payqueued.lifecycle")
        log.logLevel = .critical
        return log
    }

    private func openState(_ started: Timestamp) throws -> StateDirectory {
        let state = try StateDirectory(
            path: statePath,
            identity: .current(program: "payqueued", socketPath: sockets.path), started: started,
            isReadOnly: configuration.readOnly.value)
        // The temporary directory of a demo needs no warning.
        if state.isVolatile, configuration.stateDirectory.value != nil {
            log.warning(
                "state directory is volatile: it does not survive the machine or container",
                metadata: ["directory": "\(statePath)"])
        }
        try sockets.checkAreFree()
        return state
    }

    /// Replays the queue on its event loop.
    private func read(
        _ state: StateDirectory, on loop: any EventLoop
    ) async throws -> NIOLoopBound<Persistence.Reading> {
        try await loop.submit {
            NIOLoopBound(
                try Persistence.read(
                    state, limits: configuration.limits, policy: configuration.journalPolicy,
                    progress: reportProgress),
                eventLoop: loop)
        }.get()
    }

    private func openRemote(
        in state: StateDirectory, _ member: ClusterMember?, on loop: any EventLoop
    ) throws -> (any RemoteStore)? {
        if let address = configuration.storeAddress {
            return try openServer(address, in: state, member, on: loop)
        }
        configuration.warnOfOpen(catalogue, log)
        return nil
    }

    /// The embedded store with its state from the log.
    private func openSandbox(_ kept: SandboxState, in state: StateDirectory) -> DaemonStore {
        let keys = HistoryKeyKeeper.ofSandbox(
            in: state, algorithm: configuration.historyAlgorithm.value, now: { .now })
        return .sandbox(
            LocalSandbox(
                store: catalogue, state: kept, keys: keys,
                makeID: { [random = RandomPool()] in
                    let bits = random.next()
                    return UniqueID(randomHigh: bits.high, randomLow: bits.low)
                }))
    }

    private func openServer(
        _ address: StoreAddress, in state: StateDirectory, _ member: ClusterMember?,
        on loop: any EventLoop
    ) throws -> any RemoteStore {
        if address.isExposed {
            log.warning(
                "store connection is not encrypted: tokens can be read on the network",
                metadata: ["store": "\(address)"])
        }
        do {
            return try StoreServerClient.make(
                address, configuration: configuration, credentials: credentials,
                memory: try StoreFiles(in: state, log: log) { member?.share($0) },
                member, group: loop)
        } catch let error as StorageError {
            throw error
        } catch {
            throw Self.problem(address, certificates: error)
        }
    }

    /// Builds engine and server on their event loop.
    private func assemble(
        _ state: StateDirectory, _ reading: NIOLoopBound<Persistence.Reading>,
        remote: (any RemoteStore)?, _ member: ClusterMember?, _ seed: StoreSeed?,
        started: Timestamp
    ) async throws -> Running {
        let loop = reading.eventLoop
        let running = try await loop.submit { () throws -> Running in
            let running = try build(state, reading.value, remote, member, seed, loop, started)
            let engine = running.engine
            let countries = [running.store.knownDefaultCountry, engine.queue.session?.country]
            for country in Set(countries.compactMap { $0 }) {
                guard let catalogue = running.store.knownCatalogue(of: country) else { continue }
                engine.store.catalogues.use(catalogue)
            }
            engine.store.sessions.useKnown()
            engine.turn.hooks.storeDidChange = { [server = running.server] in
                server.storeDidChange($0)
            }
            engine.start()
            return running
        }.get()
        if let member {
            try await member.catchUp(from: seed, in: state)
        } else {
            running.startStore()
        }
        // Later starts keep the existing session.
        if configuration.demo.value, try await running.isFirstStart {
            try await running.logInDemo()
        }
        return running
    }

    /// Opens the journal, as a copy if there is a cluster.
    ///
    /// - Returns: The queue with its journal, and the log of the engine.
    private func open(
        _ reading: Persistence.Reading, _ member: ClusterMember?, _ seed: StoreSeed?,
        on loop: any EventLoop
    ) throws -> (Persistence, any RecordLog) {
        guard let member else {
            let persistence = try reading.open {
                progressNotifier.tell("merging the journals of queue and store")
            }
            return (persistence, persistence.journal)
        }
        let (persistence, copy) = try reading.openCopy(from: seed)
        return (persistence, member.follow(copy, on: loop))
    }

    private func build(
        _ state: StateDirectory, _ reading: Persistence.Reading, _ remote: (any RemoteStore)?,
        _ member: ClusterMember?, _ seed: StoreSeed?, _ loop: any EventLoop, _ started: Timestamp
    ) throws -> Running {
        let (persistence, journal) = try open(reading, member, seed, on: loop)
        persistence.report(to: log)
        let store: DaemonStore =
            state.isReadOnly
            ? .none : remote.map { .server($0) } ?? openSandbox(persistence.store, in: state)
        let retention =
            try state.isReadOnly
            ? nil
            : NIOLoopBound(
                RetentionTask(
                    in: state, isNew: persistence.queue.incarnation == 0,
                    days: configuration.retention.finishedDays, log: log),
                eventLoop: loop)
        let engineLoop = NIOEngineLoop(loop)
        let export = configuration.collector.map {
            TraceExport(to: $0, metrics: registry, log: log)
        }
        let traces = NIOLoopBound(PaymentTraces(tracer: export?.tracer), eventLoop: loop)
        try traces.value.catchUp(with: persistence.journal)
        let failed = failStop
        let engine = PaymentEngine(
            queue: persistence.queue, journal: journal,
            history: persistence.journal.openedHistory,
            store: store.way(loop: engineLoop) { [registry] transaction, duration in
                let trace = traces.value.trace(of: transaction)
                registry.note(.storeCall, duration, in: trace)
            }, loop: engineLoop,
            sources: EngineSources(
                wallClock: { retention?.value.time() ?? .now },
                randomBits: { [random = RandomPool()] in random.next() }),
            defaultCountry: store.knownDefaultCountry, log: log,
            timeouts: configuration.timeouts.engine,
            onFailure: failed)
        let story = configuration.logFormat.value == .journald ? TransactionStory(log: log) : nil
        engine.turn.hooks.onCommitted = { records in
            story?.tell(records)
            traces.value.take(records)
        }
        engine.turn.hooks.exemplify = { [registry] measure, duration, trace in
            registry.note(measure, duration, in: TraceContext(traceparent: trace.string))
        }
        let checkpointer = NIOLoopBound(
            Checkpointer(
                persistence: persistence, engine: engine, log: log, eventLoop: loop,
                backupsKept: configuration.retention.backups,
                storeImage: persistence.image(of: store)),
            eventLoop: loop)
        member?.attach(engine, store, checkpointer.value)
        let scrubber = NIOLoopBound(
            Scrubber(checkpointer: checkpointer.value, log: log), eventLoop: loop)
        let server = PaymentServer(
            engine: engine, limits: configuration.limits,
            access: configuration.roles,
            facts: ServerFacts(
                startedAt: started, isVolatile: state.isVolatile,
                logBytes: { checkpointer.value.logBytes },
                storage: { scrubber.value.report },
                measurements: { [registry] in registry.write(to: &$0) }),
            testControl: store.control(in: engine), daemon: administration,
            connectionStore: keptStore ?? restart.store, dialer: member?.dialer,
            log: log, loop: engineLoop)
        return Running(
            store: store, engine: engine, server: server, checkpointer: checkpointer,
            scrubber: scrubber, retention: retention, traces: export, loop: loop,
            member: member)
    }

    /// Resumes the connections of the previous process.
    func restoreConnections(_ server: PaymentServer) async throws {
        let report = try await server.resumeKept()
        guard report != KeptReport() else { return }
        log.notice(
            "took over the connections of the previous process",
            metadata: [
                "restored": .stringConvertible(report.restored),
                "closed": .stringConvertible(report.closed),
                "writing": .stringConvertible(report.writing),
            ])
    }

    /// Logs that the daemon is ready.
    func announce() {
        if configuration.readOnly.value {
            log.warning(
                "serving the state read-only; nothing is taken and no store is asked",
                metadata: ["stateDirectory": "\(statePath)"])
        }
        log.notice(
            "ready",
            metadata: [
                "socket": "\(sockets.path ?? "an inherited socket")",
                "stateDirectory": "\(statePath)",
            ])
    }

    private func reportProgress(_ progress: RecoveryProgress) {
        guard let status = progress.status else { return }
        progressNotifier.tell(status)
    }

    /// Ends the process without any further output. Data that did not reach the disk must not be
    /// acknowledged.
    private var failStop: @Sendable (JournalFailure) -> Void {
        let notifier = notifier
        return { failure in
            notifier.failing(errno: failure.errno, status: failure.description)
            _exit(74)
        }
    }
}

extension DaemonConfiguration {
    /// The policy for the kept journal.
    fileprivate var journalPolicy: JournalPolicy {
        // Only whole segments are removed, so a small log has small segments.
        JournalPolicy(
            segmentBytes: min(16 << 20, max(1 << 20, retention.logBytes / 4)),
            retention: RetentionPolicy(
                keepBytes: Int64(retention.logBytes),
                keepSeconds: Int64(retention.logDays) * 86_400))
    }
}

extension Timestamp {
    /// The current wall-clock time.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

import FoundationEssentials
import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Listening
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Observability
import PaymentAPI
import PaymentCore
import PaymentHistory
import PaymentSandbox
import PaymentStorage
import SandboxStorage
import ServiceLifecycle
import StoreMessages
import Synchronization
import Systemd
import UnixSignals

/// The server and its parts.
struct StoreServer {
    /// The maximum number of concurrent connections; fewer if the limit of open files is low.
    static let connectionLimit = 4000
    /// The maximum number of connections that wait to be accepted.
    private static let backlog = 4096
    /// The time for pending requests when the server stops.
    static let stopPatience = Duration.seconds(10)
    /// The extension of the service manager's timeout with each progress report of a start.
    private static let startPatience = Duration.seconds(30)

    let configuration: StoreConfiguration
    let catalogue: StoreCatalogue
    let tls: TLSConfiguration?
    let log: Logger
    let notifier = Notifier()
    /// Called with the port when the server listens.
    var onListening: @Sendable (Int?) -> Void = { _ in }

    init(_ configuration: StoreConfiguration, catalogue: StoreCatalogue, tls: TLSConfiguration?) {
        self.configuration = configuration
        self.catalogue = catalogue
        self.tls = tls
        log = Logger(label: "payqueue-store")
    }

    /// Configures the log of the process; called once per process.
    static func openLog(_ configuration: StoreConfiguration) {
        LoggingSystem.bootstrap(
            LogConfiguration(
                format: configuration.logFormat, threshold: LogThreshold(configuration.logLevel),
                fieldPrefix: "PAYQUEUE_STORE"
            ).handlerFactory())
    }

    /// Replays the journal, listens, and serves until a stop.
    func run() async throws {
        let path: String
        var temporary: String?
        if let given = configuration.stateDirectory {
            path = given
        } else {
            let made = try Self.makeTemporaryDirectory()
            temporary = made
            path = "\(made)/state"
        }
        defer { if let temporary { try? FileManager.default.removeItem(atPath: temporary) } }
        let started = Timestamp.now
        notifier.extendTimeout(by: Self.startPatience, status: "reading the state")
        let state = try StateDirectory(
            path: path,
            identity: .current(
                program: "payqueue-store", socketPath: configuration.listen.description),
            started: started)
        if state.isVolatile, temporary == nil {
            log.warning(
                "state directory is volatile: it does not survive the machine or container",
                metadata: ["directory": "\(path)"])
        }
        if tls == nil, !configuration.listen.isLocal {
            log.warning(
                "serving a network address without TLS: tokens can be read on the network",
                metadata: ["address": "\(configuration.listen)"])
        }
        try FileLimit.check()
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let files = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try configuration.listen.socketFile?.prepare()
        let services = try open(state, on: files.next())
        let application = try application(services, on: loops, state: path)
        // Services stop in reverse order: first the feeds end, then the server completes its
        // requests.
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: application),
                .init(service: FeedTicker(feed: services.feed, notifier: notifier)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = Self.stopPatience
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as IOError {
            throw configuration.listen.problem(error)
        } catch is SocketAddressError.UnknownHost {
            throw StartFailure.configuration(
                "cannot listen on '\(configuration.listen)': the host is unknown")
        }
        try await services.sandbox.close()
        log.notice("stopped")
        notifier.barrier(timeout: .seconds(2))
        // The loops are not shut down; they end with the process, because a snapshot may still use
        // them.
    }

    /// Opens the sandbox, the sessions and the merchants from their files.
    func open(_ state: StateDirectory, on loop: any EventLoop) throws -> StoreServices {
        let settings = LogSettings(
            environment: .system, build: "payqueue-store \(Version.current)")
        let (kept, journal) = try SandboxFileJournal.open(
            in: state, settings: settings, loop: loop,
            progress: { [progress = ProgressNotifier(notifier, patience: Self.startPatience)] in
                if let status = $0.status { progress.tell(status) }
            })
        let sandbox = SandboxService(
            store: catalogue, state: kept, journal: journal,
            environment: .init(
                executor: loop.executor, now: { .now },
                keys: HistoryKeyKeeper.ofSandbox(
                    in: state, algorithm: configuration.historyAlgorithm, now: { .now }),
                // The state is ahead of the disk, and no answer may show it.
                storageFailed: {
                    PayqueueStore.leave(.storage(.failed(JournalFailure($0.description))))
                }))
        let feed = ChangeFeed(process: String(SessionTokenStore.freshToken().prefix(12)))
        sandbox.listen { feed.note($0) }
        return StoreServices(
            sandbox: sandbox, catalogue: catalogue,
            tokens: try SessionTokenStore(files: try SmallFiles("sessions", in: state), loop: loop),
            terms: try OwnerTerms(files: try SmallFiles("terms", in: state)),
            feed: feed, counters: Counters(), now: { .now }, log: log, state: state,
            operators: OperatorAccess(password: configuration.operatorPassword),
            merchants: try MerchantAccess(
                in: state,
                policy: MerchantPolicy(leewaySeconds: configuration.merchantLeewaySeconds),
                log: log, now: .now))
    }

    /// The HTTP server of the services.
    ///
    /// - Throws: The configured TLS is not available; the server never falls back to plain HTTP.
    func application(
        _ services: StoreServices, on group: any EventLoopGroup, state path: String
    ) throws -> some ApplicationProtocol {
        let router = Self.router(services)
        var http = HTTP1Channel.Configuration(idleTimeout: .seconds(60))
        http.httpDecoder = .init(
            maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        let (strict, isSecure) = (http, tls != nil)
        let counters = services.counters
        var server = HTTPServerBuilder { responder in
            StrictChannel(
                base: HTTP1Channel(responder: responder, configuration: strict),
                rules: RequestRules(
                    bodyLimit: StoreAPI.requestLimitBytes, isSecure: isSecure),
                counters: counters)
        }
        if let tls { server = try .tls(server, tlsConfiguration: tls) }
        let (listen, socketMode) = (configuration.listen, configuration.socketMode)
        let file = listen.socketFile
        let configuration = ApplicationConfiguration(
            address: listen.bindAddress(file), serverName: nil, backlog: Self.backlog)
        let (log, notifier, listening) = (log, notifier, onListening)
        let limit = FileLimit.connections(upTo: Self.connectionLimit)
        if limit < Self.connectionLimit {
            log.warning(
                "the limit of open files permits few connections",
                metadata: ["connections": "\(limit)"])
        }
        return Application(
            router: router, server: server, configuration: configuration,
            onServerRunning: { channel in
                let address = listen.servedAddress(channel.localAddress)
                do throws(StartFailure) {
                    try await Self.limit(channel, to: limit, isSecure: isSecure, log: log)
                    if let file {
                        let own = try file.publish(mode: socketMode)
                        channel.closeFuture.whenComplete { _ in own?.remove() }
                    }
                } catch {
                    // READY has not been sent yet, and no request was served.
                    PayqueueStore.leave(error)
                }
                log.notice(
                    "ready", metadata: ["address": "\(address)", "stateDirectory": "\(path)"])
                notifier.ready(status: "listening on \(address)")
                listening(channel.localAddress?.port)
            },
            eventLoopGroupProvider: .shared(group), logger: quiet)
    }

    /// Limits the connections of a listener.
    private static func limit(
        _ channel: any Channel, to limit: Int, isSecure: Bool, log: Logger
    ) async throws(StartFailure) {
        do {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    AcceptPause(
                        limit: limit,
                        farewell: { isSecure ? [] : StrictChannel.farewell($0) }, log: log),
                    position: .first)
            }.get()
        } catch {
            // A stop during the start has closed the listener.
            guard channel.isActive else { return }
            throw .system("cannot limit the connections: \(error)")
        }
    }

    /// All routes of the services.
    static func router(_ services: StoreServices) -> Router<StoreContext> {
        let paths = Router(context: StoreContext.self)
        addRoutes(of: services, to: paths)
        // RFC 9110 section 9.1: a server that supports GET must support HEAD.
        let router = Router(context: StoreContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: StoreMiddleware(
                counters: services.counters, log: services.log, paths: PathMethods(of: paths)))
        addRoutes(of: services, to: router)
        return router
    }

    private static func addRoutes(of services: StoreServices, to router: Router<StoreContext>) {
        let api = router.group(RouterPath(StoreAPI.prefix))
        SessionRoutes(services: services).add(to: api)
        CatalogueRoutes(services: services).add(to: api)
        OrderRoutes(services: services).add(to: api)
        FeedRoutes(services: services).add(to: api)
        HistoryRoutes(services: services).add(to: router)
        OperatorRoutes(services: services).add(to: router)
        MetricsRoutes(services: services).add(to: router)
        OpenAPIRoutes().add(to: router)
    }

    /// The libraries' messages about starting and stopping do not help users.
    private var quiet: Logger {
        var log = Logger(label: "payqueue-store.http")
        log.logLevel = .critical
        return log
    }

    private static func makeTemporaryDirectory() throws(StartFailure) -> String {
        var template = Array("/tmp/payqueue-store-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .system("cannot make a temporary directory: \(String(cString: strerror(errno)))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Wakes all feeds regularly, so that each sends something, and ends them when the server stops. It
/// is the first service to stop, and therefore notifies the service manager.
struct FeedTicker: Service {
    let feed: ChangeFeed
    var notifier = Notifier()

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(StoreAPI.feedHeartbeatSeconds))
                feed.tick()
            }
        }
        notifier.stopping(status: "stopping")
        feed.close()
    }
}

import Logging
import NIOCore
import Observability
import PaymentAPI
import PaymentCore
import PaymentSandbox
import PaymentServer
import PaymentStorage
import Synchronization
import Systemd

/// The administrator operations that the daemon offers through its socket.
final class Administration: DaemonControl {
    /// Resolves flags, environment and file again.
    typealias Reading = @Sendable () throws(ConfigurationProblem) -> DaemonConfiguration

    /// The parts of the running daemon.
    struct Parts {
        /// The server, which applies limits and roles.
        let server: PaymentServer
        /// The writer of snapshots and backups.
        let checkpointer: NIOLoopBound<Checkpointer>
        /// The event loop of server and checkpointer.
        let loop: any EventLoop
        /// The path of the state directory.
        let statePath: String
        /// The node's part in a cluster; nil if the log is in local files only.
        let member: ClusterMember?
        /// Stops the daemon so that it starts again.
        let restart: Restart
        /// Replaces the catalogue of the embedded store.
        let useCatalogue: @Sendable (StoreCatalogue) async -> Void
    }

    private struct State {
        var configuration: DaemonConfiguration
        var catalogue: StoreCatalogue
        var parts: Parts?
        var isStopping = false
        /// The newest reload; each reload waits for the previous one.
        var reload: Task<Result<[String], DaemonRefusal>, Never>?
    }

    private let state: Mutex<State>
    private let threshold: LogThreshold
    private let log: Logger
    private let notifier: Notifier
    private let reading: Reading

    init(
        configuration: DaemonConfiguration, catalogue: StoreCatalogue, threshold: LogThreshold,
        log: Logger, notifier: Notifier, reading: @escaping Reading
    ) {
        state = Mutex(State(configuration: configuration, catalogue: catalogue))
        self.notifier = notifier
        self.threshold = threshold
        self.log = log
        self.reading = reading
    }

    /// Sets the parts after the start of the daemon.
    func begin(_ parts: Parts) {
        state.withLock { $0.parts = parts }
    }

    /// Refuses reloads from now on, because the daemon stops.
    func end() {
        state.withLock { $0.isStopping = true }
    }

    /// Applies the configured log level, roles, limits and catalogue, all of them or none. Other
    /// changes need a restart, and the log names them.
    ///
    /// The service manager is notified of the start and the end of a reload. Its protocol cannot
    /// express concurrent reloads, so they run one after another.
    func reload() async throws(DaemonRefusal) -> [String] {
        let task = state.withLock { state in
            let before = state.reload
            // Unstructured, because it outlives a caller that stops waiting.
            let task = Task<Result<[String], DaemonRefusal>, Never> {
                _ = await before?.value
                do throws(DaemonRefusal) {
                    return .success(try await self.reloadAlone())
                } catch {
                    return .failure(error)
                }
            }
            state.reload = task
            return task
        }
        return try await task.value.get()
    }

    private func reloadAlone() async throws(DaemonRefusal) -> [String] {
        guard state.withLock({ $0.parts != nil && !$0.isStopping }) else {
            throw .failed("the daemon is starting or stopping")
        }
        notifier.reloading()
        defer { notifier.ready() }
        do throws(DaemonRefusal) {
            return try await readAgain()
        } catch {
            log.warning(
                "reload failed; the old configuration stays in effect",
                metadata: ["reason": "\(error)"])
            throw error
        }
    }

    private func readAgain() async throws(DaemonRefusal) -> [String] {
        let file = state.withLock { $0.configuration.file.value ?? "" }
        let new: DaemonConfiguration
        let catalogue: StoreCatalogue
        do throws(ConfigurationProblem) {
            new = try reading()
        } catch {
            throw .configuration(file: file, path: error.place, reason: error.description)
        }
        catalogue = try Self.catalogue(of: new)
        let (changed, waiting, parts) = state.withLock { state in
            let differences = Self.differences(from: state.configuration, to: new)
            var changed = Self.names(differences.filter(\.isReloadable))
            // A different file name alone is not a change, but different products are.
            changed.removeAll { $0 == "catalog" }
            if state.catalogue != catalogue { changed.append("catalog") }
            state.configuration.logLevel = new.logLevel
            state.configuration.limits = new.limits
            state.configuration.roles = new.roles
            state.configuration.catalog = new.catalog
            state.catalogue = catalogue
            let waiting = Self.names(differences.filter { !$0.isReloadable })
            return (changed, waiting, state.parts)
        }
        threshold.level = new.logLevel.value
        if let parts { try await use(new, catalogue, parts) }
        log.notice(
            "reloaded the configuration",
            metadata: [
                "changed": "\(changed.joined(separator: " "))",
                "atNextStart": "\(waiting.joined(separator: " "))",
            ])
        return changed
    }

    private func use(
        _ new: DaemonConfiguration, _ catalogue: StoreCatalogue, _ parts: Parts
    ) async throws(DaemonRefusal) {
        let (limits, roles) = (new.limits, new.roles)
        do {
            try await parts.loop.submit {
                parts.server.use(limits: limits, access: roles)
            }.get()
        } catch {
            throw .failed("cannot apply limits and roles: \(error)")
        }
        await parts.useCatalogue(catalogue)
    }

    /// Creates a verified copy of the state under `backups/` of the state directory.
    func backup() async throws(DaemonRefusal) -> BackupReceipt {
        guard let parts = state.withLock({ $0.parts }) else {
            throw .failed("the daemon has not started yet")
        }
        let result = await withCheckedContinuation { done in
            parts.loop.execute {
                parts.checkpointer.value.backUp { done.resume(returning: $0) }
            }
        }
        switch result {
        case .success(let report):
            log.notice("wrote a backup", metadata: ["path": "\(report.path)"])
            return BackupReceipt(
                path: "\(parts.statePath)/\(report.path)", sequence: report.sequence,
                bytes: report.bytes)
        case .failure(let failure):
            log.warning("backup failed", metadata: ["reason": "\(failure)"])
            switch failure.cause {
            case .disk: throw .disk(failure.description)
            case .damage: throw .damaged(failure.description)
            case .occupied, .other: throw .failed(failure.description)
            }
        }
    }

    /// The nodes that share the queue.
    func cluster() async throws(DaemonRefusal) -> ClusterMethod.Result {
        guard let member = state.withLock({ $0.parts?.member }) else { throw .noCluster }
        return await member.report()
    }

    /// Waits until this node has every record that the shared log had at the time of the call.
    func reachEnd() async -> Bool {
        await state.withLock({ $0.parts?.member })?.reachEnd() ?? false
    }

    /// Checks whether this node can give the queue to another one.
    func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result {
        guard let member = state.withLock({ $0.parts?.member }) else { throw .noCluster }
        return try await member.checkHandOver()
    }

    /// Stops the daemon, so that another node owns the queue, and starts it again.
    func handOver() {
        let restart = state.withLock { $0.isStopping ? nil : $0.parts?.restart }
        log.notice("giving the queue to another node")
        restart?.begin()
    }

    private static func catalogue(
        of configuration: DaemonConfiguration
    ) throws(DaemonRefusal) -> StoreCatalogue {
        do throws(StartFailure) {
            return try configuration.loadCatalogue()
        } catch {
            // Without a configuration file, the error names the catalogue file itself.
            let file = configuration.file.value ?? configuration.catalog.value ?? ""
            throw .configuration(file: file, path: "/catalog", reason: error.description)
        }
    }

    /// The keys with different values, in the order of the report.
    private static func differences(
        from old: DaemonConfiguration, to new: DaemonConfiguration
    ) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { $0.shown(old).value != $0.shown(new).value }
    }

    /// The names of keys. All roles have one name, because they are read together.
    private static func names(_ keys: [ConfigurationKey]) -> [String] {
        var names: [String] = []
        for key in keys {
            let name = key.place.object == "roles" ? "roles" : key.name
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

import Logging
import NIOCore
import Observability
import PaymentCore
import PaymentServer
import PaymentStorage
import SandboxStorage
import Synchronization

/// What administrators may have the daemon do through its socket.
final class Administration: DaemonControl {
    /// Resolves flags, environment and file again.
    typealias Reading = @Sendable () throws(ConfigurationProblem) -> DaemonConfiguration

    /// The parts of the daemon that runs.
    struct Parts {
        /// Where limits and roles are in force.
        let server: PaymentServer
        /// Who writes copies of the state.
        let keeper: NIOLoopBound<SnapshotKeeper>
        /// The loop of both.
        let loop: any EventLoop
        /// The journal of the embedded store, if the store is embedded, on a loop of its own.
        let sandbox: SandboxFileJournal?
        let storeLoop: any EventLoop
        /// The state directory.
        let statePath: String
    }

    private struct State {
        var configuration: DaemonConfiguration
        var parts: Parts?
    }

    private let state: Mutex<State>
    private let threshold: LogThreshold
    private let log: Logger
    private let reading: Reading

    init(
        configuration: DaemonConfiguration, threshold: LogThreshold, log: Logger,
        reading: @escaping Reading
    ) {
        state = Mutex(State(configuration: configuration))
        self.threshold = threshold
        self.log = log
        self.reading = reading
    }

    /// Names the parts of the daemon, once they are there.
    func begin(_ parts: Parts) {
        state.withLock { $0.parts = parts }
    }

    /// Puts log level, roles and limits in force as they are configured now. What else is different
    /// waits for the next start, and the log says so.
    func reload() async throws(DaemonRefusal) -> [String] {
        let new: DaemonConfiguration
        let file = state.withLock { $0.configuration.file.value ?? "" }
        do throws(ConfigurationProblem) {
            new = try reading()
            try checkCatalogue(new)
        } catch {
            throw .configuration(file: file, path: error.place, reason: error.description)
        }
        let (changed, waiting, parts) = state.withLock { state in
            let differences = Self.differences(from: state.configuration, to: new)
            state.configuration.logLevel = new.logLevel
            state.configuration.limits = new.limits
            state.configuration.roles = new.roles
            return (
                differences.filter(Self.isReloadable),
                differences.filter { !Self.isReloadable($0) }, state.parts
            )
        }
        threshold.level = new.logLevel.value
        if let parts {
            let (limits, roles) = (new.limits.value, new.roles.value)
            do {
                try await parts.loop.submit {
                    parts.server.use(limits: limits, access: roles)
                }.get()
            } catch {
                throw .failed("cannot put limits and roles in force: \(error)")
            }
        }
        log.notice(
            "reloaded the configuration",
            metadata: [
                "changed": "\(changed.joined(separator: " "))",
                "atNextStart": "\(waiting.joined(separator: " "))",
            ])
        return changed
    }

    /// Makes a verified copy of the state under `backups/` of the state directory.
    func backup() async throws(DaemonRefusal) -> BackupReceipt {
        guard let parts = state.withLock({ $0.parts }) else {
            throw .failed("the daemon has not started yet")
        }
        let result = await withCheckedContinuation { done in
            parts.loop.execute {
                parts.keeper.value.backUp(sandbox: parts.sandbox, on: parts.storeLoop) {
                    done.resume(returning: $0)
                }
            }
        }
        switch result {
        case .success(let report):
            log.notice("wrote a backup", metadata: ["path": "\(report.path)"])
            return BackupReceipt(
                path: "\(parts.statePath)/\(report.path)", sequence: report.sequence,
                bytes: report.bytes)
        case .failure(let failure):
            log.warning("a backup failed", metadata: ["reason": "\(failure)"])
            throw .failed(failure.description)
        }
    }

    /// A catalogue that could not be used at the next start is refused now.
    private func checkCatalogue(
        _ configuration: DaemonConfiguration
    ) throws(ConfigurationProblem) {
        do throws(StartFailure) {
            _ = try Daemon.loadCatalogue(configuration)
        } catch {
            throw ConfigurationProblem(error.description, place: "/catalog")
        }
    }

    private static func isReloadable(_ key: String) -> Bool {
        key == "logLevel" || key == "roles" || key.hasPrefix("limits.")
    }

    /// The keys whose values differ, in the order of the report.
    private static func differences(
        from old: DaemonConfiguration, to new: DaemonConfiguration
    ) -> [String] {
        let before = Dictionary(
            old.values.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        var keys = new.values.filter { before[$0.key] != $0.value }.map(\.key)
        if old.roles.value != new.roles.value { keys.append("roles") }
        return keys
    }
}

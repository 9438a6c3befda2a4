import Glibc
import Logging
import PaymentServer
import ServiceLifecycle
import Synchronization
import Systemd

/// The next start of this program after a node has given the queue to another one.
///
/// A service manager that keeps the connections starts the program again because of the exit status.
/// Otherwise the program replaces itself in the same process, and keeps the connections.
final class Restart: Sendable {
    /// The exit status after which the service manager starts the program again: EX_TEMPFAIL of sysexits.h.
    static let exitStatus: Int32 = 75

    private struct State {
        var services: ServiceGroup?
        var isWanted = false
        /// Whether a signal has stopped the daemon. It then does not start again.
        var isStopped = false
        /// Duplicates of the service manager's sockets, because the server closes its own when it stops.
        var listeners: [Successor.Handed] = []
    }

    /// The store of connections; nil if the service manager keeps them.
    let store: ProcessStore?
    private let listeners: [InheritedSockets.Listener]
    private let environment: [String: String]
    private let program: String?
    private let state = Mutex(State())

    /// Stores the conditions of this process's start.
    ///
    /// - Parameters:
    ///   - inherited: The sockets from the service manager.
    ///   - isKept: Whether the service manager keeps connections.
    ///   - isInCluster: Whether the program may have to start again.
    ///   - environment: The environment at the start.
    init(
        _ inherited: InheritedSockets, isKept: Bool, isInCluster: Bool,
        environment: [String: String]
    ) {
        listeners = inherited.listeners
        let handed = inherited.stored.filter(\.isHanded)
        store = isKept || !isInCluster ? nil : ProcessStore(left: handed)
        if store == nil { for item in handed { close(item.descriptor) } }
        self.environment = environment
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        program =
            count > 0
            ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Sets the service group that ``begin()`` stops.
    func hand(over services: ServiceGroup) {
        state.withLock { $0.services = services }
    }

    /// Whether the program starts again when it has stopped.
    var isWanted: Bool { state.withLock { $0.isWanted && !$0.isStopped } }

    /// Notes a signal to stop: the program does not start again.
    func forbid() {
        state.withLock { $0.isStopped = true }
    }

    /// Stops the daemon, so that the program starts again. A second call changes nothing.
    func begin() {
        let services = state.withLock { state -> ServiceGroup? in
            guard !state.isWanted, !state.isStopped else { return nil }
            state.isWanted = true
            if store != nil {
                state.listeners = listeners.compactMap { listener in
                    let second = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 3)
                    return second < 0 ? nil : .init(descriptor: second, name: listener.name)
                }
            }
            return state.services
        }
        Task { await services?.triggerGracefulShutdown() }
    }

    /// Starts the program again, if that is wanted. Everything of this start must be closed.
    func startIfWanted() {
        guard isWanted else { return }
        if store != nil, program == nil {
            Logger(label: "payqueued").error("cannot start again: /proc does not name the program")
        }
        if let store, let program {
            let handed = state.withLock { $0.listeners } + store.handed
            let number = Successor.start(
                program, CommandLine.arguments, environment: environment, handing: handed)
            Logger(label: "payqueued").error(
                "cannot start again", metadata: ["reason": "\(String(cString: strerror(number)))"])
        }
        exit(Self.exitStatus)
    }
}

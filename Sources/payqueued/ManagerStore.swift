import Glibc
public import PaymentServer
import Synchronization
public import Systemd

/// Whether client connections survive a restart of the daemon.
enum KeepConnections: String, CaseIterable, Sendable {
    /// Connections survive if the service manager reports a descriptor store, as systemd 254 and
    /// later do.
    case auto
    /// Connections always survive. This is for a unit with a descriptor store under a service
    /// manager that does not report it.
    case on
    /// Connections never survive.
    case off
}

/// The store of connections in the service manager's descriptor store.
final class ManagerStore: ConnectionStore {
    /// The prefix of all stored names.
    static let prefix = "client-"
    /// The number of descriptors of one connection: its socket and its memory.
    private static let descriptorsEach = 2
    /// The assumed capacity under a service manager that does not report it: the value of the unit.
    private static let assumedCapacity = 1024

    /// The maximum time that one connection, and every other one with it, waits for a service
    /// manager that does not read. After one wait without success, later messages do not wait.
    private static let patience = Duration.milliseconds(100)

    /// The temporary errors of messages to the service manager. Any other error is permanent.
    private static let passing: Set = [EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EINTR]

    private struct State {
        var left: [InheritedSockets.Stored]
        /// The names in the service manager's store, as far as known.
        var kept: Set<String>
        /// The names to remove from the store, oldest first. Until they are removed, the peer's end
        /// of the connection stays open.
        var unwanted: [String] = []
        var isManagerSilent = false
        var whenOwing: (@Sendable () -> Void)?

        var patience: Duration { isManagerSilent ? .zero : ManagerStore.patience }
    }

    let keepsAhead = true
    private let store: DescriptorStore
    private let state: Mutex<State>

    /// Opens the descriptor store; nil if there is none or none is wanted. In that case the
    /// connections of an earlier process are released.
    init?(_ wish: KeepConnections, left: [InheritedSockets.Stored]) {
        let store = DescriptorStore()
        let isWanted =
            switch wish {
            case .auto: store.capacity ?? 0 > 0
            case .on: true
            case .off: false
            }
        guard store.isReachable, isWanted else {
            for item in left { close(item.descriptor) }
            var patience = Self.patience
            for name in Set(left.map(\.name)) {
                if case .failed = store.remove(name: name, patience: patience) { patience = .zero }
            }
            return nil
        }
        self.store = store
        state = Mutex(State(left: left, kept: Set(left.map(\.name))))
    }

    func keep(descriptor: Int32, name: String) -> (any KeptMemory)? {
        retry()
        guard takeRoom(name) else { return nil }
        if let memory = MemoryFile(name: "payqueued-" + name) {
            let descriptors = [descriptor, memory.descriptor]
            let isSent = state.withLock { state in
                let outcome = store.keep(descriptors, name: name, patience: state.patience)
                state.isManagerSilent = outcome == .failed(errno: EAGAIN)
                return outcome == .sent
            }
            if isSent { return memory }
        }
        state.withLock { _ = $0.kept.remove(name) }
        return nil
    }

    func drop(name: String) {
        state.withLock { $0.unwanted.append(name) }
        retry()
        guard owes else { return }
        state.withLock { $0.whenOwing }?()
    }

    /// Repeats the pending removals from the service manager's store.
    ///
    /// - Parameter patience: The maximum wait; by default that of one connection.
    func retry(patience: Duration? = nil) {
        state.withLock { state in
            while let name = state.unwanted.first {
                if case .failed(let number) = store.remove(
                    name: name, patience: patience ?? state.patience),
                    Self.passing.contains(number)
                {
                    state.isManagerSilent = true
                    return
                }
                state.isManagerSilent = false
                state.unwanted.removeFirst()
                state.kept.remove(name)
            }
        }
    }

    /// Whether removals are pending.
    var owes: Bool { state.withLock { !$0.unwanted.isEmpty } }

    /// Sets a closure that is called on the loop of ``drop(name:)`` when a removal must be
    /// repeated; nil removes it.
    func whenOwing(_ body: (@Sendable () -> Void)?) {
        state.withLock { $0.whenOwing = body }
    }

    func takeLeft() -> [KeptConnection] {
        let left = state.withLock { state in
            defer { state.left = [] }
            return state.left
        }
        return left.connections { drop(name: $0) }
    }

    /// Reserves capacity, because the service manager silently drops descriptors above its limit.
    private func takeRoom(_ name: String) -> Bool {
        let capacity = store.capacity ?? Self.assumedCapacity
        return state.withLock { state in
            guard (state.kept.count + 1) * Self.descriptorsEach <= capacity else { return false }
            state.kept.insert(name)
            return true
        }
    }
}

extension [InheritedSockets.Stored] {
    /// The connections, each with its memory.
    ///
    /// - Parameter drop: Called with each name that is not a connection; its descriptors are
    ///   closed.
    /// - Returns: The connections, by name.
    func connections(_ drop: (String) -> Void) -> [KeptConnection] {
        Dictionary(grouping: self, by: \.name).sorted { $0.key < $1.key }.compactMap {
            name, items in
            let sockets = items.filter { $0.kind == .connection }
            let files = items.filter { $0.kind == .file }
            // A socket without its memory file has no known state. A memory file without a socket belongs to a
            // client that has disconnected meanwhile.
            guard sockets.count == 1, files.count == 1,
                let memory = MemoryFile(descriptor: files[0].descriptor)
            else {
                for item in items { close(item.descriptor) }
                drop(name)
                return nil
            }
            return KeptConnection(descriptor: sockets[0].descriptor, name: name, memory: memory)
        }
    }
}

extension MemoryFile: KeptMemory {}

import Glibc
import PaymentServer
import Synchronization
import Systemd

/// The store of connections for the next start in the same process; see ``Successor``. It has second descriptors of
/// their sockets.
final class ProcessStore: ConnectionStore {
    private struct Kept {
        let descriptor: Int32
        /// Proof: written by the loop of the server; here only its descriptor is used.
        nonisolated(unsafe) let memory: MemoryFile
    }

    private struct State {
        var left: [InheritedSockets.Stored]
        var kept: [String: Kept] = [:]
    }

    let keepsAhead = false
    private let state: Mutex<State>

    /// Creates a store with what the start before has left.
    init(left: [InheritedSockets.Stored]) {
        state = Mutex(State(left: left))
    }

    func keep(descriptor: Int32, name: String) -> (any KeptMemory)? {
        guard let memory = MemoryFile(name: "payqueued-" + name) else { return nil }
        let second = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard second >= 0 else { return nil }
        let kept = Kept(descriptor: second, memory: memory)
        state.withLock { $0.kept[name] = kept }
        return memory
    }

    func drop(name: String) {
        guard let kept = state.withLock({ $0.kept.removeValue(forKey: name) }) else { return }
        close(kept.descriptor)
    }

    func takeLeft() -> [KeptConnection] {
        let left = state.withLock { state in
            defer { state.left = [] }
            return state.left
        }
        return left.connections { _ in }
    }

    /// The descriptors for the next start: two for each connection.
    var handed: [Successor.Handed] {
        state.withLock { state in
            state.kept.flatMap { name, kept in
                [kept.descriptor, kept.memory.descriptor].map {
                    Successor.Handed(descriptor: $0, name: name)
                }
            }
        }
    }
}

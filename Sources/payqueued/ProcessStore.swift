import Glibc
import PaymentServer
import Synchronization
import Systemd

/// The store of connections for the next start in the same process; see ``Successor``. It holds duplicate
/// descriptors of the sockets.
final class ProcessStore: ConnectionStore {
    private struct Kept {
        let descriptor: Int32
        /// Proof: the server's loop writes it; this type uses only its descriptor.
        nonisolated(unsafe) let memory: MemoryFile
    }

    private struct State {
        var left: [InheritedSockets.Stored]
        var kept: [String: Kept] = [:]
    }

    let keepsAhead = false
    private let state: Mutex<State>

    /// Creates a store with the connections of the previous start.
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

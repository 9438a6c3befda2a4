import Foundation
import Synchronization

/// The socket of the system's journal, for processes that are given one of their own.
final class JournalSocket: Sendable {
    private let isOver = Mutex(false)
    private let text = Mutex([UInt8]())
    private let ended = DispatchSemaphore(value: 0)

    /// What starts a program so that it finds the socket of a folder where the system's should be.
    static func wrapper(_ folder: String) -> [String] {
        let script = """
            mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal && \
            mount --bind "$0" /run/systemd/journal && exec "$@"
            """
        return ["unshare", "-m", "sh", "-c", script, folder]
    }

    /// Listens at a path.
    init(at path: String) throws {
        let socket = try NotifySocket(at: path)
        Thread.detachNewThread { [self] in
            // Once more after the end: what was sent before it has arrived.
            var isLast = false
            while !isLast {
                isLast = isOver.withLock { $0 }
                for entry in socket.received() { text.withLock { $0 += Array(entry.utf8) + [10] } }
                usleep(1000)
            }
            ended.signal()
        }
    }

    /// Stops listening and returns everything that came.
    func stop() -> String {
        isOver.withLock { $0 = true }
        ended.wait()
        return text.withLock { String(decoding: $0, as: UTF8.self) }
    }
}

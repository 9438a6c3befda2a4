import Glibc

/// The datagram socket of a service manager, which receives the notice that a service is ready.
final class NotifySocket {
    let path: String
    private let descriptor: Int32

    /// Binds the socket.
    init(at path: String) throws(BenchFailure) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("make a socket") }
        guard try withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0 else {
            throw failure("bind '\(path)'")
        }
    }

    deinit { close(descriptor) }

    /// Waits until a service is ready, at most ten seconds.
    func waitUntilReady() throws(BenchFailure) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 10_000) > 0 else {
                throw BenchFailure("the daemon was not ready within ten seconds")
            }
            // A plain recv closes a descriptor that comes along.
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { throw failure("receive a notice") }
            if String(decoding: bytes[..<count], as: UTF8.self).contains("READY=1") { return }
        }
    }
}

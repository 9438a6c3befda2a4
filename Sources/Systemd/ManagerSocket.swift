internal import CSystemd
internal import Glibc

/// The notification socket of the service manager.
enum ManagerSocket {
    /// Waits until the socket can take a message; true if it can, now or within the time.
    ///
    /// The queue of a datagram socket is short (`net.unix.max_dgram_qlen`, unix(7)), and
    /// `sd_notify` waits for space without limit. A manager that does not read would block an event
    /// loop with all its clients. If the state cannot be determined, the result is true.
    static func hasRoom(within patience: Duration = .zero) -> Bool {
        guard let name = Environment.value("NOTIFY_SOCKET"), let first = name.utf8.first,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return true }
        let descriptor = socket(
            AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // If nothing is there, sending reports it.
        guard SocketAddress.withUnix(name, { connect(descriptor, $0, $1) }) == 0 else {
            return true
        }
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let found = poll(&look, 1, CInt(clamping: patience.wholeMicroseconds / 1000))
            guard found < 0, errno == EINTR else { return found != 0 }
        }
    }
}

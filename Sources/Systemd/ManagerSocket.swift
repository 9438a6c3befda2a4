internal import CSystemd
internal import Glibc

/// The socket on which the service manager listens.
enum ManagerSocket {
    /// Whether it has room for a message, now or within some time.
    ///
    /// The queue of a datagram socket holds few of them (`net.unix.max_dgram_qlen`, unix(7)), and
    /// `sd_notify` waits for room without end: a manager that reads nothing would stop an event loop
    /// with all its clients. Where it cannot be told, there is room.
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

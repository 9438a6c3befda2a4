import Glibc
import Synchronization

/// The manager's side of the notification protocol: a real datagram socket.
struct NotifySocket: ~Copyable {
    /// What `NOTIFY_SOCKET` has to say for a service to reach it.
    let address: String
    private let descriptor: Int32
    private static let counter = Atomic<Int>(0)

    /// Binds at a path, or in the abstract name space.
    init(abstract: Bool) {
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        let name = "notify-\(getpid())-\(number)"
        address = abstract ? "@" + name : "/tmp/" + name
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        precondition(
            bindUnix(descriptor, to: address), "the test cannot bind \(address): \(errno)")
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if !address.hasPrefix("@") { unlink(address) }
    }

    /// Makes it the socket of this process's manager. Only for a process made for one test.
    func announce() {
        setenv("NOTIFY_SOCKET", address, 1)
    }

    /// The next datagram's text; descriptors that came along are closed. Nil after five seconds.
    func receive() -> String? {
        var text = [UInt8](repeating: 0, count: 8192)
        var control = [UInt8](repeating: 0, count: 256)
        let headerBytes = MemoryLayout<cmsghdr>.size
        let (count, controlCount) = text.withUnsafeMutableBytes { text in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return (recvmsg(descriptor, &message, 0), message.msg_controllen)
                }
            }
        }
        guard count >= 0 else { return nil }
        if controlCount >= headerBytes + 4 {
            let passed = control.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: headerBytes, as: Int32.self)
            }
            close(passed)
        }
        return String(decoding: text[..<count], as: UTF8.self)
    }
}

/// Binds a socket at a path, or at an abstract name written with `@`.
func bindUnix(_ descriptor: Int32, to address: String) -> Bool {
    withUnixAddress(address) { bind(descriptor, $0, $1) } == 0
}

/// Connects a stream socket to a path; nil if nobody listens.
func connectUnix(_ path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    guard withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}

/// Makes a stream socket that listens at a path.
func listenUnix(_ path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    precondition(bindUnix(descriptor, to: path), "the test cannot bind \(path): \(errno)")
    listen(descriptor, 4)
    return descriptor
}

private func withUnixAddress(
    _ text: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count)
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
}

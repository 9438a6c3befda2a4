import Glibc

/// A stream socket without any protocol on top.
enum UnixSocket {
    /// Connects to a path and returns the descriptor, which the caller closes.
    static func connect(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(path) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8CString)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count <= room else {
            close(descriptor)
            throw CommandFailure(
                .usage, "cannot connect to '\(path)': the path is too long for a socket",
                advice: "use a shorter path, for example below /tmp")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            bytes.withUnsafeBytes { place.copyMemory(from: $0) }
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, size)
            }
        }
        guard result == 0 else {
            let failure = failure(path)
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(
            .noConnection, "cannot connect to '\(path)': \(String(cString: strerror(errno)))",
            advice: "run the demonstration again")
    }
}

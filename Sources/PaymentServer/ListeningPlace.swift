import Glibc
import Listening
import NIOCore
import NIOPosix

/// The place where clients or scrapers connect.
public enum ListeningPlace: Sendable, Hashable {
    /// A path where nothing exists yet. The server creates the file and removes it when the listener has
    /// closed, unless another file has taken the path.
    case path(String)
    /// A listening Unix stream socket of the service manager, which keeps its file; owned by the server
    /// from now on.
    case descriptor(Int32)

    /// Listens with the options and handlers of a bootstrap.
    ///
    /// The socket of a path is bound here and not by the library, which would remove whatever is at the
    /// path when the listener closes.
    func bind(_ bootstrap: ServerBootstrap, backlog: Int32) async throws -> any Channel {
        switch self {
        case .descriptor(let number): return try await bootstrap.withBoundSocket(number).get()
        case .path(let path):
            let descriptor = try Self.socket(at: path, backlog: backlog)
            let file = OwnSocketFile(path)
            do {
                let channel = try await bootstrap.withBoundSocket(descriptor).get()
                channel.closeFuture.whenComplete { _ in file?.remove() }
                return channel
            } catch {
                file?.remove()
                throw error
            }
        }
    }

    private static func socket(at path: String, backlog: Int32) throws(IOError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var isBound = false
        if path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) {
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
        } else {
            errno = ENAMETOOLONG
        }
        guard isBound, Glibc.listen(descriptor, backlog) == 0 else {
            let failure = IOError(errnoCode: errno, reason: "bind")
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}

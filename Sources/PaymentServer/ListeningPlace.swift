import Glibc
import Listening
import NIOCore
import NIOPosix

/// The place where clients or scrapers connect.
public enum ListeningPlace: Sendable {
    /// A path where nothing exists yet. The server creates the file and removes it when the listener has
    /// closed, unless another file has taken the path. `protect` gives the file its mode and its owner
    /// before anything can connect.
    case path(String, protect: @Sendable () throws -> Void = {})
    /// A listening Unix stream socket of the service manager, which keeps its file. The server owns the
    /// descriptor from now on.
    case descriptor(Int32)

    /// Listens with the options and handlers of a bootstrap.
    ///
    /// The socket of a path is bound here. The library would remove whatever is at the path when the
    /// listener closes. The library also sets a short backlog, so the backlog is set again afterwards.
    ///
    /// - Parameters:
    ///   - bootstrap: The options and handlers.
    ///   - backlog: The maximum number of connections that wait to be accepted while the listener is open.
    ///     When an inherited socket is left to the next process, it gets the maximum of the kernel, because
    ///     its clients wait for longer then.
    /// - Returns: The listening channel.
    /// - Throws: The socket cannot be used; no file is left.
    func bind(_ bootstrap: ServerBootstrap, backlog: Int32) async throws -> any Channel {
        switch self {
        case .descriptor(let number):
            // A second descriptor of the socket, for when the channel has closed its own.
            let kept = fcntl(number, F_DUPFD_CLOEXEC, 0)
            do {
                let channel = try await Self.listen(bootstrap, on: number, backlog: backlog)
                channel.closeFuture.whenComplete { _ in
                    _ = Glibc.listen(kept, .max)
                    close(kept)
                }
                return channel
            } catch {
                close(kept)
                throw error
            }
        case .path(let path, let protect):
            let descriptor = try Self.socket(at: path)
            let file = OwnSocketFile(path)
            do {
                try protect()
            } catch {
                close(descriptor)
                file?.remove()
                throw error
            }
            do {
                let channel = try await Self.listen(bootstrap, on: descriptor, backlog: backlog)
                channel.closeFuture.whenComplete { _ in file?.remove() }
                return channel
            } catch {
                file?.remove()
                throw error
            }
        }
    }

    private static func listen(
        _ bootstrap: ServerBootstrap, on descriptor: Int32, backlog: Int32
    ) async throws -> any Channel {
        let channel = try await bootstrap.withBoundSocket(descriptor).get()
        do {
            try await channel.eventLoop.submit {
                guard let socket = channel.descriptor else { throw ChannelError.ioOnClosedChannel }
                guard Glibc.listen(socket, backlog) == 0 else {
                    throw IOError(errnoCode: errno, reason: "listen")
                }
            }.get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
        return channel
    }

    /// A socket that is bound to a path, and does not listen yet.
    private static func socket(at path: String) throws(IOError) -> Int32 {
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
        guard isBound else {
            let failure = IOError(errnoCode: errno, reason: "bind")
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}

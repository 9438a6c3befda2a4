import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import PaymentServer

/// The sockets of the server, without a server.
@Suite("Listening places")
struct ListeningPlaceTests {
    private struct Broken: Error {}

    /// More connections than the backlog that the library sets.
    private static let crowd = 300

    private let path = "/tmp/place-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    private static func open(
        _ path: String, _ action: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> (descriptor: Int32, isDone: Bool) {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                action(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return (made, result == 0)
    }

    /// The connections of a crowd that find room while the listener accepts none.
    private func admitted() -> Int {
        let visitors = (0..<Self.crowd).map { _ in Self.open(path, connect) }
        for visitor in visitors { close(visitor.descriptor) }
        return visitors.count { $0.isDone }
    }

    private var idle: ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
    }

    @Test("A socket at a path has the backlog that it was given")
    func backlog() async throws {
        let channel = try await ListeningPlace.path(path).bind(idle, backlog: 4096)
        #expect(admitted() == Self.crowd)
        try await channel.close()
        // The file is removed when this future is done.
        try await channel.closeFuture.get()
        #expect(access(path, F_OK) != 0)
    }

    @Test("An inherited socket has a short queue only while a process accepts")
    func inherited() async throws {
        let (descriptor, isDone) = Self.open(path, bind)
        let managers = dup(descriptor)
        #expect(isDone && listen(descriptor, 4096) == 0)
        defer {
            close(managers)
            unlink(path)
        }
        let channel = try await ListeningPlace.descriptor(descriptor).bind(idle, backlog: 16)
        // The kernel admits one more than the backlog.
        #expect(admitted() == 17)
        try await channel.close()
        try await channel.closeFuture.get()
        #expect(admitted() == Self.crowd)
    }

    @Test("A listener that cannot be set up leaves no file")
    func broken() async throws {
        let bootstrap = idle.serverChannelInitializer { channel in
            channel.eventLoop.makeFailedFuture(Broken())
        }
        await #expect(throws: Broken.self) {
            try await ListeningPlace.path(path).bind(bootstrap, backlog: 16)
        }
        #expect(access(path, F_OK) != 0)
    }
}

import Foundation
import Glibc
import Synchronization

/// A member of etcd that runs for the tests of this process, with a directory of its own.
public final class EtcdServer: Sendable {
    /// Where clients reach it.
    public let member: String
    private let process: Mutex<Process>
    private let directory: String

    /// The program; nil where it is not installed.
    public static let program: String? = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The server that tests share which do it no harm.
    public static let shared = Result { try EtcdServer() }

    /// Starts a member that is a cluster by itself, and waits until it answers.
    public init() throws {
        guard let program = Self.program else { throw Missing() }
        directory = NSTemporaryDirectory() + "payqueued-etcd-\(UUID().uuidString)"
        // Another program may have taken a port that was free.
        for _ in 1...10 {
            let (client, peer) = (try Self.freePort(), try Self.freePort())
            let started = try Self.start(program, directory, client: client, peer: peer)
            let end = Date().addingTimeInterval(30)
            while started.isRunning, Date() < end {
                if Self.answers(client) {
                    member = "127.0.0.1:\(client)"
                    process = Mutex(started)
                    return
                }
                usleep(20_000)
            }
            started.terminate()
        }
        throw Silent()
    }

    private static func start(
        _ program: String, _ directory: String, client: Int, peer: Int
    ) throws -> Process {
        let started = Process()
        // The member ends with the tests, however they end.
        started.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        let (clientURL, peerURL) = ("http://127.0.0.1:\(client)", "http://127.0.0.1:\(peer)")
        started.arguments = [
            "--pdeathsig", "KILL", program, "--data-dir", directory,
            "--listen-client-urls", clientURL, "--advertise-client-urls", clientURL,
            "--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
            "--initial-cluster", "default=\(peerURL)",
            // So that a lease may last one second.
            "--heartbeat-interval", "10", "--election-timeout", "100", "--log-level", "error",
        ]
        started.standardOutput = FileHandle.nullDevice
        started.standardError = FileHandle.nullDevice
        try started.run()
        return started
    }

    deinit {
        process.withLock { $0.terminate() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Stops or continues the member.
    public func signal(_ number: Int32) {
        process.withLock { _ = kill($0.processIdentifier, number) }
    }

    struct Missing: Error {}
    struct Silent: Error {}

    private static func withSocket<Value>(
        port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Value
    ) rethrows -> Value {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func answers(_ port: Int) -> Bool {
        withSocket(port: port) { connect($0, $1, $2) == 0 }
    }

    /// A port that was free a moment ago, below those that connections get by themselves.
    public static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 12_000..<32_000)
            if withSocket(port: port, { bind($0, $1, $2) == 0 }) { return port }
        }
        throw Silent()
    }
}

import Foundation
import PaymentTesting
import Testing

/// How tests that do not speak of clusters keep the log of their daemons: with `PAYQUEUED_TEST_NODES=owner` in etcd,
/// and with `follower` at a node that passes everything on to another one.
enum ClusterMode: String {
    case owner, follower

    /// The mode of this run; nil for local files.
    static let current = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_NODES"]
        .flatMap(ClusterMode.init)

    /// Whether a daemon with these flags can keep its log in etcd.
    func applies(to flags: [String]) -> Bool {
        !flags.contains("--journal") && !flags.contains("--read-only")
            && (self == .owner || !flags.contains("--config")) && EtcdServer.program != nil
    }
}

/// A daemon's part in a cluster of its own.
final class ClusterPart {
    /// The flags that take the place of those of a single daemon.
    let flags: [String]
    private let owner: Daemon?
    private let isDemo: Bool

    init(_ mode: ClusterMode, _ flags: [String], of daemon: Daemon) throws {
        isDemo = flags.contains("--demo")
        let rest = flags.filter { $0 != "--demo" }
        let journal =
            "etcd://\(try EtcdServer.shared.get().member)/\(UUID().uuidString)"
        guard mode == .follower else {
            owner = nil
            self.flags = rest + ["--journal", journal]
            return
        }
        let (certificate, credentials) = try PeerTests.certify("nodes", in: daemon.place)
        func configuration(_ name: String, _ place: Workplace) throws -> String {
            let path = place("\(name).cluster")
            let port = try EtcdServer.freePort()
            try #"""
            {"cluster":{"node":"\#(name)","leaseSeconds":2,"peer":"127.0.0.1:\#(port)",
             "peerCertificates":"\#(certificate)","peerCredentials":"\#(credentials)"}}
            """#.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let owner = try Daemon(rest + ["--journal", journal])
        owner.mayComplain = true
        owner.flags += ["--config", try configuration("owner", owner.place)]
        self.owner = owner
        self.flags =
            rest + ["--journal", journal, "--config", try configuration("follower", daemon.place)]
    }

    /// Starts what the daemon needs.
    func prepare() throws {
        guard let owner, owner.child == nil else { return }
        try owner.start()
        try owner.logs("this node owns the queue")
    }

    /// Brings a daemon that serves to where a single one begins.
    func complete(_ daemon: Daemon, isFirst: Bool) throws {
        try daemon.logs(owner == nil ? "this node owns the queue" : "follows the owner")
        if isDemo, isFirst { try daemon.connect().call("login", #"{"account":"demo"}"#) }
    }

    deinit {
        try? owner?.killHard()
    }
}

import Foundation
import Testing

/// Programs whose descriptors are used up by idle connections.
@Suite("Programs without free descriptors", .ownThreads)
struct DescriptorTests {
    @Test("A daemon without free descriptors turns clients away, and does not spin")
    func daemon() throws {
        guard Built.has("prlimit") else { return Skip.because("prlimit is not installed") }
        let daemon = try Daemon()
        daemon.wrapper = ["prlimit", "--nofile=64"]
        try daemon.start()
        let line = try daemon.connect()
        var idle = try (0..<64).map { _ in try Line(to: daemon.socket) }
        let farewell = try #require(try idle.last?.next()["error"])
        #expect(farewell["code"]?.int == -32005)
        #expect(farewell["data"]?["reason"]?.string == "too many open files")
        #expect(farewell["data"]?["limit"]?.int == nil)
        let child = try #require(daemon.child)
        let before = try Self.ticks(of: child)
        for _ in 0..<10 {
            #expect(try Self.code(of: try Line(to: daemon.socket)) == -32005)
        }
        // Each of the ten waited a tenth of a second, and a loop that spins uses all of it.
        #expect(try Self.ticks(of: child) - before < 50)
        try line.call("ping")
        #expect((1...2).contains(daemon.log.ranges(of: "cannot accept connections").count))
        idle.removeAll()
        let isServed = eventually(within: 60) {
            (try? Line(to: daemon.socket).call("ping")) != nil ? true : nil
        }
        #expect(isServed == true)
        try daemon.stop()
    }

    @Test("A store with as many connections as it may have refuses more, and keeps its files")
    func store() throws {
        guard Built.has("prlimit") else { return Skip.because("prlimit is not installed") }
        let store = StoreServer(in: try Workplace())
        store.wrapper = ["prlimit", "--nofile=96"]
        try store.start()
        var idle = try (0..<32).map { _ in try Line(to: store.socket) }
        let refused = try Line(to: store.socket)
        #expect(try String(decoding: refused.bytes(), as: UTF8.self).contains("503"))
        idle.removeAll()
        let isServed = eventually(within: 60) {
            (try? store.orderCounts())?.isEmpty == false ? true : nil
        }
        #expect(isServed == true)
        try store.stop()
    }

    @Test("A stopped store lets more clients wait than the library provides for")
    func backlog() throws {
        let store = StoreServer(in: try Workplace())
        try store.start()
        let child = try #require(store.child)
        child.send(SIGSTOP)
        defer { child.send(SIGCONT) }
        let isStopped = eventually(within: 60) {
            let stat = try? String(contentsOfFile: "/proc/\(child.id)/stat", encoding: .utf8)
            return stat?.contains(") T ") == true ? true : nil
        }
        #expect(isStopped == true)
        let visitors = (0..<300).map { _ in Self.visit(store.socket) }
        for visitor in visitors { close(visitor.descriptor) }
        #expect(visitors.allSatisfy { $0.isDone })
        child.send(SIGCONT)
        try store.stop()
    }

    /// Connects without waiting.
    private static func visit(_ path: String) -> (descriptor: Int32, isDone: Bool) {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return (made, connected == 0)
    }

    /// The code of the error that a connection receives without a request.
    private static func code(of line: Line?) throws -> Int? {
        try line?.next()["error"]?["code"]?.int
    }

    /// The processor time that a process has used, in hundredths of a second.
    private static func ticks(of child: Child) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(child.id)/stat", encoding: .utf8)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        let used = fields[12...13].compactMap { Int($0) }
        return try #require(used.count == 2 ? used[0] + used[1] : nil)
    }
}

import NIOPosix
import PaymentCore
import PaymentStorage
import PaymentTesting
import StoreMessages
import Testing

@testable import payqueue_store

/// Sessions on a disk that fails.
@Suite struct SessionTokenStoreTests {
    private static let now = Timestamp(milliseconds: 1_795_244_400_000)

    private static func files(on world: MemoryDiskWorld) throws -> SmallFiles {
        let disk = MemoryDisk(world: world)
        let state = try StateDirectory(
            disk: disk, path: "/store", owner: try disk.status().owner,
            identity: ProcessIdentity(pid: 1, program: "store", bootID: "boot"),
            started: Timestamp(milliseconds: 0))
        return try SmallFiles("sessions", in: state)
    }

    private static func desk(on world: MemoryDiskWorld) throws -> SessionTokenStore {
        try SessionTokenStore(
            files: try files(on: world), loop: MultiThreadedEventLoopGroup.singleton.next())
    }

    private static func failing(_ call: MemoryDiskFault.Call, _ world: MemoryDiskWorld) {
        world.inject(MemoryDiskFault(call, isLasting: true, .fail(errno: 28)))
    }

    @Test func `a session ends when that is on disk, and goes on where it cannot be written`()
        async throws
    {
        let world = MemoryDiskWorld()
        let desk = try Self.desk(on: world)
        let grant = try await desk.open("demo", country: Samples.germany, now: Self.now)
        let session = try desk.session(ofAccess: grant.accessToken, now: Self.now)
        Self.failing(.remove, world)
        let refusal = await #expect(throws: FailureMessage.self) {
            try await desk.revoke(session)
        }
        #expect(refusal?.status == 503)
        #expect(desk.isOpen(session))
        _ = try desk.session(ofAccess: grant.accessToken, now: Self.now)
        _ = try Self.desk(on: world.afterKill()).refresh(grant.refreshToken, now: Self.now)
        world.removeFaults()
        try await desk.revoke(session)
        #expect(!desk.isOpen(session))
        let next = try Self.desk(on: world.afterKill())
        #expect(throws: FailureMessage.self) {
            try next.refresh(grant.refreshToken, now: Self.now)
        }
    }

    @Test func `a session that cannot be written is none, and takes no other one's place`()
        async throws
    {
        let world = MemoryDiskWorld()
        let desk = try Self.desk(on: world)
        let oldest = try await desk.open("demo", country: Samples.germany, now: Self.now)
        for _ in 1..<SessionTokenStore.sessionsPerAccount {
            _ = try await desk.open("demo", country: Samples.germany, now: Self.now)
        }
        Self.failing(.write, world)
        await #expect(throws: FailureMessage.self) {
            try await desk.open("demo", country: Samples.germany, now: Self.now)
        }
        #expect(desk.count == SessionTokenStore.sessionsPerAccount)
        _ = try desk.refresh(oldest.refreshToken, now: Self.now)
        world.removeFaults()
        _ = try await desk.open("demo", country: Samples.germany, now: Self.now)
        #expect(desk.count == SessionTokenStore.sessionsPerAccount)
        #expect(throws: FailureMessage.self) {
            try desk.refresh(oldest.refreshToken, now: Self.now)
        }
    }

    @Test func `a login writes the same whatever the number of sessions`() async throws {
        let world = MemoryDiskWorld()
        let desk = try Self.desk(on: world)
        world.beginRecording()
        var costs: [Int] = []
        for number in 0..<200 {
            let before = world.operationCount
            _ = try await desk.open(
                AccountName("user-\(number)"), country: Samples.germany, now: Self.now)
            costs.append(world.operationCount - before)
        }
        #expect(Set(costs).count == 1)
        let sizes = world.files.filter { $0.key.hasPrefix("sessions/") }.map(\.value.count)
        #expect(sizes.count == 200 && sizes.allSatisfy { $0 < 256 })
    }

    @Test func `sessions are ordered by login, also after a restart`() async throws {
        let world = MemoryDiskWorld()
        var desk = try Self.desk(on: world)
        var grants: [SessionGrant] = []
        for _ in 0..<12 {
            grants.append(
                try await desk.open("demo", country: Samples.germany, now: Self.now))
        }
        let digests = grants.map { TokenDigest(of: $0.refreshToken) }
        for _ in 0..<2 {
            #expect(desk.sessions(of: "demo").map(\.digest) == digests.reversed())
            #expect(desk.counts == ["demo": 12])
            desk = try Self.desk(on: world.afterKill())
        }
    }

    @Test func `the file of all sessions of an earlier version is read once and replaced`()
        async throws
    {
        let world = MemoryDiskWorld()
        let tokens = (0..<3).map { "token-\($0)" }
        let entries = tokens.map {
            #"{"account":"demo","digest":"\#(TokenDigest(of: $0))","#
                + #""openedAt":"2026-01-05T10:00:00.000Z"}"#
        }
        try Self.files(on: world).replace(
            "sessions.json",
            with: Array(#"{"sessions":[\#(entries.joined(separator: ","))]}"#.utf8))
        let desk = try Self.desk(on: world.afterKill())
        let own = desk.sessions(of: "demo").map(\.digest)
        #expect(own == tokens.reversed().map { TokenDigest(of: $0) })
        try await desk.revoke(try #require(desk.sessions(of: "demo").first))
        #expect(throws: FailureMessage.self) { try desk.refresh("token-2", now: Self.now) }
        _ = try desk.refresh("token-0", now: Self.now)
    }

    @Test func `access tokens end after a quarter of an hour, and their number is limited`()
        async throws
    {
        let limit = 50
        let desk = try SessionTokenStore(
            files: try Self.files(on: MemoryDiskWorld()),
            loop: MultiThreadedEventLoopGroup.singleton.next(), accessLimit: limit)
        let grant = try await desk.open("demo", country: Samples.germany, now: Self.now)
        let later = Self.now.advanced(bySeconds: SessionTokenStore.accessSeconds)
        #expect(throws: FailureMessage.self) {
            try desk.session(ofAccess: grant.accessToken, now: later)
        }
        let first = try desk.refresh(grant.refreshToken, now: later).access
        for _ in 0..<limit - 1 {
            _ = try desk.refresh(grant.refreshToken, now: later)
        }
        _ = try desk.session(ofAccess: first, now: later)
        let last = try desk.refresh(grant.refreshToken, now: later).access
        #expect(throws: FailureMessage.self) { try desk.session(ofAccess: first, now: later) }
        _ = try desk.session(ofAccess: last, now: later)
    }
}

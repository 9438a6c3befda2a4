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

    private static func desk(on world: MemoryDiskWorld) throws -> SessionTokenStore {
        let disk = MemoryDisk(world: world)
        let state = try StateDirectory(
            disk: disk, path: "/store", owner: try disk.status().owner,
            identity: ProcessIdentity(pid: 1, program: "store", bootID: "boot"),
            started: Timestamp(milliseconds: 0))
        return try SessionTokenStore(
            files: try SmallFiles("sessions", in: state),
            loop: MultiThreadedEventLoopGroup.singleton.next())
    }

    private static func failing(_ world: MemoryDiskWorld) {
        world.inject(
            MemoryDiskFault(
                .write, isLasting: true, namePrefix: "sessions.json", .fail(errno: 28)))
    }

    @Test func `a session ends when that is on disk, and goes on where it cannot be written`()
        async throws
    {
        let world = MemoryDiskWorld()
        let desk = try Self.desk(on: world)
        let grant = try await desk.open("demo", country: Samples.germany, now: Self.now)
        let session = try desk.session(ofAccess: grant.accessToken, now: Self.now)
        Self.failing(world)
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
        Self.failing(world)
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
}

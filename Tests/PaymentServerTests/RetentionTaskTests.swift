import NIOEmbedded
import PaymentCore
import PaymentEngine
import PaymentStorage
import PaymentTesting
import Testing

@testable import payqueued

/// What is believed of the clocks of a state directory after a start.
@Suite struct RetentionKeeperTests {
    private static let days: Int64 = 90
    private static let dayMs: Int64 = 86_400_000

    /// What became of the file between two processes.
    enum Damage: CaseIterable {
        case none, removed, unreadable
    }

    private let loop = EmbeddedEventLoop()
    private let state: StateDirectory
    private let files: SmallFiles

    init() throws {
        state = try StateDirectory(
            disk: MemoryDisk(world: MemoryDiskWorld()), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 1, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
        files = try SmallFiles("clock", in: state)
    }

    /// Starts a process after so many days by the time of day, each after a start of the machine.
    private func mayForget(afterDays day: Int64, isNew: Bool = false) throws -> Bool {
        let wall = Timestamp(milliseconds: Samples.noon.milliseconds + day * Self.dayMs)
        let reading = RetentionClock.Reading(wall: wall, boot: "boot \(day)", uptimeMs: 1000)
        let keeper = try RetentionTask(
            in: state, isNew: isNew, writingOn: loop, log: Samples.log, read: { reading })
        let mayForget = keeper.mayForget(days: Self.days)
        loop.run()
        return mayForget
    }

    private func inflict(_ damage: Damage) throws {
        switch damage {
        case .none: break
        case .removed: try files.remove("retention.json")
        case .unreadable: try files.replace("retention.json", with: Array("{".utf8))
        }
    }

    @Test(arguments: Damage.allCases)
    func `nothing is forgotten after a start that knows no earlier time`(damage: Damage) throws {
        #expect(try mayForget(afterDays: 0, isNew: true))
        #expect(try mayForget(afterDays: 1))
        try inflict(damage)
        #expect(try mayForget(afterDays: 2) == (damage == .none))
        #expect(try mayForget(afterDays: 3) == (damage == .none))
    }

    @Test(arguments: Damage.allCases)
    func `a clock that is far ahead makes nothing forgotten, at no start`(damage: Damage) throws {
        #expect(try mayForget(afterDays: 0, isNew: true))
        try inflict(damage)
        #expect(try !mayForget(afterDays: 120))
        try inflict(damage)
        #expect(try !mayForget(afterDays: 121))
    }
}

import PaymentCore
import PaymentEngine
import PaymentStorage
import PaymentTesting
import Testing

@testable import payqueued

/// What is believed of the clocks of a state directory after a start.
@Suite struct RetentionKeeperTests {
    private static let days = 90
    private static let dayMs: Int64 = 86_400_000

    /// What became of the file between two processes.
    enum Damage: CaseIterable {
        case none, removed, unreadable
    }

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
        try task(isNew: isNew) { Self.reading(afterDays: day, boot: "boot \(day)") }
            .forgettableTime() != nil
    }

    private func task(
        isNew: Bool = false, _ read: @escaping () -> RetentionClock.Reading
    ) throws -> RetentionTask {
        try RetentionTask(
            in: state, isNew: isNew, days: Self.days, log: Samples.log, read: read)
    }

    /// The clocks of a machine that was started just now.
    private static func reading(afterDays day: Int64, boot: String) -> RetentionClock.Reading {
        RetentionClock.Reading(
            wall: Timestamp(milliseconds: Samples.noon.milliseconds + day * dayMs), boot: boot,
            uptimeMs: 1000)
    }

    @Test(arguments: [-400, 400] as [Int64])
    func `a clock that was wrong for one record holds retention, after a kill as well`(
        days: Int64
    ) throws {
        var day: Int64 = 0
        let first = try task(isNew: true) { Self.reading(afterDays: day, boot: "boot") }
        #expect(first.forgettableTime() != nil)
        day = days
        #expect(first.time() == Self.reading(afterDays: days, boot: "boot").wall)
        // The process is killed; the next one begins when the clock is right again.
        day = 0
        let next = try task { Self.reading(afterDays: day, boot: "boot") }
        #expect(next.forgettableTime() == nil)
    }

    @Test func `small steps of a clock between two looks add up`() throws {
        var reading = Self.reading(afterDays: 0, boot: "boot")
        let task = try task(isNew: true) { reading }
        #expect(task.forgettableTime() != nil)
        for _ in 0..<2 {
            reading.wall = reading.wall.advanced(bySeconds: 40 * 60)
            _ = task.time()
        }
        #expect(task.forgettableTime() == nil)
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

import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("The clock of retention")
struct RetentionClockTests {
    private static let retentionMs: Int64 = 90 * 86_400_000
    private static let hourMs: Int64 = 3_600_000

    private static func reading(
        wall: Int64, uptime: Int64, boot: String = "one"
    ) -> RetentionClock.Reading {
        RetentionClock.Reading(
            wall: Timestamp(milliseconds: Samples.noon.milliseconds + wall), boot: boot,
            uptimeMs: uptime)
    }

    @Test("Lets things be forgotten while the time of day goes as time does")
    func steady() {
        var clock = RetentionClock(last: Self.reading(wall: 0, uptime: 0))
        for hour in 0..<10_000 as Range<Int64> {
            // A minute of correction now and then is what a clock may need.
            let wall = hour * Self.hourMs + (hour.isMultiple(of: 7) ? 60_000 : 0)
            let reading = Self.reading(wall: wall, uptime: hour * Self.hourMs)
            let mayForget = clock.look(reading, retentionMs: Self.retentionMs)
            #expect(mayForget)
        }
    }

    @Test(
        "Forgets nothing for the whole time of retention after a jump",
        arguments: [100 * 86_400_000, -100 * 86_400_000, 2 * 3_600_000] as [Int64])
    func jump(by jumpMs: Int64) {
        var clock = RetentionClock(last: Self.reading(wall: 0, uptime: 0))
        var uptime = Self.hourMs
        func look() -> Bool {
            clock.look(
                Self.reading(wall: jumpMs + uptime, uptime: uptime), retentionMs: Self.retentionMs)
        }
        #expect(!look())
        let end = uptime + Self.retentionMs
        while uptime < end - Self.hourMs {
            uptime += Self.hourMs
            #expect(!look())
            // Another process goes on with it.
            clock = RetentionClock(last: clock.last, heldMs: clock.heldMs)
        }
        uptime += Self.hourMs
        #expect(look())
    }

    @Test("Forgets nothing for the whole time of retention if no earlier time is known")
    func unknown() {
        var clock = RetentionClock()
        let first = clock.look(Self.reading(wall: 0, uptime: 5), retentionMs: Self.retentionMs)
        #expect(!first)
        #expect(clock.heldMs == Self.retentionMs)
        let last = Self.retentionMs + 5
        let early = clock.look(
            Self.reading(wall: last - 1, uptime: last - 1), retentionMs: Self.retentionMs)
        #expect(!early)
        let late = clock.look(
            Self.reading(wall: last, uptime: last), retentionMs: Self.retentionMs)
        #expect(late)
    }

    @Test("A machine that was off for a week at most is taken at its word, and no other")
    func absence() {
        for (days, isTaken) in [(1, true), (7, true), (8, false), (-1, false)]
            as [(Int64, Bool)]
        {
            var clock = RetentionClock(last: Self.reading(wall: 0, uptime: 5))
            let later = Self.reading(wall: days * 86_400_000, uptime: 1, boot: "two")
            let mayForget = clock.look(later, retentionMs: Self.retentionMs)
            #expect(mayForget == isTaken, "\(days) days")
        }
    }

    @Test("A machine that does not name its starts is never taken for the same")
    func nameless() {
        var clock = RetentionClock(last: Self.reading(wall: 0, uptime: 0, boot: ""))
        let later = Self.reading(wall: 30 * 86_400_000, uptime: 30 * 86_400_000, boot: "")
        let mayForget = clock.look(later, retentionMs: Self.retentionMs)
        #expect(!mayForget)
    }
}

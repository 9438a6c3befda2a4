import PaymentCore
import PaymentSandbox
import SandboxControl
import Testing

@Suite struct SubscriptionCalendarTests {
    private func ends(
        _ unit: SubscriptionPeriod.Unit, _ count: Int, from anchor: String,
        periods: ClosedRange<Int>
    ) throws -> [String] {
        let anchor = try #require(Timestamp(anchor))
        let period = SubscriptionPeriod(unit: unit, numberOfUnits: count)
        return periods.map { period.end(ofPeriod: $0, from: anchor).description }
    }

    @Test func `the end of a month is kept where a month has it`() throws {
        #expect(
            try ends(.month, 1, from: "2023-12-31T10:00:00.000Z", periods: 0...5) == [
                "2023-12-31T10:00:00.000Z", "2024-01-31T10:00:00.000Z", "2024-02-29T10:00:00.000Z",
                "2024-03-31T10:00:00.000Z", "2024-04-30T10:00:00.000Z", "2024-05-31T10:00:00.000Z",
            ])
    }

    @Test func `a leap day comes back after three years without one`() throws {
        #expect(
            try ends(.year, 1, from: "2024-02-29T00:00:00.001Z", periods: 1...4) == [
                "2025-02-28T00:00:00.001Z", "2026-02-28T00:00:00.001Z", "2027-02-28T00:00:00.001Z",
                "2028-02-29T00:00:00.001Z",
            ])
    }

    @Test func `weeks and days are counted in days`() throws {
        #expect(
            try ends(.week, 2, from: "1969-12-31T23:59:59.999Z", periods: 1...1)
                == ["1970-01-14T23:59:59.999Z"])
        #expect(
            try ends(.day, 3, from: "2024-02-28T12:00:00.000Z", periods: 1...1)
                == ["2024-03-02T12:00:00.000Z"])
    }

    @Test func `no period ends after the last moment that can be written`() throws {
        #expect(
            try ends(.year, 9999, from: "2024-02-28T12:00:00.000Z", periods: 1...1)
                == ["9999-12-31T23:59:59.999Z"])
        let period = SubscriptionPeriod(unit: .year, numberOfUnits: 9999)
        let start = Timestamp(milliseconds: 0)
        #expect(period.end(ofPeriod: .max, from: start) == SandboxClock.end)
    }

    @Test(arguments: [
        (0, 86_400_000), (1, 3_600_000), (2, 1_800_000), (3, 300_000), (4, 60_000), (5, 30_000),
        (6, 1000), (10, 120_000), (11, 60_000), (12, 30_000), (13, 10_000), (15, 1000),
    ])
    func `a day lasts as long as the number of Apple says`(number: Int, day: Int64) throws {
        let seconds = try #require(TimeRate.apple(number).realSecondsOfMonth)
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let clock = SandboxClock(setAt: start, shown: start, monthSeconds: seconds)
        let tomorrow = start.advanced(bySeconds: 86_400)
        let due = Timestamp(milliseconds: start.milliseconds + day)
        #expect(clock.realTime(of: tomorrow) == due)
        #expect(clock.now(at: due) == tomorrow)
    }

    @Test func `a rate that nobody has named is none`() {
        for number in [-1, 7, 9, 14, 16] {
            #expect(TimeRate.apple(number).realSecondsOfMonth == nil)
        }
        #expect(TimeRate.monthSeconds(0).realSecondsOfMonth == nil)
        #expect(TimeRate.monthSeconds(2_592_001).realSecondsOfMonth == nil)
    }

    @Test func `a clock stands while real time is set back, and ends with the calendar`() {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let clock = SandboxClock(setAt: start, shown: start, monthSeconds: 1)
        #expect(clock.now(at: Timestamp(milliseconds: 5)) == start)
        #expect(clock.now(at: SandboxClock.end) == SandboxClock.end)
    }
}

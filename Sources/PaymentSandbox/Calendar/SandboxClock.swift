public import PaymentCore
public import SandboxControl

/// The sandbox's own clock, as the journal keeps it: it showed something at a real moment, and runs
/// on from there at a rate.
///
/// It runs on while no process does. It never goes back: real time that was set back makes it stand
/// until real time has caught up.
public struct SandboxClock: Sendable, Hashable {
    /// The real moment that it was last set at.
    public var setAt: Timestamp
    /// The time that it showed then.
    public var shown: Timestamp
    /// How many real seconds a month of thirty days of its time takes.
    public var monthSeconds: Int

    /// Real seconds of a month in real time.
    public static let realMonthSeconds = 2_592_000

    /// The last moment that can be written; nothing is due then or later.
    public static let end = Timestamp(milliseconds: 253_402_300_799_999)

    /// Sets a clock.
    public init(setAt: Timestamp, shown: Timestamp, monthSeconds: Int) {
        self.setAt = setAt
        self.shown = shown
        self.monthSeconds = max(1, monthSeconds)
    }

    /// The time that it shows at a real moment.
    public func now(at real: Timestamp) -> Timestamp {
        let elapsed = max(0, real.milliseconds - setAt.milliseconds)
        let (product, overflow) = elapsed.multipliedReportingOverflow(
            by: Int64(Self.realMonthSeconds))
        guard !overflow else { return Self.end }
        let (sum, isBeyond) = shown.milliseconds.addingReportingOverflow(
            product / Int64(monthSeconds))
        return isBeyond ? Self.end : min(Timestamp(milliseconds: sum), Self.end)
    }

    /// How many real milliseconds pass before it shows a moment; 0 if it has already.
    public func realMilliseconds(until moment: Timestamp, at real: Timestamp) -> Int64 {
        let rest = moment.milliseconds - now(at: real).milliseconds
        guard rest > 0 else { return 0 }
        let (product, overflow) = rest.multipliedReportingOverflow(by: Int64(monthSeconds))
        guard !overflow else { return .max }
        let (quotient, remainder) = product.quotientAndRemainder(
            dividingBy: Int64(Self.realMonthSeconds))
        return remainder > 0 ? quotient + 1 : quotient
    }
}

extension TimeRate {
    /// How many real seconds a month of thirty days takes; nil for a number that Apple has not
    /// given out.
    ///
    /// 0 is real time; 1 to 6 make a day of one hour, thirty, five and one minutes, thirty seconds
    /// and one second; 10 to 13 and 15 make a month of an hour, thirty, fifteen and five minutes and
    /// thirty seconds.
    public var realSecondsOfMonth: Int? {
        switch self {
        case .monthSeconds(let seconds):
            (1...SandboxClock.realMonthSeconds).contains(seconds) ? seconds : nil
        case .apple(let number): Self.appleRates[number]
        }
    }

    private static let appleRates = [
        0: SandboxClock.realMonthSeconds, 1: 108_000, 2: 54_000, 3: 9000, 4: 1800, 5: 900, 6: 30,
        10: 3600, 11: 1800, 12: 900, 13: 300, 15: 30,
    ]
}

extension SandboxState {
    /// The time on the sandbox's clock at a real moment: that moment, until it was set.
    public func now(at real: Timestamp) -> Timestamp {
        clock?.now(at: real) ?? min(real, SandboxClock.end)
    }

    /// The clock as it is at a real moment.
    public func testClock(at real: Timestamp) -> TestClock {
        TestClock(now: now(at: real), nextEventAt: nextDue?.at)
    }

    /// How many real milliseconds pass before the next event is due; nil if none ever is.
    public func realMillisecondsUntilNextDue(at real: Timestamp) -> Int64? {
        guard let at = nextDue?.at else { return nil }
        let clock =
            clock
            ?? SandboxClock(setAt: real, shown: real, monthSeconds: SandboxClock.realMonthSeconds)
        return clock.realMilliseconds(until: at, at: real)
    }

    /// The record that makes the clock run at the rate of some settings, from what it shows now; nil
    /// if it does so already.
    public func decide(rateOf settings: StoreTestSettings, at real: Timestamp) -> SandboxEvent? {
        let seconds = settings.timeRate.realSecondsOfMonth ?? SandboxClock.realMonthSeconds
        guard seconds != clock?.monthSeconds ?? SandboxClock.realMonthSeconds else { return nil }
        return .clockSet(
            SandboxClock(setAt: real, shown: now(at: real), monthSeconds: seconds))
    }

    /// The record that sets the clock forward; nil if it shows the moment already.
    func decide(clockAt moment: Timestamp, real: Timestamp) -> SandboxEvent? {
        guard moment > now(at: real) else { return nil }
        let seconds = clock?.monthSeconds ?? SandboxClock.realMonthSeconds
        return .clockSet(
            SandboxClock(
                setAt: real, shown: min(moment, SandboxClock.end), monthSeconds: seconds))
    }
}

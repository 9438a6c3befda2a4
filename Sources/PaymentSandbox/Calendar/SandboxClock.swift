public import PaymentCore
public import SandboxControl

/// The sandbox's own clock, as the journal stores it: the time that it showed at a real time, and its
/// rate since then.
///
/// The clock also runs while no process does. It never goes back: if real time was set back, the clock
/// stops until real time has caught up.
public struct SandboxClock: Sendable, Hashable {
    /// The real time when the clock was set.
    public var setAt: Timestamp
    /// The time that the clock showed then.
    public var shown: Timestamp
    /// The real seconds of a month of thirty days.
    public var monthSeconds: Int

    /// Real seconds of a month in real time.
    public static let realMonthSeconds = 2_592_000

    /// The latest time that can be written; no event is due then or later.
    public static let end = Timestamp(milliseconds: 253_402_300_799_999)

    /// Creates a clock.
    public init(setAt: Timestamp, shown: Timestamp, monthSeconds: Int) {
        self.setAt = setAt
        self.shown = shown
        self.monthSeconds = max(1, monthSeconds)
    }

    /// The time that the clock shows at a real time.
    public func now(at real: Timestamp) -> Timestamp {
        let elapsed = max(0, real.milliseconds - setAt.milliseconds)
        let (product, overflow) = elapsed.multipliedReportingOverflow(
            by: Int64(Self.realMonthSeconds))
        guard !overflow else { return Self.end }
        let (sum, isBeyond) = shown.milliseconds.addingReportingOverflow(
            product / Int64(monthSeconds))
        return isBeyond ? Self.end : min(Timestamp(milliseconds: sum), Self.end)
    }

    /// The first real time when the clock shows a time or a later one, at most ``end``.
    public func realTime(of moment: Timestamp) -> Timestamp {
        let rest = max(0, moment.milliseconds - shown.milliseconds)
        let (product, overflow) = rest.multipliedReportingOverflow(by: Int64(monthSeconds))
        guard !overflow else { return Self.end }
        let (quotient, remainder) = product.quotientAndRemainder(
            dividingBy: Int64(Self.realMonthSeconds))
        let real = setAt.milliseconds + quotient + (remainder > 0 ? 1 : 0)
        return min(Timestamp(milliseconds: real), Self.end)
    }
}

extension TimeRate {
    /// The real seconds of a month of thirty days; nil for a number that StoreKit does not have.
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
    /// The time of the sandbox's clock at a real time; the same time until the clock is set.
    public func now(at real: Timestamp) -> Timestamp {
        clock?.now(at: real) ?? min(real, SandboxClock.end)
    }

    /// The clock at a real time.
    public func testClock(at real: Timestamp) -> TestClock {
        TestClock(now: now(at: real), nextEventAt: nextDue?.at)
    }

    /// The real time when the next event is due; nil if none is.
    var nextDueAt: Timestamp? { nextDue.map { clock?.realTime(of: $0.at) ?? $0.at } }

    /// The event that sets the clock to the rate of the settings, at its current time; nil if the clock
    /// has that rate.
    public func decide(rateOf settings: StoreTestSettings, at real: Timestamp) -> SandboxEvent? {
        let seconds = settings.timeRate.realSecondsOfMonth ?? SandboxClock.realMonthSeconds
        guard seconds != clock?.monthSeconds ?? SandboxClock.realMonthSeconds else { return nil }
        return .clockSet(
            SandboxClock(setAt: real, shown: now(at: real), monthSeconds: seconds))
    }

    /// The event that advances the clock to a time; nil if the clock shows that time or a later one.
    func decide(clockAt moment: Timestamp, real: Timestamp) -> SandboxEvent? {
        guard moment > now(at: real) else { return nil }
        let seconds = clock?.monthSeconds ?? SandboxClock.realMonthSeconds
        return .clockSet(
            SandboxClock(
                setAt: real, shown: min(moment, SandboxClock.end), monthSeconds: seconds))
    }
}

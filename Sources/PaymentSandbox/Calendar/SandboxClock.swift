public import PaymentCore
public import SandboxControl

/// The sandbox's own clock, as the journal stores it: a displayed time at a real time, and a rate
/// from then on.
///
/// It continues while no process runs. It never goes back: if the real time is set back, the clock
/// stops until the real time has caught up.
public struct SandboxClock: Sendable, Hashable {
    /// The real time when the clock was last set.
    public var setAt: Timestamp
    /// The displayed time at `setAt`.
    public var shown: Timestamp
    /// The number of real seconds for thirty days of displayed time.
    public var monthSeconds: Int

    /// The value of `monthSeconds` for real time.
    public static let realMonthSeconds = 2_592_000

    /// The last representable time; no event is due at or after it.
    public static let end = Timestamp(milliseconds: 253_402_300_799_999)

    /// Creates a clock.
    public init(setAt: Timestamp, shown: Timestamp, monthSeconds: Int) {
        self.setAt = setAt
        self.shown = shown
        self.monthSeconds = max(1, monthSeconds)
    }

    /// The displayed time at a real time.
    public func now(at real: Timestamp) -> Timestamp {
        let elapsed = max(0, real.milliseconds - setAt.milliseconds)
        let (product, overflow) = elapsed.multipliedReportingOverflow(
            by: Int64(Self.realMonthSeconds))
        guard !overflow else { return Self.end }
        let (sum, isBeyond) = shown.milliseconds.addingReportingOverflow(
            product / Int64(monthSeconds))
        return isBeyond ? Self.end : min(Timestamp(milliseconds: sum), Self.end)
    }

    /// The number of real milliseconds until the clock shows a time; 0 if it already does.
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
    /// The number of real seconds for thirty days; nil for an unknown Apple rate.
    ///
    /// Rate 0 is real time. Rates 1 to 6 make one day last one hour, 30, 5 and 1 minutes, 30
    /// seconds and 1 second. Rates 10 to 13 and 15 make one month last one hour, 30, 15 and 5
    /// minutes and 30 seconds.
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
    /// The sandbox's time at a real time; the real time itself until the clock is set.
    public func now(at real: Timestamp) -> Timestamp {
        clock?.now(at: real) ?? min(real, SandboxClock.end)
    }

    /// The clock at a real time.
    public func testClock(at real: Timestamp) -> TestClock {
        TestClock(now: now(at: real), nextEventAt: nextDue?.at)
    }

    /// The number of real milliseconds until the next due event; nil if there is none.
    public func realMillisecondsUntilNextDue(at real: Timestamp) -> Int64? {
        guard let at = nextDue?.at else { return nil }
        let clock =
            clock
            ?? SandboxClock(setAt: real, shown: real, monthSeconds: SandboxClock.realMonthSeconds)
        return clock.realMilliseconds(until: at, at: real)
    }

    /// The event that sets the clock to the rate of the settings, from its displayed time; nil if
    /// the rate is already correct.
    public func decide(rateOf settings: StoreTestSettings, at real: Timestamp) -> SandboxEvent? {
        let seconds = settings.timeRate.realSecondsOfMonth ?? SandboxClock.realMonthSeconds
        guard seconds != clock?.monthSeconds ?? SandboxClock.realMonthSeconds else { return nil }
        return .clockSet(
            SandboxClock(setAt: real, shown: now(at: real), monthSeconds: seconds))
    }

    /// Advances the clock to the next due event and decides that event, or advances to the limit if
    /// none is due by then.
    ///
    /// - Returns: The events in order. The clock is set first, so that a journal cut in between
    ///   contains a due event and not a future one.
    public func decideAdvance(
        to limit: Timestamp, as id: OrderID, in store: StoreCatalogue, at real: Timestamp
    ) -> [SandboxEvent] {
        let due = decideNextDue(by: limit, as: id, in: store)
        let moment = due == nil ? limit : nextDue?.at ?? limit
        return [decide(clockAt: moment, real: real), due].compactMap { $0 }
    }

    private func decide(clockAt moment: Timestamp, real: Timestamp) -> SandboxEvent? {
        guard moment > now(at: real) else { return nil }
        let seconds = clock?.monthSeconds ?? SandboxClock.realMonthSeconds
        return .clockSet(
            SandboxClock(
                setAt: real, shown: min(moment, SandboxClock.end), monthSeconds: seconds))
    }
}

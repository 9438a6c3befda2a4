public import PaymentCore

extension SubscriptionPeriod {
    /// The time that is this many periods after another.
    ///
    /// Months and years are those of the calendar: the day of the month is that of `anchor`, or the last
    /// day of a shorter month. The periods count from the anchor, so that the 31st returns after a
    /// February.
    ///
    /// - Parameters:
    ///   - count: The number of periods; 0 returns the anchor.
    ///   - anchor: The beginning of the first period.
    /// - Returns: The end of the last period, at the anchor's time of the day (UTC), and never
    ///   beyond ``SandboxClock/end``.
    public func end(ofPeriod count: Int, from anchor: Timestamp) -> Timestamp {
        let (units, overflow) = numberOfUnits.multipliedReportingOverflow(by: count)
        guard !overflow, units < Self.mostUnits else { return SandboxClock.end }
        let day = anchor.dayAndRest.day
        let date: CivilDate
        switch unit {
        case .day: date = CivilDate(daysSince1970: day + units)
        case .week: date = CivilDate(daysSince1970: day + 7 * units)
        case .month: date = CivilDate(daysSince1970: day).adding(months: units)
        case .year: date = CivilDate(daysSince1970: day).adding(months: 12 * units)
        }
        let milliseconds = Int64(date.daysSince1970) * Timestamp.dayMs + anchor.dayAndRest.rest
        return min(Timestamp(milliseconds: milliseconds), SandboxClock.end)
    }

    /// The days of the grace period, if it is enabled: sixteen, or six for periods of at most a week.
    var gracePeriodDays: Int64 {
        switch unit {
        case .day where numberOfUnits <= 7, .week where numberOfUnits == 1: 6
        case .day, .week, .month, .year: 16
        }
    }

    /// More units than the representable years have days.
    private static let mostUnits = 4_000_000
}

extension Timestamp {
    static let dayMs: Int64 = 86_400_000

    /// The day since 1970 and the milliseconds into it.
    fileprivate var dayAndRest: (day: Int, rest: Int64) {
        let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.dayMs)
        return rest < 0 ? (Int(quotient) - 1, rest + Self.dayMs) : (Int(quotient), rest)
    }

    /// The time this many days of 24 hours later.
    func advanced(byDays days: Int64) -> Timestamp {
        min(Timestamp(milliseconds: milliseconds + days * Self.dayMs), SandboxClock.end)
    }
}

extension CivilDate {
    /// The same day this many months later, or the last day of a shorter month.
    fileprivate func adding(months: Int) -> CivilDate {
        let index = year * 12 + (month - 1) + months
        let (year, month) = (index / 12, index % 12 + 1)
        return CivilDate(
            year: year, month: month, day: min(day, Self.days(ofMonth: month, year: year)))
    }

    private static func days(ofMonth month: Int, year: Int) -> Int {
        let next = month == 12 ? (year + 1, 1) : (year, month + 1)
        return CivilDate(year: next.0, month: next.1, day: 1).daysSince1970
            - CivilDate(year: year, month: month, day: 1).daysSince1970
    }
}

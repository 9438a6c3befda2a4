public import PaymentCore

extension SubscriptionPeriod {
    /// The moment that lies so many of these periods after another.
    ///
    /// Months and years are those of the calendar: the day of the month stays that of `anchor`
    /// wherever the month has it, and is the last of the month elsewhere. Counting from the anchor
    /// each time is what brings the 31st back after a February.
    ///
    /// - Parameters:
    ///   - count: How many periods; 0 is the anchor itself.
    ///   - anchor: Where the first period begins.
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

    /// How long a subscription continues while its renewal cannot be paid, where that is switched on:
    /// sixteen days, or six for a week and less.
    var gracePeriodDays: Int64 {
        switch unit {
        case .day where numberOfUnits <= 7, .week where numberOfUnits == 1: 6
        case .day, .week, .month, .year: 16
        }
    }

    /// More units than the years that a moment can be written in have days.
    private static let mostUnits = 4_000_000
}

extension Timestamp {
    static let dayMs: Int64 = 86_400_000

    /// The day since 1970 and the milliseconds into it.
    fileprivate var dayAndRest: (day: Int, rest: Int64) {
        let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.dayMs)
        return rest < 0 ? (Int(quotient) - 1, rest + Self.dayMs) : (Int(quotient), rest)
    }

    /// The moment that lies so many days of 24 hours later.
    func advanced(byDays days: Int64) -> Timestamp {
        min(Timestamp(milliseconds: milliseconds + days * Self.dayMs), SandboxClock.end)
    }
}

extension CivilDate {
    /// The same day so many months later, or the last of that month where it has no such day.
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

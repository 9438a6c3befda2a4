/// A wall-clock time: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Wall-clock time is only data here. The queue never waits for it; deadlines use the monotonic
/// clock of the engine.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates a timestamp from milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time `seconds` seconds later.
    public func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + seconds * 1000)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, always 24 bytes: `2026-11-21T07:20:00.000Z`.
    ///
    /// Years outside 0...9999 are clamped, because the text has four digits for them.
    public var description: String { quoted.textBetweenQuotes }

    /// The text of ``description`` in quotation marks, as in JSON. It is built without a string or
    /// an array, because every journal line and most messages contain timestamps.
    public var quoted: InlineArray<26, UInt8> {
        let clamped = min(max(milliseconds, Self.first), Self.last)
        let (days, rest) = UInt64(clamped - Self.first).quotientAndRemainder(dividingBy: 86_400_000)
        let date = CivilDate(daysSince1970: Int(days) + Self.firstDay)
        // 32-bit divisions are faster than 64-bit divisions.
        let (year, inDay) = (UInt32(date.year), UInt32(rest))
        var text = InlineArray<26, UInt8>(repeating: UInt8(ascii: "\""))
        text.put(twoDigits: year / 100, at: 1)
        text.put(twoDigits: year % 100, at: 3)
        text[5] = UInt8(ascii: "-")
        text.put(twoDigits: UInt32(date.month), at: 6)
        text[8] = UInt8(ascii: "-")
        text.put(twoDigits: UInt32(date.day), at: 9)
        text[11] = UInt8(ascii: "T")
        text.put(twoDigits: inDay / 3_600_000, at: 12)
        text[14] = UInt8(ascii: ":")
        text.put(twoDigits: inDay / 60_000 % 60, at: 15)
        text[17] = UInt8(ascii: ":")
        text.put(twoDigits: inDay / 1000 % 60, at: 18)
        text[20] = UInt8(ascii: ".")
        text.put(twoDigits: inDay % 1000 / 10, at: 21)
        text[23] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: inDay % 10)
        text[24] = UInt8(ascii: "Z")
        return text
    }

    /// Reads exactly the text that ``description`` writes; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        self.init(utf8: bytes.span)
    }

    /// Reads exactly the text that ``description`` writes; nil for anything else.
    public init?(utf8 text: Span<UInt8>) {
        guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
            text[23] == UInt8(ascii: "Z"),
            let year = text.number(0..<4), let month = text.number(5..<7),
            let day = text.number(8..<10), let hour = text.number(11..<13),
            let minute = text.number(14..<16), let second = text.number(17..<19),
            let millisecond = text.number(20..<23),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        // Without this check, day 31 of a short month would be read as a day of the next month.
        guard day <= 28 || CivilDate(daysSince1970: days).month == month else { return nil }
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        self.init(milliseconds: seconds * 1000 + Int64(millisecond))
    }

    /// The first day of the year 0, and the first and the last millisecond that have a text.
    private static let firstDay = -719_528
    private static let first = Int64(firstDay) * 86_400_000
    private static let last = Int64(2_932_897) * 86_400_000 - 1
}

/// A date of the proleptic Gregorian calendar, converted with integer arithmetic only.
public struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    public var year: Int
    /// The month, 1 to 12.
    public var month: Int
    /// The day of the month, from 1.
    public var day: Int

    /// Creates a date from its parts without checking them.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date `days` days after 1970-01-01. Eras of 400 years begin in March, so that the leap
    /// day is the last day of its year.
    public init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = Int(Int64(shifted).floorDivided(by: 146_097))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to this date.
    public var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Int(Int64(marchYear).floorDivided(by: 400))
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity, so that days before 1970 are correct.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension InlineArray where Element == UInt8 {
    /// Writes a number below 100 as two digits.
    fileprivate mutating func put(twoDigits value: UInt32, at position: Int) {
        self[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
        self[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }

    /// The text without the quotation marks around it.
    var textBetweenQuotes: String {
        String(decoding: (1..<count - 1).map { self[$0] }, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// The number of the digits in a range; nil if one of them is not a digit.
    fileprivate func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

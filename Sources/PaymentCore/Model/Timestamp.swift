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
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the RFC 3339 text without allocating a string.
    ///
    /// Years outside 0...9999 are clamped, because the text has four digits for them.
    public func append(to bytes: inout [UInt8]) {
        let clamped = min(max(milliseconds, Self.first), Self.last)
        let days = clamped.floorDivided(by: 86_400_000)
        let inDay = Int(clamped - days * 86_400_000)
        let date = CivilDate(daysSince1970: Int(days))
        bytes.appendDigits(date.year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(date.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(date.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.appendDigits(inDay / 3_600_000, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(inDay / 60_000 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(inDay / 1000 % 60, width: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.appendDigits(inDay % 1000, width: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Reads exactly the text that ``description`` writes; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."),
            bytes[23] == UInt8(ascii: "Z"),
            let year = bytes.number(0..<4), let month = bytes.number(5..<7),
            let day = bytes.number(8..<10), let hour = bytes.number(11..<13),
            let minute = bytes.number(14..<16), let second = bytes.number(17..<19),
            let millisecond = bytes.number(20..<23),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        let seconds = Int64(date.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        self.init(milliseconds: seconds * 1000 + Int64(millisecond))
    }

    private static let first =
        Int64(CivilDate(year: 0, month: 1, day: 1).daysSince1970) * 86_400_000
    private static let last =
        (Int64(CivilDate(year: 9999, month: 12, day: 31).daysSince1970) + 1) * 86_400_000 - 1
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

extension [UInt8] {
    /// Appends a non-negative number with leading zeros.
    fileprivate mutating func appendDigits(_ value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        var rest = value
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(rest / divisor % 10))
            rest %= divisor
            divisor /= 10
        }
    }

    /// The decimal number in a range of bytes; nil if a byte is not a digit.
    fileprivate func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for byte in self[range] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

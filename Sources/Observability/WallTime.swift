internal import Glibc

/// A calendar time for display only; no decision depends on it.
struct WallTime: Sendable, Hashable {
    var seconds: Int
    var nanoseconds: Int

    @Sendable static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// The time in RFC 3339 and UTC, truncated to milliseconds.
    var rfc3339: String {
        var seconds = time_t(seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [
            Self.padded(Int(parts.tm_year) + 1900, 4), Self.padded(Int(parts.tm_mon) + 1, 2),
            Self.padded(Int(parts.tm_mday), 2),
        ]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), 2) }
        let milliseconds = Self.padded(nanoseconds / 1_000_000, 3)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(milliseconds)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

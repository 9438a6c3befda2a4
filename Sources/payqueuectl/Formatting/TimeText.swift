import Glibc
import PaymentCore
import StrictJSON

/// Times in words.
enum TimeText {
    /// Day and time without fractions, in UTC; empty if there is none.
    static func short(_ time: JSONValue?) -> String {
        guard let text = time?.stringValue else { return "" }
        return String(text.prefix(19)).replacing("T", with: " ")
    }

    /// How long ago a time was, in its largest unit, as `5m`; `in 25s` for a time to come. A time in
    /// another form stays as it is, none is empty.
    static func age(_ time: JSONValue?, now: Timestamp = .now) -> String {
        guard let moment = time?.stringValue.flatMap({ Timestamp($0) }) else { return short(time) }
        let seconds = (now.milliseconds - moment.milliseconds) / 1000
        return seconds < 0 ? "in \(span(-seconds))" : span(seconds)
    }

    private static func span(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7200: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}

extension Timestamp {
    /// The time of day.
    static var now: Timestamp {
        var time = timeval()
        gettimeofday(&time, nil)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_usec) / 1000)
    }
}

import Glibc
import PaymentCore
import StrictJSON

/// Times as text.
enum TimeText {
    /// Date and time without fractions, in UTC; empty without a time.
    static func short(_ time: JSONValue?) -> String {
        guard let text = time?.stringValue else { return "" }
        return String(text.prefix(19)).replacing("T", with: " ")
    }

    /// The age of a time in its largest unit, such as `5m`; `in 25s` for a future time. Unknown
    /// formats stay unchanged, and no time gives an empty text.
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
    /// The current wall-clock time.
    static var now: Timestamp {
        var time = timeval()
        gettimeofday(&time, nil)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_usec) / 1000)
    }
}

import PaymentCore
import PaymentSandbox
import SandboxControl

/// A test setting with more values than on and off, with one of its values.
enum StoreValue: Sendable, Hashable {
    /// The rate of the store's clock for subscriptions.
    case timeRate(TimeRate)
    /// The delay of every answer, in milliseconds.
    case latency(Int)
    /// The error of purchases while purchases fail.
    case failure(FailureWord)
    /// The simulated error of a call; nil for none.
    case error(SimulatedCall, StoreFailure.Kind?)

    /// The maximum delay of an answer, in milliseconds.
    static let longestLatency = 600_000

    /// The current values, one of each setting.
    static func all(in settings: StoreTestSettings) -> [StoreValue] {
        [
            .timeRate(settings.timeRate), .latency(settings.latencyMs),
            .failure(FailureWord(rawValue: settings.failureError) ?? .declined),
        ] + SimulatedCall.allCases.map { .error($0, settings.simulatedErrors[$0]) }
    }

    /// Reads the text of a setting and its value from a form or a query.
    ///
    /// - Returns: The value; nil if the setting is unknown or the value is not permitted.
    init?(setting: String, text: String) {
        switch setting {
        case "timeRate":
            guard let rate = TimeRate(pageText: text) else { return nil }
            self = .timeRate(rate)
        case "latencyMs":
            guard let delay = Int(text), (0...Self.longestLatency).contains(delay) else {
                return nil
            }
            self = .latency(delay)
        case "failureError":
            guard let word = FailureWord(rawValue: text) else { return nil }
            self = .failure(word)
        default:
            let call = setting.split(separator: "-", maxSplits: 1).last.flatMap {
                SimulatedCall(rawValue: String($0))
            }
            guard setting.hasPrefix("error-"), let call else { return nil }
            let kind = StoreFailure.Kind(rawValue: text)
            guard kind.map(call.failures.contains) ?? (text == Self.noError) else { return nil }
            self = .error(call, kind)
        }
    }

    /// The name of the setting for ``init(setting:text:)``.
    var setting: String {
        switch self {
        case .timeRate: "timeRate"
        case .latency: "latencyMs"
        case .failure: "failureError"
        case .error(let call, _): "error-\(call.rawValue)"
        }
    }

    /// The text of the value for ``init(setting:text:)``.
    var text: String {
        switch self {
        case .timeRate(let rate): rate.pageText
        case .latency(let delay): "\(delay)"
        case .failure(let word): word.rawValue
        case .error(_, let kind): kind?.rawValue ?? Self.noError
        }
    }

    /// The current value of the same setting.
    func current(in settings: StoreTestSettings) -> StoreValue? {
        Self.all(in: settings).first { $0.setting == setting }
    }

    /// The values to choose from, including this one; empty if any number is permitted.
    var choices: [StoreValue] {
        let values: [StoreValue] =
            switch self {
            case .timeRate: TimeRate.proposals.map { .timeRate($0) }
            case .latency: []
            case .failure: FailureWord.allCases.map { .failure($0) }
            case .error(let call, _): ([nil] + call.failures).map { .error(call, $0) }
            }
        return values.isEmpty || values.contains(self) ? values : values + [self]
    }

    /// Whether the value makes the store behave abnormally.
    var isUnusual: Bool {
        switch self {
        case .timeRate(let rate): rate.realSecondsOfMonth != SandboxClock.realMonthSeconds
        case .latency(let delay): delay > 0
        case .failure: false
        case .error(_, let kind): kind != nil
        }
    }

    /// The change that sets the value.
    var change: StoreTestSettingsChange {
        var change = StoreTestSettingsChange()
        switch self {
        case .timeRate(let rate): change.timeRate = rate
        case .latency(let delay): change.latencyMs = delay
        case .failure(let word): change.failureError = word.rawValue
        case .error(let call, let kind): change.simulatedErrors = [call: kind]
        }
        return change
    }

    private static let noError = "none"
}

// MARK: Texts

extension StoreValue {
    /// The name of the setting.
    var name: String {
        switch self {
        case .timeRate: "Length of a month"
        case .latency: "Delay of answers"
        case .failure: "Error of failed purchases"
        case .error(let call, _): "Error of \(call.noun)"
        }
    }

    /// The name of the value.
    var label: String {
        switch self {
        case .timeRate(let rate): rate.label
        case .latency(let delay): delay == 0 ? "none" : "\(delay.grouped) ms"
        case .failure(let word): Self.words(of: word.rawValue)
        case .error(_, let kind): kind.map { Self.words(of: $0.rawValue) } ?? Self.noError
        }
    }

    /// The behaviour of the store with this value.
    var meaning: String {
        switch self {
        case .timeRate(let rate):
            isUnusual
                ? "A month of a subscription lasts \(rate.label)."
                : "Subscriptions renew in real time."
        case .latency(let delay):
            delay == 0
                ? "The store answers at once."
                : "The store delays every answer by \(delay.grouped) ms."
        case .failure:
            "While purchases are set to fail, their error is '\(label)'."
        case .error(let call, let kind):
            kind == nil
                ? "No error of \(call.noun) is simulated."
                : "The store answers \(call.noun) with the error '\(label)'."
        }
    }

    /// Whether the change can be undone, in a sentence.
    var undo: String {
        guard case .timeRate = self else { return "You can undo this." }
        return "You can undo this; time that has passed stays passed."
    }

    /// The words of a camel-case name in lower case.
    private static func words(of name: String) -> String {
        var words = ""
        for letter in name {
            if letter.isUppercase { words.append(" ") }
            words.append(contentsOf: letter.lowercased())
        }
        return words
    }
}

extension SimulatedCall {
    /// The name of these calls on the pages.
    fileprivate var noun: String {
        switch self {
        case .products: "product requests"
        case .purchase: "purchases"
        case .completion: "completions"
        case .restore: "restores"
        case .reconciliation: "reconciliations"
        case .history: "requests for the signed history"
        case .login: "logins"
        }
    }
}

extension TimeRate {
    /// The rates that the page suggests.
    fileprivate static let proposals: [TimeRate] =
        [.apple(0)] + [86_400, 3600, 900, 300, 60, 30, 5, 2].map { .monthSeconds($0) }

    /// Reads the output of ``pageText``; nil for a rate that the store's clock does not support.
    fileprivate init?(pageText: String) {
        let parts = pageText.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[1]) else { return nil }
        switch parts[0] {
        case "apple": self = .apple(number)
        case "seconds": self = .monthSeconds(number)
        default: return nil
        }
        guard realSecondsOfMonth != nil else { return nil }
    }

    /// The rate in forms and addresses.
    fileprivate var pageText: String {
        switch self {
        case .apple(let number): "apple-\(number)"
        case .monthSeconds(let seconds): "seconds-\(seconds)"
        }
    }

    /// The length of a month.
    fileprivate var label: String {
        let seconds = realSecondsOfMonth ?? SandboxClock.realMonthSeconds
        func count(_ unit: Int, _ noun: String) -> String {
            "\((seconds / unit).grouped) \(noun)\(seconds / unit == 1 ? "" : "s")"
        }
        switch seconds {
        case SandboxClock.realMonthSeconds: return "a real month"
        case _ where seconds.isMultiple(of: 86_400): return count(86_400, "day")
        case _ where seconds.isMultiple(of: 3600): return count(3600, "hour")
        case _ where seconds.isMultiple(of: 60): return count(60, "minute")
        default: return count(1, "second")
        }
    }
}

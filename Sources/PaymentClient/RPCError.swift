public import StrictJSON

/// An error reply of the daemon.
///
/// ``code`` alone identifies the failure; ``kind`` is its name. ``retry`` and ``effect`` show how
/// to react. ``message`` is for users and may change between versions.
public struct RPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The method that was called.
    public let method: String
    /// The code that identifies the failure.
    public let code: Int
    /// The sentence for users.
    public let message: String
    /// All data of the error: the members below and the identifiers concerned.
    public let data: JSONValue

    /// Creates the error from the `error` member of a reply. Missing members get defaults.
    ///
    /// - Parameters:
    ///   - error: The `error` member.
    ///   - method: The method that was called.
    public init(_ error: JSONValue, method: String) {
        self.method = method
        code = error["code"]?.intValue.flatMap(Int.init(exactly:)) ?? 0
        message = error["message"]?.stringValue ?? "an error without a message"
        data = error["data"] ?? .null
    }

    /// The stable name of the failure, such as `unknownProduct`; empty if the daemon sent none.
    public var kind: String { data["kind"]?.stringValue ?? "" }

    /// The use of a retry.
    public var retry: Retry { data["retry"]?.stringValue.map(Retry.init(rawValue:)) ?? .no }

    /// The wait before a retry; nil if the daemon sent none.
    public var retryAfter: Duration? {
        data["retryAfterMs"]?.intValue.map { .milliseconds($0) }
    }

    /// The effect of the call before it failed.
    public var effect: Effect {
        data["effect"]?.stringValue.map(Effect.init(rawValue:)) ?? .unknown
    }

    /// The attempt, the cause and the code; without a full stop.
    public var description: String {
        let word = kind.isEmpty ? "" : ", \(kind)"
        let reason = message.hasSuffix(".") ? message.dropLast() : message[...]
        return "cannot call '\(method)': \(reason) (code \(code)\(word))"
    }

    /// The use of a retry. Unknown words are preserved, because later daemons may add some.
    public struct Retry: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Wraps a word from the wire.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same call would fail again.
        public static let no = Retry(rawValue: "no")
        /// The same call, with the same key, may be repeated at once.
        public static let same = Retry(rawValue: "same")
        /// The same call may be repeated after a wait; see ``RPCError/retryAfter``.
        public static let later = Retry(rawValue: "later")
    }

    /// The effect of a failed call. Unknown words are preserved.
    public struct Effect: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Wraps a word from the wire.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nothing changed.
        public static let none = Effect(rawValue: "none")
        /// The change was made, although the call failed.
        public static let done = Effect(rawValue: "done")
        /// The outcome is unknown; repeating the call with the same key reveals it.
        public static let unknown = Effect(rawValue: "unknown")
    }
}

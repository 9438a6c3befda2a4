public import StrictJSON

/// The daemon answered a call with an error.
///
/// ``code`` alone says which failure it is; ``kind`` is its word, and ``retry`` and ``effect`` say
/// what to do about it. ``message`` is for people and may change from one version to the next.
public struct RPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The method that was called.
    public let method: String
    /// The number that identifies the failure.
    public let code: Int
    /// A sentence for people.
    public let message: String
    /// Everything that the daemon added: the members below and the ids concerned.
    public let data: JSONValue

    /// Makes the error from the `error` member of a reply, tolerating what is missing in it.
    ///
    /// - Parameters:
    ///   - error: The member as it came.
    ///   - method: The method that was called.
    public init(_ error: JSONValue, method: String) {
        self.method = method
        code = error["code"]?.intValue.flatMap(Int.init(exactly:)) ?? 0
        message = error["message"]?.stringValue ?? "an error without a message"
        data = error["data"] ?? .null
    }

    /// The stable word of the failure, such as `unknownProduct`; empty if the daemon gave none.
    public var kind: String { data["kind"]?.stringValue ?? "" }

    /// Whether asking again can help.
    public var retry: Retry { data["retry"]?.stringValue.map(Retry.init(rawValue:)) ?? .no }

    /// How long to wait before asking again, if the daemon knows.
    public var retryAfter: Duration? {
        data["retryAfterMs"]?.intValue.map { .milliseconds($0) }
    }

    /// Whether the call changed anything before it failed.
    public var effect: Effect {
        data["effect"]?.stringValue.map(Effect.init(rawValue:)) ?? .unknown
    }

    /// The attempt, the reason of its failure, and the code; without a full stop.
    public var description: String {
        let word = kind.isEmpty ? "" : ", \(kind)"
        let reason = message.hasSuffix(".") ? message.dropLast() : message[...]
        return "cannot call '\(method)': \(reason) (code \(code)\(word))"
    }

    /// The use of a retry. Unknown words are kept: later daemons may know more of them.
    public struct Retry: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Takes the word as it came.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same call will be refused again.
        public static let no = Retry(rawValue: "no")
        /// The same call, with the same key, may be sent at once.
        public static let same = Retry(rawValue: "same")
        /// The same call may be sent after a while, see ``RPCError/retryAfter``.
        public static let later = Retry(rawValue: "later")
    }

    /// The changes that a failed call left behind. Unknown words are kept.
    public struct Effect: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Takes the word as it came.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nothing changed.
        public static let none = Effect(rawValue: "none")
        /// The change was made, although the call failed.
        public static let done = Effect(rawValue: "done")
        /// The outcome is unknown; repeating the call with the same key settles it.
        public static let unknown = Effect(rawValue: "unknown")
    }
}

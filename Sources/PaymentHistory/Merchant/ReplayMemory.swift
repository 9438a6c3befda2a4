public import PaymentCore

/// Remembers which tokens were used, each until it would not be accepted anyway.
public struct ReplayMemory: Sendable {
    /// A token: two merchants may use the same `jti`. Compared by bytes: texts that only look the same,
    /// or that Unicode calls equivalent, name two tokens.
    public struct Token: Sendable, Hashable {
        /// Whose.
        public var merchant: String
        /// The `jti`.
        public var id: String

        /// Names a token.
        public init(merchant: String, id: String) {
            self.merchant = merchant
            self.id = id
        }

        /// Whether they are the same, byte for byte.
        public static func == (left: Token, right: Token) -> Bool {
            left.id.utf8.elementsEqual(right.id.utf8)
                && left.merchant.utf8.elementsEqual(right.merchant.utf8)
        }

        /// Hashes the bytes.
        public func hash(into hasher: inout Hasher) {
            for text in [merchant, id] {
                hasher.combine(text.utf8.count)
                for byte in text.utf8 { hasher.combine(byte) }
            }
        }
    }

    /// Most tokens that are remembered at a time.
    public let limit: Int
    /// How much longer than needed a token is remembered, in seconds: a clock that is set back a
    /// little does not bring tokens back to life.
    private static let extraSeconds: Int64 = 60

    private var tokens: Set<Token> = []
    private var ends: [Int64: [Token]] = [:]

    /// A memory of nothing.
    public init(limit: Int = 200_000) {
        self.limit = limit
    }

    /// How many tokens are remembered.
    public var count: Int { tokens.count }

    /// Whether a token was used before.
    public func contains(_ token: Token) -> Bool { tokens.contains(token) }

    /// Whether another token can be remembered at a moment.
    public mutating func hasRoom(at now: Timestamp) -> Bool {
        forget(before: now.milliseconds / 1000)
        return tokens.count < limit
    }

    /// Remembers a token until it has ended.
    ///
    /// - Returns: False if it was used before, or if there is no room.
    public mutating func remember(_ token: Token, until end: Timestamp, now: Timestamp) -> Bool {
        guard hasRoom(at: now), tokens.insert(token).inserted else { return false }
        ends[end.milliseconds / 1000 + Self.extraSeconds, default: []].append(token)
        return true
    }

    private mutating func forget(before second: Int64) {
        for past in ends.keys where past < second {
            for token in ends.removeValue(forKey: past) ?? [] { tokens.remove(token) }
        }
    }
}

public import PaymentCore

/// The used tokens, each remembered until it would have expired anyway.
public struct ReplayMemory: Sendable {
    /// A token, identified by merchant and `jti`. Equality is bytewise; Unicode equivalence does
    /// not count.
    public struct Token: Sendable, Hashable {
        /// The Merchant ID.
        public var merchant: String
        /// The token ID, from `jti`.
        public var id: String

        /// Creates a token identity.
        public init(merchant: String, id: String) {
            self.merchant = merchant
            self.id = id
        }

        /// True if both are equal byte for byte.
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

    /// Most tokens that are remembered at the same time.
    public let limit: Int
    /// The time a token is remembered beyond its end, in seconds. It prevents reuse after the clock
    /// was set back a little.
    private static let extraSeconds: Int64 = 60

    private var tokens: Set<Token> = []
    private var ends: [Int64: [Token]] = [:]

    /// Creates an empty memory.
    public init(limit: Int = 200_000) {
        self.limit = limit
    }

    /// The number of remembered tokens.
    public var count: Int { tokens.count }

    /// True if the token was used before.
    public func contains(_ token: Token) -> Bool { tokens.contains(token) }

    /// True if another token can be remembered. It first drops expired tokens.
    public mutating func hasRoom(at now: Timestamp) -> Bool {
        forget(before: now.milliseconds / 1000)
        return tokens.count < limit
    }

    /// Remembers a token until its end.
    ///
    /// - Returns: False if the token was used before or the limit is reached.
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

public import PaymentCore

/// A publisher whose servers may ask for histories.
public struct Merchant: Sendable, Hashable {
    /// A secret that tokens are signed with.
    public struct Secret: Sendable, Hashable {
        /// The Secret Key ID: what tokens name it by. No two secrets of a store share one.
        public var keyID: String
        /// The secret itself; tokens are signed with the bytes of this text.
        public var text: String
        /// When it was issued.
        public var createdAt: Timestamp
        /// From when on it is not accepted any more; nil for a secret that has no end.
        public var endsAt: Timestamp?

        /// Keeps a secret.
        public init(keyID: String, text: String, createdAt: Timestamp, endsAt: Timestamp? = nil) {
            self.keyID = keyID
            self.text = text
            self.createdAt = createdAt
            self.endsAt = endsAt
        }

        /// Whether tokens that it signed are accepted at a moment.
        public func isValid(at moment: Timestamp) -> Bool { endsAt.map { moment < $0 } ?? true }
    }

    /// The Merchant ID.
    public var id: String
    /// The name for people.
    public var name: String
    /// When it was added.
    public var createdAt: Timestamp
    /// When it lost every right; nil while it has them.
    public var revokedAt: Timestamp?
    /// Its secrets, the newest first.
    public var secrets: [Secret]

    /// Adds a merchant.
    public init(
        id: String, name: String, createdAt: Timestamp, revokedAt: Timestamp? = nil,
        secrets: [Secret]
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.secrets = secrets
    }
}

extension Merchant: CustomStringConvertible, CustomDebugStringConvertible {
    /// The merchant without its secrets, which no log may show.
    public var description: String { "merchant \(id)" }
    /// The same.
    public var debugDescription: String { description }
}

extension Merchant.Secret: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name of the secret.
    public var description: String { "secret \(keyID)" }
    /// The same.
    public var debugDescription: String { description }
}

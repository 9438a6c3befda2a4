public import PaymentCore

/// A publisher whose servers may request histories.
public struct Merchant: Sendable, Hashable {
    /// A secret that signs tokens.
    public struct Secret: Sendable, Hashable {
        /// The Secret Key ID, by which tokens name the secret. It is unique in the store.
        public var keyID: String
        /// The secret. Its UTF-8 bytes are the HMAC key.
        public var text: String
        /// The time when the secret was issued.
        public var createdAt: Timestamp
        /// The time from which the secret is no longer accepted; nil if it does not expire.
        public var endsAt: Timestamp?

        /// Creates a secret.
        public init(keyID: String, text: String, createdAt: Timestamp, endsAt: Timestamp? = nil) {
            self.keyID = keyID
            self.text = text
            self.createdAt = createdAt
            self.endsAt = endsAt
        }

        /// True if tokens of this secret are accepted at the moment.
        public func isValid(at moment: Timestamp) -> Bool { endsAt.map { moment < $0 } ?? true }
    }

    /// The Merchant ID.
    public var id: String
    /// The display name.
    public var name: String
    /// The time when the merchant was added.
    public var createdAt: Timestamp
    /// The time when the merchant was revoked; nil if it was not.
    public var revokedAt: Timestamp?
    /// The secrets, newest first.
    public var secrets: [Secret]

    /// Creates a merchant.
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
    /// The merchant without its secrets, which must not appear in logs.
    public var description: String { "merchant \(id)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

extension Merchant.Secret: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name of the secret, without the secret.
    public var description: String { "secret \(keyID)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

/// A waiting transaction in the form of a line of a file, of a product that can be bought again. Its
/// texts are still bytes of the line.
///
/// Nearly all transactions of a long queue wait. The queue packs them from this form without building a
/// `Transaction`, its texts and its references; see ``PaymentQueue/load(_:)``. This type has no
/// references, because counting them would take as long as all other work.
public struct PlainTransaction: Sendable {
    /// The client that caused the last change; without a trace context.
    public struct Author: Sendable {
        /// The user id of the client.
        public var uid: UInt32
        /// The number of the client's name in the batch.
        public var client: Int32?
        /// The number of the connection.
        public var connection: UInt64
        /// The number of the request.
        public var request: UInt64

        /// Creates an author.
        public init(uid: UInt32, client: Int32?, connection: UInt64, request: UInt64) {
            self.uid = uid
            self.client = client
            self.connection = connection
            self.request = request
        }
    }

    /// The identifier.
    public var id: TransactionID
    /// The number of the account in the batch; nil until the next login.
    public var account: Int32?
    /// The number of the recorded product.
    public var product: UInt32
    /// The country of the charge.
    public var country: CountryCode
    /// The range of the idempotency key in the bytes. No byte of it is escaped.
    public var key: Range<Int>?
    /// The range of the application account token in the bytes. No byte of it is escaped.
    public var appAccountToken: Range<Int>?
    /// The number of attempts at the store.
    public var attempt: UInt32
    /// Whether a payment agent has confirmed exactly this product, price and country.
    public var isConfirmed: Bool
    /// The revision.
    public var revision: UInt32
    /// The time of the `add` call.
    public var createdAt: Timestamp
    /// The time of the last change.
    public var updatedAt: Timestamp
    /// The client that caused the last change.
    public var author: Author?
    /// The last of its records that observers receive.
    public var newestEvent: SequenceNumber
    /// The user whose call created it.
    public var user: UInt32?

    /// Creates a transaction from its parts.
    public init(
        id: TransactionID, account: Int32?, product: UInt32, country: CountryCode,
        key: Range<Int>?, appAccountToken: Range<Int>?, attempt: UInt32, isConfirmed: Bool,
        revision: UInt32, createdAt: Timestamp, updatedAt: Timestamp, author: Author?,
        newestEvent: SequenceNumber, user: UInt32?
    ) {
        self.id = id
        self.account = account
        self.product = product
        self.country = country
        self.key = key
        self.appAccountToken = appAccountToken
        self.attempt = attempt
        self.isConfirmed = isConfirmed
        self.revision = revision
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.author = author
        self.newestEvent = newestEvent
        self.user = user
    }
}

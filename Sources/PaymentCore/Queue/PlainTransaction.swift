/// A waiting transaction as a line of a file has it, of a product that can be bought again. Its texts are
/// still bytes of the line.
///
/// Nearly all transactions of a long queue wait. The queue packs them from this form without building a
/// `Transaction`, its texts and its references; see ``PaymentQueue/load(_:in:)``.
public struct PlainTransaction: Sendable {
    /// The client that caused the last change; without a trace context.
    public struct Author: Sendable {
        /// The user id of the client.
        public var uid: UInt32
        /// The name of the client.
        public var client: OpaqueText?
        /// The number of the connection.
        public var connection: UInt64
        /// The number of the request.
        public var request: UInt64

        /// Creates an author.
        public init(uid: UInt32, client: OpaqueText?, connection: UInt64, request: UInt64) {
            self.uid = uid
            self.client = client
            self.connection = connection
            self.request = request
        }
    }

    /// The identifier.
    public var id: TransactionID
    /// The account; nil until the next login.
    public var account: AccountName?
    /// The product.
    public var product: RecordedProduct
    /// The country of the charge.
    public var country: CountryCode
    /// The place of the idempotency key in the bytes.
    public var key: Range<Int>?
    /// The place of the application account token in the bytes.
    public var appAccountToken: Range<Int>?
    /// The number of attempts at the store.
    public var attempt: UInt32
    /// Whether a payment agent has agreed.
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
        id: TransactionID, account: AccountName?, product: RecordedProduct, country: CountryCode,
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

extension PaymentQueue {
    /// Loads waiting transactions of a snapshot, each as ``load(_:)`` does.
    ///
    /// - Parameters:
    ///   - batch: The transactions, in order.
    ///   - bytes: The bytes that have their texts.
    /// - Returns: False if ``load(_:)`` may refuse one of them. The queue is of no use then.
    public mutating func load(_ batch: [PlainTransaction], in bytes: RawSpan) -> Bool {
        insert(batch, bytes)
    }

    /// Applies records that accepted transactions, each as ``apply(_:)`` does.
    ///
    /// - Parameters:
    ///   - batch: The transactions, in order. The newest event of each is its record, and its user that
    ///     of the record.
    ///   - bytes: The bytes that have their texts.
    /// - Returns: False if ``apply(_:)`` may refuse one of them. The queue is of no use then.
    public mutating func apply(added batch: [PlainTransaction], in bytes: RawSpan) -> Bool {
        let account = session?.account
        for plain in batch {
            guard plain.newestEvent > head, plain.revision == 1, plain.account == account,
                isFree(plain.key, bytes)
            else { return false }
            head = plain.newestEvent
        }
        return insert(batch, bytes)
    }

    /// Whether no restore has a key.
    private func isFree(_ key: Range<Int>?, _ bytes: RawSpan) -> Bool {
        guard let key, !restores.keys.isEmpty else { return true }
        return restores.keys[Self.text(key, bytes)] == nil
    }

    private static func text(_ part: Range<Int>, _ bytes: RawSpan) -> OpaqueText {
        // SAFETY: the bytes are copied while the span is valid.
        unsafe bytes.extracting(part).withUnsafeBytes {
            OpaqueText(unsafe String(decoding: $0, as: UTF8.self))
        }
    }

    private mutating func insert(_ batch: [PlainTransaction], _ bytes: RawSpan) -> Bool {
        var hashes: [(id: UInt64, key: UInt64)] = []
        hashes.reserveCapacity(batch.count)
        // The cells of one transaction are anywhere in the memory. The processor waits for those of many
        // at once as long as for those of one, if nothing else comes between.
        for plain in batch {
            let key = plain.key.map { OpaqueText.spreadHash(of: bytes.extracting($0)) }
            hashes.append((plain.id.spreadHash, key ?? 0))
        }
        for (plain, hash) in zip(batch, hashes) {
            guard isFree(plain, hash, bytes) else { return false }
        }
        var index = 0
        while index < batch.count {
            guard let next = insertRun(batch, hashes, from: index, bytes) else { return false }
            index = next
        }
        return true
    }

    /// Whether an identifier and a key are new.
    private func isFree(
        _ plain: PlainTransaction, _ hash: (id: UInt64, key: UInt64), _ bytes: RawSpan
    ) -> Bool {
        guard indexByID.place(hash.id, isMatch: { table.id(at: $0) == plain.id }) == nil else {
            return false
        }
        // The bytes of the key are made a text only if its hash is known.
        guard let key = plain.key, indexByKey.mayContain(hash.key) else { return true }
        return locate(key: Self.text(key, bytes)) == nil
    }

    /// Inserts the transactions that follow each other in one list of the account index.
    ///
    /// - Returns: The number of the first transaction behind them; nil if one is not new.
    private mutating func insertRun(
        _ batch: [PlainTransaction], _ hashes: [(id: UInt64, key: UInt64)], from first: Int,
        _ bytes: RawSpan
    ) -> Int? {
        let account = batch[first].account
        let user = batch[first].user
        let product = batch[first].product
        guard !product.product.type.isBoughtOnce else { return nil }
        var run: [PlaceList.Entry] = []
        var index = first
        while index < batch.count, batch[index].user == user, batch[index].product == product,
            batch[index].account == account
        {
            guard isFree(batch[index], hashes[index], bytes) else { return nil }
            let place = table.insert(batch[index], bytes, position: nextPosition)
            indexByID.insert(place, hashes[index].id)
            if batch[index].key != nil { indexByKey.insert(place, hashes[index].key) }
            run.append(PlaceList.Entry(position: nextPosition, place: place))
            nextPosition += 1
            index += 1
        }
        unfinishedCount += run.count
        accounts[account, default: AccountIndex()].append(
            waiting: run, in: WaitingLine(batch[first]))
        return index
    }
}

extension WaitingLine {
    fileprivate init(_ plain: PlainTransaction) {
        user = plain.user.map { UInt64($0) + 1 } ?? 0
        product = plain.product.product.productIdentifier
    }
}

extension AccountIndex {
    fileprivate mutating func append(waiting run: [PlaceList.Entry], in line: WaitingLine) {
        live.append(run)
        counts.add(run.count, to: .waiting)
        waiting[line, default: PlaceList()].append(run)
    }
}

extension PackedBytes {
    /// Appends a waiting transaction, exactly as a `TransactionRecord` of it.
    mutating func append(
        _ plain: PlainTransaction, _ texts: RawSpan, position: UInt64,
        sharing shared: inout SharedValues
    ) {
        append(text: plain.key, of: texts)
        var flags: Flags = []
        if plain.account != nil { flags.insert(.account) }
        if plain.country != plain.product.country { flags.insert(.country) }
        if plain.isConfirmed { flags.insert(.confirmed) }
        if plain.author != nil { flags.insert(.origin) }
        if plain.appAccountToken != nil { flags.insert(.token) }
        if let user = plain.user {
            flags.insert(user == plain.author?.uid ? .isOriginUser : .user)
        }
        append(flags)
        append(position)
        append(plain.newestEvent)
        if flags.contains(.user), let user = plain.user { append(UInt64(user)) }
        append(.waiting, code(of: .purchase, in: PackedCases.reasons))
        append(number(of: plain.product, in: &shared.products))
        if let account = plain.account { append(number(of: account, in: &shared.accounts)) }
        if flags.contains(.country) { append(plain.country) }
        if plain.appAccountToken != nil { append(text: plain.appAccountToken, of: texts) }
        append(UInt64(plain.attempt))
        append(UInt64(plain.revision))
        append(difference: plain.createdAt.milliseconds)
        append(difference: plain.updatedAt.milliseconds &- plain.createdAt.milliseconds)
        guard let author = plain.author else { return }
        append(UInt64(author.uid))
        append(author.connection)
        append(author.request)
        append(client: author.client, sharing: &shared)
        append(text: nil, of: texts)
    }

    private mutating func append(text range: Range<Int>?, of texts: RawSpan) {
        guard let range else { return append(0) }
        append(text: texts.extracting(range))
    }
}

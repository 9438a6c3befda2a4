/// Waiting transactions that follow each other, with the bytes of all their texts.
public struct PlainBatch: Sendable {
    /// The bytes that contain the keys and tokens.
    public let bytes: [UInt8]
    /// The transactions.
    public private(set) var transactions: [PlainTransaction] = []
    /// The accounts that the transactions name by number.
    public var accounts: [AccountName] = []
    /// The names of clients that the transactions name by number.
    public var clients: [OpaqueText] = []

    /// Creates an empty batch.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reserves memory for a number of transactions.
    public mutating func reserveCapacity(_ count: Int) {
        transactions.reserveCapacity(count)
    }

    /// Appends a transaction whose texts are in the bytes.
    public mutating func append(_ plain: PlainTransaction) {
        transactions.append(plain)
    }

    fileprivate func hash(_ key: Range<Int>) -> UInt64 {
        // SAFETY: all bytes of the array are initialized.
        let texts = unsafe bytes.span.bytes
        return OpaqueText.spreadHash(of: texts.extracting(key))
    }

    fileprivate func account(_ number: Int32?) -> AccountName? {
        number.map { accounts[Int($0)] }
    }

    /// The text of a part of the bytes.
    fileprivate func text(_ part: Range<Int>) -> OpaqueText {
        OpaqueText(String(decoding: bytes[part], as: UTF8.self))
    }
}

extension PaymentQueue {
    /// The smallest batch whose places are collected. For a smaller batch, collecting takes longer than
    /// single insertions.
    private static let leastCollected = 64
    /// The number of places that are collected before they are inserted, which limits the memory.
    private static let mostCollected = 1 << 20

    /// Loads waiting transactions of a snapshot, each as ``load(_:)`` does.
    ///
    /// - Returns: False if ``load(_:)`` may refuse one of them. The queue must then be discarded.
    public mutating func load(_ batch: PlainBatch) -> Bool {
        insert(batch)
    }

    /// Applies records that accepted transactions, each as ``apply(_:)`` does.
    ///
    /// - Parameter batch: The transactions, in order. The newest event of each is its record, and its
    ///   user is that of the record.
    /// - Returns: False if ``apply(_:)`` may refuse one of them. The queue must then be discarded.
    public mutating func apply(added batch: PlainBatch) -> Bool {
        for plain in batch.transactions {
            guard plain.newestEvent > head, plain.revision == 1,
                batch.account(plain.account) == session?.account
            else { return false }
            if let key = plain.key, !restores.keys.isEmpty {
                guard restores.keys[batch.text(key)] == nil else { return false }
            }
            head = plain.newestEvent
        }
        return insert(batch)
    }

    private mutating func insert(_ batch: PlainBatch) -> Bool {
        if unindexed == nil, batch.transactions.count >= Self.leastCollected {
            unindexed = UnindexedPlaces()
        }
        var index = 0
        while index < batch.transactions.count {
            guard let next = insertRun(batch, from: index) else { return false }
            index = next
        }
        guard let unindexed, unindexed.ids.count >= Self.mostCollected else { return true }
        return finishBatches()
    }

    /// Puts the transactions of all batches into the indexes. The queue must not be used for anything
    /// else before.
    ///
    /// - Returns: False if the identifier or the key of a transaction is not new. The queue must then be
    ///   discarded.
    public mutating func finishBatches() -> Bool {
        guard let collected = unindexed else { return true }
        unindexed = nil
        return indexByID.insert(collected.ids) { table.id(at: $0) == table.id(at: $1) }
            && indexByKey.insert(collected.keys) { table.hasKey(of: $1, at: $0) }
    }

    /// Puts a place into the indexes by its hashes, or collects it for ``finishBatches()``.
    ///
    /// - Returns: False if the identifier or the key is not new.
    private mutating func index(_ place: Int32, id: UInt64, key: UInt64?) -> Bool {
        guard unindexed == nil else {
            unindexed?.ids.add(place, id)
            if let key { unindexed?.keys.add(place, key) }
            return true
        }
        let isNew = indexByID.insert(place, id) { table.id(at: $0) == table.id(at: place) }
        guard isNew, let key else { return isNew }
        return indexByKey.insert(place, key) { table.hasKey(of: place, at: $0) }
    }

    /// Inserts the transactions that follow each other in one list of the account index.
    ///
    /// - Returns: The index of the first transaction after them; nil if one is not new.
    private mutating func insertRun(_ batch: PlainBatch, from first: Int) -> Int? {
        let start = batch.transactions[first]
        guard let product = recordedProduct(start.product), !product.product.type.isBoughtOnce
        else { return nil }
        let values = table.packedValues(product, batch.account(start.account))
        var run: [PlaceList.Entry] = []
        run.reserveCapacity(batch.transactions.count - first)
        // Transactions of one product and account have equal claims if their texts have equal lengths.
        // Nearly every transaction follows one with equal lengths.
        var known: (shape: ClaimShape, claims: SpaceClaims)?
        var taken = SpaceClaims()
        var index = first
        while index < batch.transactions.count {
            let plain = batch.transactions[index]
            guard plain.user == start.user, plain.product == start.product,
                plain.account == start.account
            else { break }
            let place = table.insert(plain, values, of: batch, position: nextPosition)
            // `map` would count references to the arrays of the batch for each transaction.
            let key = if let key = plain.key { batch.hash(key) } else { UInt64?.none }
            guard self.index(place, id: plain.id.spreadHash, key: key) else { return nil }
            run.append(PlaceList.Entry(position: nextPosition, place: place))
            let shape = ClaimShape(plain)
            let claims =
                known?.shape == shape
                ? known?.claims ?? SpaceClaims() : SpaceClaims(table[place])
            known = (shape, claims)
            taken += claims
            nextPosition += 1
            index += 1
        }
        unfinished.take(run.count, for: start.user)
        claimed.take(taken, for: start.user)
        let line = WaitingLine(product, of: start.user)
        accounts[batch.account(start.account), default: AccountIndex()].append(
            waiting: run, in: line)
        return index
    }
}

/// Places of transactions that the indexes do not have yet.
struct UnindexedPlaces: Sendable {
    fileprivate var ids = HashIndex.Collected()
    fileprivate var keys = HashIndex.Collected()
}

/// The properties by which the claims of two waiting transactions of one product and account can differ.
private struct ClaimShape: Equatable {
    /// The length of the key in a file. No byte of the key is escaped there. Nil without a key.
    let key: Int?
    /// The length of the token in a file. No byte of the token is escaped there. Nil without a token.
    let token: Int?
    /// The number of the name of the client that caused the last change; nil without a name.
    let client: Int32?
    /// Whether a client caused the last change.
    let hasAuthor: Bool

    init(_ plain: PlainTransaction) {
        key = plain.key?.count
        token = plain.appAccountToken?.count
        client = plain.author?.client
        hasAuthor = plain.author != nil
    }
}

extension WaitingLine {
    fileprivate init(_ recorded: RecordedProduct, of user: UInt32?) {
        self.user = user.map { UInt64($0) + 1 } ?? 0
        product = recorded.product.productIdentifier
    }
}

extension AccountIndex {
    fileprivate mutating func append(waiting run: [PlaceList.Entry], in line: WaitingLine) {
        live.append(run)
        counts.add(run.count, to: .waiting)
        waiting[line, default: PlaceList()].append(run)
    }
}

/// The values that packed records of transactions of one product and account share.
struct PackedValues {
    /// The number of the product.
    var product: UInt64
    /// The country of the product.
    var country: CountryCode
    /// The number of the account; nil until the next login.
    var account: UInt64?
}

extension OutputSpan<UInt8> {
    /// The maximum number of bytes of one ``append(_:_:_:_:of:position:)``.
    static func mostBytes(of plain: PlainTransaction, _ client: OpaqueText?) -> Int {
        // Besides the texts there are 13 numbers and 6 bytes.
        136 + mostBytes(ofText: plain.key?.count ?? 0)
            + mostBytes(ofText: plain.appAccountToken?.count ?? 0)
            + mostBytes(ofText: client?.string.utf8.count ?? 0)
    }

    /// Appends a waiting transaction, with the same bytes as ``PackedBytes`` would for its `TransactionRecord`.
    mutating func append(
        _ plain: PlainTransaction, _ values: PackedValues, _ client: OpaqueText?,
        _ clientNumber: UInt64, of batch: PlainBatch, position: UInt64
    ) {
        // SAFETY: all bytes of the array are initialized.
        let texts = unsafe batch.bytes.span.bytes
        append(text: plain.key, of: texts)
        var flags: PackedBytes.Flags = []
        if values.account != nil { flags.insert(.account) }
        if plain.country != values.country { flags.insert(.country) }
        if plain.isConfirmed { flags.insert(.confirmed) }
        if plain.author != nil { flags.insert(.origin) }
        if plain.appAccountToken != nil { flags.insert(.token) }
        if let user = plain.user {
            flags.insert(user == plain.author?.uid ? .isOriginUser : .user)
        }
        append(flags)
        append(number: position)
        append(number: plain.newestEvent)
        if flags.contains(.user), let user = plain.user { append(number: UInt64(user)) }
        append(PackedBytes.waitingPurchase)
        append(number: values.product)
        if let account = values.account { append(number: account) }
        if flags.contains(.country) { append(plain.country) }
        if plain.appAccountToken != nil { append(text: plain.appAccountToken, of: texts) }
        append(number: UInt64(plain.attempt))
        append(number: UInt64(plain.revision))
        append(difference: plain.createdAt.milliseconds)
        append(difference: plain.updatedAt.milliseconds &- plain.createdAt.milliseconds)
        guard let author = plain.author else { return }
        append(number: UInt64(author.uid))
        append(number: author.connection)
        append(number: author.request)
        append(number: clientNumber)
        if clientNumber == SharedValues.otherClient, let client {
            // SAFETY: all bytes of the text are initialized.
            append(text: unsafe client.string.utf8.span.bytes)
        }
        append(text: nil, of: texts)
    }

    private mutating func append(text range: Range<Int>?, of texts: RawSpan) {
        guard let range else { return append(number: 0) }
        append(text: texts.extracting(range))
    }
}

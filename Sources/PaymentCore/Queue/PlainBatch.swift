/// Waiting transactions that follow each other, and the texts of all of them.
public struct PlainBatch: Sendable {
    /// The bytes that have the keys and tokens.
    public let bytes: [UInt8]
    /// The transactions.
    public private(set) var transactions: [PlainTransaction] = []
    /// The hashes of the identifier and of the key of each transaction. The hash of the key is 0 if there is none.
    fileprivate private(set) var hashes: [Hashes] = []
    /// The accounts that they name by number.
    public var accounts: [AccountName] = []
    /// The names of clients that they name by number.
    public var clients: [OpaqueText] = []

    fileprivate struct Hashes: Sendable {
        var id: UInt64
        var key: UInt64
    }

    /// Creates an empty batch.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes memory for a number of transactions.
    public mutating func reserveCapacity(_ count: Int) {
        transactions.reserveCapacity(count)
        hashes.reserveCapacity(count)
    }

    /// Appends a transaction whose texts are in the bytes.
    public mutating func append(_ plain: PlainTransaction) {
        transactions.append(plain)
        // The thread that applies batches has more to do than this one, which reads. So this one hashes.
        hashes.append(Hashes(id: plain.id.spreadHash, key: plain.key.map(hash) ?? 0))
    }

    private func hash(_ key: Range<Int>) -> UInt64 {
        // SAFETY: all bytes of the array are initialized.
        let texts = unsafe bytes.span.bytes
        return OpaqueText.spreadHash(of: texts.extracting(key))
    }

    fileprivate func account(_ number: Int32?) -> AccountName? {
        number.map { accounts[Int($0)] }
    }

    /// The text of a part of the bytes.
    public func text(_ part: Range<Int>) -> OpaqueText {
        OpaqueText(String(decoding: bytes[part], as: UTF8.self))
    }
}

extension PaymentQueue {
    /// Transactions whose cells are read together. Those of more would not stay in the nearest cache.
    private static let cellsReadAhead = 64

    /// Loads waiting transactions of a snapshot, each as ``load(_:)`` does.
    ///
    /// - Returns: False if ``load(_:)`` may refuse one of them. The queue is of no use then.
    public mutating func load(_ batch: PlainBatch) -> Bool {
        insert(batch)
    }

    /// Applies records that accepted transactions, each as ``apply(_:)`` does.
    ///
    /// - Parameter batch: The transactions, in order. The newest event of each is its record, and its
    ///   user that of the record.
    /// - Returns: False if ``apply(_:)`` may refuse one of them. The queue is of no use then.
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
        var index = 0
        while index < batch.transactions.count {
            guard let next = insertRun(batch, from: index) else { return false }
            index = next
        }
        return true
    }

    /// Reads the cells of the indexes that the next transactions need. They are anywhere in the memory, and
    /// the processor waits for those of many transactions as long as for those of one, if nothing else comes
    /// between.
    private func readCells(for hashes: ArraySlice<PlainBatch.Hashes>) {
        var cells: UInt64 = 0
        for hash in hashes {
            cells |= indexByID.firstCells(of: hash.id) | indexByKey.firstCells(of: hash.key)
        }
        // The compiler would leave out a reading without a use.
        precondition(HashIndex.isCell(cells), "a place is not negative")
    }

    /// Puts a place into the indexes.
    ///
    /// - Returns: False if the identifier or the key is not new.
    private mutating func index(
        _ place: Int32, _ plain: PlainTransaction, _ hash: PlainBatch.Hashes,
        _ batch: PlainBatch
    ) -> Bool {
        let isNewID = indexByID.insert(place, hash.id) { table.id(at: $0) == plain.id }
        guard isNewID, let key = plain.key else { return isNewID }
        // The bytes of the key are made a text only if its hash is known.
        return indexByKey.insert(place, hash.key) { table.hasKey(batch.text(key), at: $0) }
    }

    /// Inserts the transactions that follow each other in one list of the account index.
    ///
    /// - Returns: The number of the first transaction behind them; nil if one is not new.
    private mutating func insertRun(_ batch: PlainBatch, from first: Int) -> Int? {
        let hashes = batch.hashes
        let start = batch.transactions[first]
        guard let product = recordedProduct(start.product), !product.product.type.isBoughtOnce
        else { return nil }
        var run: [PlaceList.Entry] = []
        run.reserveCapacity(hashes.count - first)
        // Transactions of one product and account claim the same if their texts have the same length.
        // Nearly all follow one whose texts have.
        var known: (shape: ClaimShape, claims: SpaceClaims)?
        var taken = SpaceClaims()
        var index = first
        while index < hashes.count {
            let plain = batch.transactions[index]
            guard plain.user == start.user, plain.product == start.product,
                plain.account == start.account
            else { break }
            if index % Self.cellsReadAhead == 0 {
                readCells(for: hashes[index...].prefix(Self.cellsReadAhead))
            }
            let place = table.insert(plain, product, of: batch, position: nextPosition)
            guard self.index(place, plain, hashes[index], batch) else { return nil }
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

/// Everything that the claims of two waiting transactions of one product and account can differ by.
private struct ClaimShape: Equatable {
    /// The length of the key in a file, where no byte of it is escaped; nil without one.
    let key: Int?
    /// The length of the token in a file, where no byte of it is escaped; nil without one.
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

extension PackedBytes {
    /// Appends a waiting transaction, exactly as a `TransactionRecord` of it.
    mutating func append(
        _ plain: PlainTransaction, _ product: RecordedProduct, of batch: PlainBatch,
        position: UInt64, sharing shared: inout SharedValues
    ) {
        // SAFETY: all bytes of the array are initialized.
        let texts = unsafe batch.bytes.span.bytes
        append(text: plain.key, of: texts)
        var flags: Flags = []
        if plain.account != nil { flags.insert(.account) }
        if plain.country != product.country { flags.insert(.country) }
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
        append(number(of: product, in: &shared.products))
        if let account = plain.account {
            append(number(of: batch.accounts[Int(account)], in: &shared.accounts))
        }
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
        append(client: author.client.map { batch.clients[Int($0)] }, sharing: &shared)
        append(text: nil, of: texts)
    }

    private mutating func append(text range: Range<Int>?, of texts: RawSpan) {
        guard let range else { return append(0) }
        append(text: texts.extracting(range))
    }
}

import PaymentCore

@testable import PaymentStorage

/// The products that lines name by number, and both ways to read lines, which must agree.
struct KnownProducts {
    private(set) var general = EventDecoder()
    private(set) var plain = PlainDecoder()
    private var products: [UInt32: RecordedProduct] = [:]

    /// Numbers 1 and 2: one that can be bought again, and one that cannot.
    private static let samples: [RecordedProduct] = {
        guard let amount = Amount("9.90"), let country = CountryCode("DE") else { return [] }
        let kinds: [(UInt32, Product.Kind)] = [(1, .consumable), (2, .autoRenewableSubscription)]
        return kinds.map { number, kind in
            let product = Product(
                productIdentifier: "coins", type: kind, localizedTitle: "Coins",
                localizedDescription: "", price: Price(amount: amount, currencyCode: "EUR"))
            return RecordedProduct(number: number, product: product, country: country)
        }
    }()

    /// Begins with two products.
    init() throws(Violation) {
        for product in Self.samples { try noteRead(product) }
    }

    /// Notes a product that a line recorded.
    mutating func note(_ product: RecordedProduct) throws(PayloadFault) {
        try general.note(product)
        plain.note(product)
        products[product.number] = product
    }

    /// Reads an item in both ways; nil if it is of no known type or cannot be understood.
    mutating func item(_ content: LineContent) throws(Violation) -> SnapshotItem? {
        let quick = plain.transaction(content)
        let item: SnapshotItem?
        do throws(PayloadFault) {
            item = try general.item(content)
        } catch {
            try require(quick == nil, "read quickly, and refused with care: \(error)")
            return nil
        }
        if let quick { try require(item == self.item(quick, content), "read quickly: \(quick)") }
        if case .product(let product) = item { try noteRead(product) }
        return item
    }

    /// Reads a record in both ways; nil if it is of no known type or cannot be understood.
    mutating func record(_ line: JournalLine) throws(Violation) -> Record? {
        let quick = plain.added(line)
        let record: Record?
        do throws(PayloadFault) {
            record = try general.record(line)
        } catch {
            try require(quick == nil, "read quickly, and refused with care: \(error)")
            return nil
        }
        if let quick {
            guard let record, case .transaction(.added(let key), let transaction) = record.event
            else { throw Violation("read quickly, and with care as \(record as Any)") }
            let item = SnapshotItem.transaction(
                transaction, key: key, newestEvent: record.sequence, user: record.origin?.uid)
            try require(item == self.item(quick, line.content), "read quickly: \(quick)")
        }
        if case .productRecorded(let product) = record?.event { try noteRead(product) }
        return record
    }

    private mutating func noteRead(_ product: RecordedProduct) throws(Violation) {
        try reading { () throws(PayloadFault) in try note(product) }
    }

    /// The item of a snapshot that stands for a transaction which was read quickly.
    private func item(_ plain: PlainTransaction, _ content: LineContent) -> SnapshotItem? {
        guard let product = products[plain.product] else { return nil }
        let recent = self.plain.recent
        func text(_ part: Range<Int>) -> OpaqueText {
            OpaqueText(String(decoding: content.bytes[part], as: UTF8.self))
        }
        var transaction = Transaction(
            id: plain.id, account: plain.account.map { recent.accounts.texts[Int($0)] },
            payment: Payment(
                product: product, appAccountToken: plain.appAccountToken.map(text)),
            state: .waiting, country: plain.country, reason: .purchase, attempt: plain.attempt,
            isConfirmed: plain.isConfirmed, revision: plain.revision, createdAt: plain.createdAt,
            updatedAt: plain.updatedAt)
        transaction.origin = plain.author.map { author in
            Origin(
                uid: author.uid, client: author.client.map { recent.clients.texts[Int($0)] },
                connection: author.connection, request: author.request)
        }
        return .transaction(
            transaction, key: plain.key.map(text), newestEvent: plain.newestEvent,
            user: plain.user)
    }
}

/// Runs what must succeed.
func reading<Value>(
    _ body: () throws(PayloadFault) -> Value
) throws(Violation) -> Value {
    do throws(PayloadFault) {
        return try body()
    } catch {
        throw Violation("what was written cannot be read: \(error)")
    }
}

extension PlainDecoder {
    /// The transaction of a line of a snapshot; nil if it needs the general way.
    fileprivate mutating func transaction(_ content: LineContent) -> PlainTransaction? {
        var found = PlainBatch(bytes: content.bytes)
        return transaction(content, into: &found) ? found.transactions.first : nil
    }

    /// The transaction of a line of the journal; nil if it needs the general way.
    fileprivate mutating func added(_ line: JournalLine) -> PlainTransaction? {
        var found = PlainBatch(bytes: line.content.bytes)
        return added(line, into: &found) ? found.transactions.first : nil
    }
}

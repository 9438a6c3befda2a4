import PaymentCore
import PaymentStorage
import PaymentTesting

/// Random closed things and, next to the archive, a dictionary of them that lookups are compared with.
struct ClosedModel {
    /// A closed thing with its record.
    struct Closing {
        var fact: ClosedFact
        var sequence: SequenceNumber
        var time: Timestamp
    }

    private(set) var closings: [Closing] = []
    private(set) var facts: [ClosedKey: ClosedFact] = [:]
    private var random: SeededGenerator
    private var number: UInt64 = 0
    private(set) var sequence: SequenceNumber = 0

    static let accounts: [AccountName?] = [nil, "", "anna", "be\"rt", "Zoë \u{1}"]
    static let store = UniqueID(high: 0x5107_0000_0000_4001, low: 0x8000_0000_0000_0007)
    /// Small sizes, so that a few things fill several files and indexes.
    static var limits: ArchiveLimits {
        var limits = ArchiveLimits()
        limits.mergeBelowBytes = 4 << 10
        limits.fileBytes = 12 << 10
        limits.indexes = 3
        return limits
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// The time of a record.
    static func time(_ sequence: SequenceNumber) -> Timestamp {
        Samples.time.advanced(bySeconds: Int64(sequence))
    }

    /// A builder on a disk that has the sample products.
    static func builder(_ disk: any Disk) throws -> ArchiveBuilder {
        let products = ArchiveProducts()
        try products.note(Samples.coins)
        try products.note(Samples.pro)
        return ArchiveBuilder(on: disk, of: store, products: products, limits: limits)
    }

    /// Closes more things.
    ///
    /// - Returns: They alone.
    mutating func close(_ count: Int) -> ArraySlice<Closing> {
        let first = closings.count
        for _ in 0..<count {
            sequence += UInt64.random(in: 1...3, using: &random)
            for fact in nextFacts() {
                closings.append(Closing(fact: fact, sequence: sequence, time: Self.time(sequence)))
                for key in Self.keys(of: fact) { facts[key] = fact }
            }
        }
        return closings[first...]
    }

    /// Keys that were never used.
    static let strangers: [ClosedKey] = (0..<40).flatMap { number -> [ClosedKey] in
        [
            .transaction(Samples.transactionID(1 << 40 | number)), .key(OpaqueText("no-\(number)")),
            .order(Samples.orderID(1 << 40 | number)),
            .revokedOrder(Samples.orderID(1 << 41 | number)),
        ]
    }

    /// The transactions of an account in the order of closing.
    func transactions(of account: AccountName?) -> [ClosedPage.Entry] {
        closings.compactMap { closing in
            guard case .transaction(let transaction, _, let finish) = closing.fact,
                transaction.account == account
            else { return nil }
            return ClosedPage.Entry(
                sequence: closing.sequence, transaction: transaction, finish: finish)
        }
    }

    static func keys(of fact: ClosedFact) -> [ClosedKey] {
        switch fact {
        case .transaction(let transaction, let key, _):
            [.transaction(transaction.id)] + (key.map { [.key($0)] } ?? [])
                + (transaction.purchasedOrder.map { [.order($0)] } ?? [])
                + (transaction.state == .restored
                    ? transaction.order.map { [.restoredOrder($0)] } ?? [] : [])
        case .order(let order, _): [.order(order)]
        case .revokedOrder(let order, _): [.revokedOrder(order)]
        case .restore(let restore, let keys, _, _):
            [.restore(restore.id)] + keys.map { .key($0) }
        }
    }

    private mutating func nextFacts() -> [ClosedFact] {
        number += 1
        let time = Self.time(sequence)
        switch UInt8.random(in: 0..<12, using: &random) {
        case 0:
            let restore = Restore(
                id: RestoreID(Samples.orderID(1 << 32 | number).value), account: "anna",
                appAccountToken: nil, createdAt: time)
            return [
                .restore(
                    restore, keys: ["r-\(number)", "s/\"\(number)"].map { OpaqueText($0) },
                    .completed(count: 2), at: time)
            ]
        case 1:
            return (UInt64(0)..<3).map {
                let order = Samples.orderID(1 << 34 | number << 4 | $0)
                return .revokedOrder(order, $0 == 0 ? nil : OrderRevocation(at: time))
            }
        default: return [transaction(time)]
        }
    }

    private mutating func transaction(_ time: Timestamp) -> ClosedFact {
        let states: [TransactionState] = [
            .purchased, .purchased, .restored, .failed(.declined), .waiting,
        ]
        let state = states.randomElement(using: &random) ?? .purchased
        var transaction = Samples.transaction(number, state, revision: 4, origin: Samples.origin)
        transaction.account = Self.accounts.randomElement(using: &random) ?? nil
        if Bool.random(using: &random) {
            transaction.payment = Payment(product: Samples.pro, appAccountToken: "to\\ken")
        }
        switch state {
        case .purchased:
            transaction.order = Samples.orderID(number)
            let offers: [PurchaseOffer?] = [nil, .alreadyOwned, .introductory]
            transaction.charge = Charge(
                price: Samples.price("9.90", "EUR"),
                offer: offers.randomElement(using: &random) ?? nil)
        case .restored: transaction.order = Samples.orderID(number % 5)
        default: break
        }
        let keys: [OpaqueText?] = [nil, OpaqueText("k-\(number)"), OpaqueText("k\n\"é\(number)")]
        return .transaction(
            transaction, key: keys.randomElement(using: &random) ?? nil,
            Finish(time: time, reason: .finished, origin: Samples.origin))
    }
}

extension ArchiveBuilder {
    /// Writes closed things and indexes them.
    func checkpoint(
        _ archives: Archives, _ closings: ArraySlice<ClosedModel.Closing>, upTo last: SequenceNumber
    ) throws -> Archives {
        let next = try append(to: archives.manifest, upTo: last) { sink throws(ArchiveFailure) in
            for closing in closings {
                try sink.add(closing.fact, closing.sequence, at: closing.time)
            }
        }
        return try index(open(next, reusing: archives))
    }
}

extension Archives {
    /// The lookups whose answers differ from a model. Failures count as differences unless they are
    /// allowed.
    func differences(from model: ClosedModel, allowingFailures: Bool = false) -> [String] {
        var found: [String] = []
        func compare<Value: Equatable>(
            _ what: String, _ expected: Value, _ read: () throws -> Value
        ) {
            do {
                let value = try read()
                if value != expected { found.append("\(what) is \(value), not \(expected)") }
            } catch {
                if !allowingFailures { found.append("\(what) failed: \(error)") }
            }
        }
        for (key, fact) in model.facts { compare("\(key)", fact) { try find(key)?.fact } }
        for key in ClosedModel.strangers { compare("\(key)", nil) { try find(key)?.fact } }
        for account in ClosedModel.accounts {
            compare("\(String(describing: account))", model.transactions(of: account)) {
                try pages(of: account, limit: 7)
            }
        }
        return found
    }

    /// All pages of an account.
    func pages(of account: AccountName?, limit: Int) throws -> [ClosedPage.Entry] {
        var entries: [ClosedPage.Entry] = []
        var position: SequenceNumber? = 0
        while let start = position {
            let page = try page(of: account, after: start, limit: limit)
            entries += page.entries
            position = page.next
        }
        return entries
    }
}

import PaymentCore

/// What the queue should hold, kept by plain means from the records alone: no lists by state, no
/// tables of places, nothing shared with the queue but the types of the records.
struct Model {
    /// Where a transaction stands.
    enum Stage: String {
        case waiting, submitted, deferred, purchased, completing, failed, gone
    }

    /// A transaction.
    struct Entry {
        let id: TransactionID
        var account: AccountName?
        var transaction: Transaction
        var key: [UInt8]?
        var stage: Stage
        var rank: Int
        var goneAt: Timestamp?
        var newestEvent: SequenceNumber
    }

    /// What is to be expected of a call.
    enum Expectation: Equatable {
        case accepted
        case duplicate(TransactionID)
        case refused(String)
    }

    private(set) var entries: [TransactionID: Entry] = [:]
    /// Unfinished transactions in the order of acceptance or of claiming.
    private(set) var live: [TransactionID] = []
    private(set) var keys: [[UInt8]: TransactionID] = [:]
    private(set) var orders: [OrderID: TransactionID] = [:]
    private(set) var session: Session?
    private(set) var last: SequenceNumber = 0
    private var left: [AccountName?: [TransactionID]] = [:]
    private var forgottenIDs: Set<TransactionID> = []
    private var rank = 0

    /// Takes a record and says what is wrong with it, if anything is.
    mutating func take(_ record: Record) -> String? {
        guard record.sequence > last else { return "record \(record.sequence) after \(last)" }
        last = record.sequence
        switch record.event {
        case .started, .productRecorded, .countryAssumed: return nil
        case .sessionChanged(let from, let to):
            guard from == session, from != to else { return "a session change from nowhere" }
            session = to
            if let account = to?.account { claim(for: account) }
            return nil
        case .forgotten(let before):
            forget(before: before)
            return nil
        case .policyChanged, .questionOpened, .questionClosed, .restoreRequested, .restoreJoined,
            .restoreEnded, .entitlementsRevoked, .productsChanged, .acknowledged:
            return nil
        case .transaction(.added(let key), let transaction):
            return accept(transaction, key: key.map { Array($0.string.utf8) }, record)
        case .transaction(let change, let transaction):
            return move(change, transaction, record)
        }
    }

    private mutating func accept(
        _ transaction: Transaction, key: [UInt8]?, _ record: Record
    ) -> String? {
        let id = transaction.id
        if entries[id] != nil || forgottenIDs.contains(id) { return "id \(id) was used twice" }
        if let key {
            if let other = keys[key] { return "the key of \(other) was used again by \(id)" }
            keys[key] = id
        }
        if transaction.account != session?.account { return "\(id) is not the session's" }
        rank += 1
        entries[id] = Entry(
            id: id, account: transaction.account, transaction: transaction, key: key,
            stage: .waiting, rank: rank, goneAt: nil, newestEvent: record.sequence)
        live.append(id)
        return nil
    }

    private mutating func move(
        _ change: TransactionChange, _ transaction: Transaction, _ record: Record
    ) -> String? {
        let id = transaction.id
        guard var entry = entries[id] else { return "\(id) changed and was never added" }
        guard transaction.revision == entry.transaction.revision + 1 else {
            return "\(id) went from revision \(entry.transaction.revision) to "
                + "\(transaction.revision)"
        }
        // A repeated request may be charged after the store had refused its first coming. Without
        // an attempt there is nothing to charge.
        let isLateCharge =
            change == .purchased && entry.stage == .waiting && transaction.attempt > 0
        let next = isLateCharge ? .purchased : Self.stage(after: change, entry.stage)
        guard let stage = next else {
            return "\(id) was \(entry.stage.rawValue) and then \(change)"
        }
        if stage == .purchased {
            guard let order = transaction.order else { return "\(id) is paid without an order" }
            if let other = orders[order] { return "order \(order) of \(other) also became \(id)" }
            orders[order] = id
        }
        entry.stage = stage
        entry.transaction = transaction
        if change != .completing { entry.newestEvent = record.sequence }
        if stage == .gone {
            entry.goneAt = record.time
            live.removeAll { $0 == id }
            left[entry.account, default: []].append(id)
        }
        entries[id] = entry
        return nil
    }

    /// The states of the queue once more, as the contract tells them.
    private static func stage(after change: TransactionChange, _ stage: Stage) -> Stage? {
        switch (change, stage) {
        case (.submitted, .waiting): .submitted
        case (.refreshed, .waiting), (.refreshed, .submitted): .waiting
        case (.deferred, .submitted): .deferred
        case (.purchased, .submitted), (.purchased, .deferred): .purchased
        case (.failed, .waiting), (.failed, .submitted), (.failed, .deferred): .failed
        case (.completing, .purchased): .completing
        case (.removed(.withdrawn), .waiting): .gone
        case (.removed(.finished), .failed), (.removed(.finished), .completing): .gone
        default: nil
        }
    }

    private mutating func claim(for account: AccountName) {
        for id in live where entries[id]?.account == nil {
            rank += 1
            entries[id]?.account = account
            entries[id]?.rank = rank
        }
        live.sort { (entries[$0]?.rank ?? 0) < (entries[$1]?.rank ?? 0) }
        for id in left[nil] ?? [] { entries[id]?.account = account }
        left[account, default: []] += left[nil] ?? []
        left[nil] = nil
    }

    private mutating func forget(before: Timestamp) {
        for (account, ids) in left {
            let count = ids.prefix { (entries[$0]?.goneAt).map { $0 < before } ?? true }.count
            for id in ids.prefix(count) {
                if let key = entries[id]?.key { keys[key] = nil }
                entries[id] = nil
                forgottenIDs.insert(id)
            }
            left[account] = Array(ids.dropFirst(count))
        }
    }

    /// Whether an id was given out and forgotten since.
    func isForgotten(_ id: TransactionID) -> Bool {
        forgottenIDs.contains(id)
    }
}

extension Model {
    /// What an `add` should come to.
    func expectation(
        of request: AddRequest, sold: Product?, paymentsAllowed: Bool, limit: Int
    ) -> Expectation {
        if let key = request.key, let id = keys[Array(key.string.utf8)], let first = entries[id] {
            let payment = first.transaction.payment
            let isSame =
                payment.product.product.productIdentifier == request.productIdentifier
                && payment.appAccountToken == request.appAccountToken
                && (session == nil || first.account == session?.account)
            return isSame ? .duplicate(id) : .refused("keyReuse")
        }
        guard let sold else { return .refused("unknownProduct") }
        if session != nil, !paymentsAllowed { return .refused("paymentsNotAllowed") }
        if sold.type == .nonConsumable || sold.type == .autoRenewableSubscription,
            live.contains(where: { blocks($0, request.productIdentifier) })
        {
            return .refused("alreadyLive")
        }
        return live.count < limit ? .accepted : .refused("queueFull")
    }

    private func blocks(_ id: TransactionID, _ product: ProductIdentifier) -> Bool {
        guard let entry = entries[id], entry.account == session?.account else { return false }
        let blocking: Set<Stage> = [.waiting, .submitted, .deferred, .purchased]
        return entry.transaction.payment.product.product.productIdentifier == product
            && blocking.contains(entry.stage)
    }

    /// What a `finish` should come to; nil for an id that is not known.
    func disposition(of id: TransactionID) -> FinishDisposition? {
        switch entries[id]?.stage {
        case nil: nil
        case .waiting, .failed: .removed
        case .submitted, .deferred: .ignoredInFlight
        case .purchased, .completing: .completing
        case .gone: .alreadyFinished
        }
    }

    /// The unfinished transactions that the session sees, in order.
    var visible: [Entry] {
        live.compactMap { entries[$0] }.filter { $0.account == session?.account }
    }

    /// How many of an account are at the store.
    func submittedCount(of account: AccountName?) -> Int {
        live.count { entries[$0]?.account == account && entries[$0]?.stage == .submitted }
    }

    /// Whether something for the same product of the same account was accepted earlier and waits.
    func isOvertaken(by entry: Entry) -> Bool {
        let product = entry.transaction.payment.product.product.productIdentifier
        return live.contains { id in
            guard let other = entries[id], other.stage == .waiting, other.rank < entry.rank else {
                return false
            }
            return other.account == entry.account
                && other.transaction.payment.product.product.productIdentifier == product
        }
    }
}

import PaymentCore

/// What the queue should hold, kept by plain means from the records alone: no lists by state, no
/// tables of places, nothing shared with the queue but the types of the records.
struct Model {
    /// Where a transaction stands.
    enum Stage: String {
        case waiting, gated, submitted, deferred, purchased, completing, restored, failed, gone
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
        /// The record by which it became a purchase, or was given back.
        var boughtAt: SequenceNumber?
        /// Whether a payment agent agreed to product, price and country as they are now.
        var isConfirmed = false
        /// The question that was answered with yes, until the transaction goes on.
        var agreement: Question?
        /// What was agreed to last, and to which question, until product or country change.
        var lastAgreed: Question.Kind?
        /// The request that accepted it, and its user.
        var request: UInt64?
        var user: UInt32?
    }

    /// What is to be expected of a call.
    enum Expectation: Equatable {
        case accepted
        case duplicate(TransactionID)
        case refused(String)
    }

    var entries: [TransactionID: Entry] = [:]
    /// Unfinished transactions in the order of acceptance or of claiming.
    private(set) var live: [TransactionID] = []
    private(set) var keys: [[UInt8]: TransactionID] = [:]
    private(set) var orders: [OrderID: TransactionID] = [:]
    private(set) var session: Session?
    private(set) var last: SequenceNumber = 0
    /// The last change of session, and whose session ended by it.
    private(set) var formerSessions: [(end: SequenceNumber, account: AccountName?)] = []
    var questions: [QuestionID: Question] = [:]
    var closedQuestions: Set<QuestionID> = []
    var restores: [RestoreID: RestoreEntry] = [:]
    /// Restores that have not ended, in the order of acceptance.
    var runningRestores: [RestoreID] = []
    var endedRestores: [RestoreID] = []
    var restoreKeys: [[UInt8]: RestoreID] = [:]
    var forgottenRestores: Set<RestoreID> = []
    /// The orders that were announced as taken back, and by which record.
    var revokedOrders: [OrderID: SequenceNumber] = [:]
    var policy = GatePolicy()
    var productsRevision: UInt64 = 0
    var observers: [OpaqueText: (position: SequenceNumber, time: Timestamp, owner: UInt32?)] = [:]
    private var left: [AccountName?: [TransactionID]] = [:]
    private var forgottenIDs: Set<TransactionID> = []
    private var rank = 0

    /// Takes a record and says what is wrong with it, if anything is.
    mutating func take(_ record: Record) -> String? {
        guard record.sequence > last else { return "record \(record.sequence) after \(last)" }
        last = record.sequence
        switch record.event {
        case .started:
            // A batch may have been cut off: what was agreed to is asked again.
            for id in live { entries[id]?.agreement = nil }
            for id in live { entries[id]?.lastAgreed = nil }
            return nil
        case .productRecorded, .countryAssumed: return nil
        case .sessionChanged(let from, let to, _):
            guard from == session, from != to else { return "a session change from nowhere" }
            session = to
            formerSessions.append((record.sequence, from?.account))
            if let account = to?.account { claim(for: account) }
            return nil
        case .forgotten(let before):
            forget(before: before)
            return nil
        case .transaction(.added(let key), let transaction):
            return accept(transaction, key: key.map { Array($0.string.utf8) }, record)
        case .transaction(.appeared, let transaction):
            return takeIn(transaction, as: .purchased, record)
        case .transaction(.restored, let transaction):
            return takeIn(transaction, as: .restored, record)
        case .transaction(let change, let transaction):
            return move(change, transaction, record)
        default: return takeOther(record)
        }
    }

    private mutating func accept(
        _ transaction: Transaction, key: [UInt8]?, _ record: Record
    ) -> String? {
        let id = transaction.id
        if entries[id] != nil || forgottenIDs.contains(id) { return "id \(id) was used twice" }
        if let key {
            if let other = keys[key] { return "the key of \(other) was used again by \(id)" }
            if restoreKeys[key] != nil { return "the key of a restore was used again by \(id)" }
            keys[key] = id
        }
        if transaction.account != session?.account { return "\(id) is not the session's" }
        enter(transaction, .waiting, key: key, user: record.origin?.uid, record)
        return nil
    }

    private mutating func enter(
        _ transaction: Transaction, _ stage: Stage, key: [UInt8]? = nil, user: UInt32? = nil,
        _ record: Record
    ) {
        rank += 1
        entries[transaction.id] = Entry(
            id: transaction.id, account: transaction.account, transaction: transaction, key: key,
            stage: stage, rank: rank, goneAt: nil, newestEvent: record.sequence,
            request: record.origin?.request, user: user)
        live.append(transaction.id)
    }

    /// What the store brings by itself, or a restore.
    private mutating func takeIn(
        _ transaction: Transaction, as stage: Stage, _ record: Record
    ) -> String? {
        let id = transaction.id
        if entries[id] != nil || forgottenIDs.contains(id) { return "id \(id) was used twice" }
        guard let order = transaction.order, transaction.account != nil,
            transaction.account == session?.account
        else { return "\(id) came from the store and is not the session's" }
        if stage == .purchased {
            if let other = orders[order] { return "order \(order) of \(other) also became \(id)" }
            orders[order] = id
        } else if let other = live.first(where: { entries[$0]?.isGiven(order) ?? false }) {
            return "order \(order) was given back by \(id) while it was \(other)"
        }
        enter(transaction, stage, record)
        entries[id]?.boughtAt = record.sequence
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
        let isLeavingAtOnce =
            change == .removed(.finished) && entry.stage == .purchased
            && entry.transaction.needsNoCompletion
        let next =
            isLateCharge
            ? .purchased
            : isLeavingAtOnce ? .gone : Self.stage(after: change, entry.stage)
        guard let stage = next else {
            return "\(id) was \(entry.stage.rawValue) and then \(change)"
        }
        if let finding = checkAgreement(change, &entry, transaction) { return finding }
        if change == .purchased {
            guard let order = transaction.order else { return "\(id) is paid without an order" }
            // What the account had already names the order that is there.
            if transaction.charge?.offer != .alreadyOwned {
                if let other = orders[order] {
                    return "order \(order) of \(other) also became \(id)"
                }
                orders[order] = id
            }
        }
        entry.stage = stage
        entry.transaction = transaction
        if change == .purchased { entry.boughtAt = record.sequence }
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
        case (.gated, .waiting), (.gated, .submitted): .gated
        case (.refreshed, .waiting), (.refreshed, .submitted), (.refreshed, .gated): .waiting
        case (.deferred, .submitted): .deferred
        // While it waited again an earlier attempt may have been charged late.
        case (.purchased, .submitted), (.purchased, .deferred), (.purchased, .waiting),
            (.purchased, .gated):
            .purchased
        case (.failed, .waiting), (.failed, .submitted), (.failed, .deferred), (.failed, .gated):
            .failed
        case (.redelivered, .purchased), (.redelivered, .restored),
            (.revoked, .purchased), (.revoked, .restored):
            stage
        case (.completing, .purchased): .completing
        case (.removed(.withdrawn), .waiting), (.removed(.withdrawn), .gated): .gone
        case (.removed(.discardedByGate), .waiting), (.removed(.discardedByGate), .submitted),
            (.removed(.discardedByGate), .gated):
            .gone
        case (.removed(.deleted), _) where stage != .gone && stage != .completing: .gone
        case (.removed(.finished), .failed), (.removed(.finished), .completing),
            (.removed(.finished), .restored):
            .gone
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
        for id in runningRestores where restores[id]?.account == nil {
            restores[id]?.account = account
        }
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
        let old = endedRestores.prefix { (restores[$0]?.endedAt ?? before) < before }
        for id in old {
            for key in restores[id]?.keys ?? [] { restoreKeys[key] = nil }
            restores[id] = nil
            forgottenRestores.insert(id)
        }
        endedRestores.removeFirst(old.count)
        observers = observers.filter { $0.value.time >= before }
    }

    /// Whether an id was given out and forgotten since.
    func isForgotten(_ id: TransactionID) -> Bool {
        forgottenIDs.contains(id)
    }
}

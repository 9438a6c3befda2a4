/// The error about a record that contradicts the state, such as a record of another queue or of an
/// edited journal.
public struct IllegalRecord: Error, Sendable, Hashable, CustomStringConvertible {
    /// The contradiction, as a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension PaymentQueue {
    /// Applies a record. All changes of the state are made here.
    ///
    /// - Throws: The record contradicts the state; nothing changed. In operation this is a defect
    ///   of the rules, during replay a defect of the journal.
    public mutating func apply(_ record: Record) throws(IllegalRecord) {
        guard record.sequence > head else {
            throw IllegalRecord("record \(record.sequence) does not follow record \(head)")
        }
        switch record.event {
        case .started(let incarnation):
            guard incarnation > self.incarnation else {
                throw IllegalRecord("start \(incarnation) does not follow \(self.incarnation)")
            }
            self.incarnation = incarnation
        case .productRecorded(let product):
            try keep(product)
        case .transaction(let change, let transaction):
            try apply(change, transaction, record)
        case .sessionChanged(let from, let to, let cause):
            guard from == session, cause == nil || to == nil else {
                throw IllegalRecord("the session before record \(record.sequence) is another one")
            }
            changeSession(to: to, cause, record)
        case .countryAssumed(let country):
            assumedCountry = country
        case .forgotten(let before):
            forgotten.add(before, at: record.sequence)
            forget(before: before)
        case .policyChanged(let policy):
            self.policy = policy
        case .questionOpened(let question):
            try open(question, record)
        case .questionClosed(let closing):
            try close(closing, record)
        case .restoreRequested(let restore, let key):
            try accept(restore, key: key, user: record.origin?.uid)
        case .restoreJoined(let id, let key):
            try join(id, key: key)
        case .restoreEnded(let id, _, let outcome):
            try end(id, outcome, record)
        case .entitlementsRevoked(let revocation):
            try revoke(revocation, record)
        case .productsChanged(let revision):
            try changeProducts(to: revision)
        case .acknowledged(let observer, let position):
            try acknowledge(observer, upTo: position, record)
        case .observerForgotten(let observer):
            try forget(observer, record)
        }
        head = record.sequence
    }

    private mutating func changeSession(
        to new: Session?, _ cause: SessionCause?, _ record: Record
    ) {
        endedSession =
            cause == .sessionEnded
            ? session.map { EndedSession(session: $0, endedAt: record.time) } : nil
        let wasWithout = session == nil
        session = new
        guard wasWithout, let account = new?.account else { return }
        claims.add(account, at: record.sequence)
        claimUnowned(for: account)
        restores.claim(for: account)
    }

    private mutating func apply(
        _ change: TransactionChange, _ transaction: Transaction, _ record: Record
    ) throws(IllegalRecord) {
        switch change {
        case .added(let key): return try accept(transaction, key: key, record)
        case .appeared, .restored: return try takeIn(transaction, change, record)
        default: break
        }
        guard let place = locate(transaction.id) else {
            return try continueUnknown(change, transaction, record)
        }
        var stored = table[place]
        try check(change, at: place, from: stored, to: transaction)
        if case .removed(let reason) = change {
            let finish = Finish(time: record.time, reason: reason, origin: record.origin)
            return remove(place, stored, transaction, finish, record.sequence)
        }
        let before = stored
        let last = stored.transaction
        stored.transaction = transaction
        if change != .completing { stored.lastEvent = record.sequence }
        moveClaims(from: before, to: stored)
        table[place] = stored
        if transaction.state == .purchased, let order = transaction.order,
            transaction.charge?.offer != .alreadyOwned
        {
            own(order, by: transaction.id)
        }
        move(place, stored, from: last)
    }

    /// Checks that a change is a legal step of the state machine.
    private func check(
        _ change: TransactionChange, at place: Int32, from stored: TransactionRecord,
        to next: Transaction
    ) throws(IllegalRecord) {
        let last = stored.transaction
        let isLegal: Bool =
            switch (change, last.state, next.state) {
            case (.submitted, .waiting, .submitted): true
            case (.refreshed, .waiting, .waiting), (.refreshed, .submitted, .waiting),
                (.refreshed, .gated, .waiting):
                true
            case (.gated, .waiting, .gated), (.gated, .submitted, .gated): true
            case (.redelivered, .purchased, .purchased), (.redelivered, .restored, .restored): true
            case (.deferred, .submitted, .deferred): next.order != nil
            case (.purchased, .submitted, .purchased), (.purchased, .deferred, .purchased):
                next.order.map { isFree($0, for: next) } ?? false
            // The charge of an earlier attempt arrived late.
            case (.purchased, .waiting, .purchased), (.purchased, .gated, .purchased):
                next.order.map { self.transaction(ofOrder: $0) == nil } ?? false
            case (.failed, .waiting, .failed), (.failed, .gated, .failed),
                (.failed, .submitted, .failed),
                (.failed, .deferred, .failed):
                true
            case (.revoked, .purchased, .purchased), (.revoked, .restored, .restored):
                next.charge?.revocation != nil && last.order == next.order
            case (.completing, .purchased, .completing): last.order == next.order
            case (.removed(.finished), .purchased, .purchased): last.needsNoCompletion
            case (.removed(.finished), .failed, .failed),
                (.removed(.finished), .restored, .restored),
                (.removed(.finished), .completing, .purchased):
                true
            case (.removed(.withdrawn), .waiting, .waiting), (.removed(.withdrawn), .gated, .gated):
                true
            case (.removed(.discardedByGate), .waiting, .waiting),
                (.removed(.discardedByGate), .submitted, .submitted),
                (.removed(.discardedByGate), .gated, .gated),
                (.removed(.rejectedAfterLogin), .waiting, .waiting):
                true
            case (.removed(.deleted), _, _): last.state == next.state
            default: false
            }
        guard isLegal, stored.isLive, next.revision == last.revision + 1,
            next.account == last.account, next.createdAt == last.createdAt,
            next.order == last.order || !isIndexed(place)
        else {
            throw IllegalRecord(
                "transaction \(next.id) cannot go from \(last.state.word) to \(next.state.word)")
        }
    }

    /// Whether a purchase may name an order. An order becomes one purchase, except for purchases of
    /// products that the account already owned.
    private func isFree(_ order: OrderID, for next: Transaction) -> Bool {
        next.charge?.offer == .alreadyOwned || (transaction(ofOrder: order) ?? next.id) == next.id
    }

    private mutating func accept(
        _ transaction: Transaction, key: OpaqueText?, _ record: Record
    ) throws(IllegalRecord) {
        guard transaction.state == .waiting, transaction.revision == 1,
            transaction.account == session?.account,
            key.map({ restores.keys[$0] == nil }) ?? true
        else { throw IllegalRecord("transaction \(transaction.id) cannot be accepted") }
        try insert(
            transaction, key: key, lastEvent: record.sequence, user: record.origin?.uid)
    }

    /// Adds a transaction from the record that it was sent to the store. A repair may have lost the
    /// earlier records; without the key of the call, a repeated call would pay again.
    private mutating func continueUnknown(
        _ change: TransactionChange, _ transaction: Transaction, _ record: Record
    ) throws(IllegalRecord) {
        guard case .submitted(let key?) = change, transaction.state == .submitted,
            transaction.revision > 1, let account = transaction.account,
            account == session?.account, restores.keys[key] == nil
        else { throw IllegalRecord("transaction \(transaction.id) is unknown") }
        try insert(transaction, key: key, lastEvent: record.sequence, user: nil)
    }

    /// Appends an unfinished transaction.
    mutating func insert(
        _ transaction: Transaction, key: OpaqueText?, lastEvent: SequenceNumber, user: UInt32?
    ) throws(IllegalRecord) {
        let position = nextPosition
        let stored = TransactionRecord(
            transaction: transaction, key: key, lastEvent: lastEvent, position: position,
            user: user)
        let place = try register(stored)
        unfinished.take(for: user)
        accounts[transaction.account, default: AccountIndex()].live.insert(
            place, position: position)
        enter(place, stored)
        if transaction.blocksRepetition { noteBlocking(place, transaction, isBlocking: true) }
        noteRestored(place, transaction, isLive: true)
        noteRepeat(transaction, isLive: true)
    }

    /// Adds a transaction to the table and to the indexes by id and key.
    ///
    /// - Parameter stored: The record; its position must be the next one.
    /// - Returns: The place of the record.
    /// - Throws: The id or the key is in use; nothing changed.
    mutating func register(_ stored: TransactionRecord) throws(IllegalRecord) -> Int32 {
        precondition(unindexed == nil, "batches are finished before another transaction")
        let id = stored.transaction.id
        guard locate(id) == nil else {
            throw IllegalRecord("transaction \(id) already exists")
        }
        let keyHash = stored.key?.spreadHash
        if let key = stored.key, let keyHash,
            indexByKey.place(keyHash, isMatch: { table.hasKey(key, at: $0) }) != nil
        {
            throw IllegalRecord("the key of transaction \(id) is taken")
        }
        let place = table.insert(stored)
        claimed.take(SpaceClaims(stored), for: stored.user)
        indexByID.insert(place, id.spreadHash)
        if let keyHash { indexByKey.insert(place, keyHash) }
        nextPosition += 1
        return place
    }

    private mutating func move(
        _ place: Int32, _ stored: TransactionRecord, from last: Transaction
    ) {
        let next = stored.transaction
        if last.state != .purchased { noteRepeat(next, isLive: true) }
        if last.blocksRepetition != next.blocksRepetition {
            noteBlocking(place, next, isBlocking: next.blocksRepetition)
        }
        // A transaction that keeps waiting keeps its place in the list.
        if last.state == .waiting, next.state == .waiting { return }
        leave(stored, last)
        enter(place, stored)
    }

    /// Updates the list of blocking transactions. Usually a transaction stops blocking. It starts
    /// to block only if a change of the catalogue makes its product one that is bought once.
    private mutating func noteBlocking(
        _ place: Int32, _ transaction: Transaction, isBlocking: Bool
    ) {
        let product = transaction.payment.product.product.productIdentifier
        withIndex(of: transaction.account) { index in
            if isBlocking {
                index.blocking[product, default: []].append(place)
            } else {
                index.blocking[product]?.removeAll { $0 == place }
                if index.blocking[product]?.isEmpty == true { index.blocking[product] = nil }
            }
        }
    }

    private mutating func remove(
        _ place: Int32, _ stored: TransactionRecord, _ transaction: Transaction, _ finish: Finish,
        _ sequence: SequenceNumber
    ) {
        var gone = stored
        gone.transaction = transaction
        gone.finished = finish
        gone.position = sequence
        oldestFinish = min(oldestFinish ?? finish.time, finish.time)
        unfinished.giveBack(of: stored.user)
        moveClaims(from: stored, to: gone)
        table[place] = gone
        let last = stored.transaction
        noteRepeat(last, isLive: false)
        leave(stored, last)
        if last.blocksRepetition { noteBlocking(place, last, isBlocking: false) }
        withIndex(of: transaction.account) { index in
            index.live.remove(position: stored.position)
            index.finished.insert(place, position: sequence)
        }
    }

    /// Removes a transaction from the counts and lists of its last state.
    private mutating func leave(_ stored: TransactionRecord, _ last: Transaction) {
        withIndex(of: last.account) { index in
            index.counts.add(-1, to: last.state)
            if last.state == .deferred { index.deferred.remove(position: stored.position) }
            if last.state == .waiting {
                let line = WaitingLine(last, of: stored.user)
                index.waiting[line]?.remove(position: stored.position)
                if index.waiting[line]?.count == 0 { index.waiting[line] = nil }
            }
        }
    }

    /// Adds a transaction to the counts and lists of its state.
    private mutating func enter(_ place: Int32, _ stored: TransactionRecord) {
        let next = stored.transaction
        let line = WaitingLine(next, of: stored.user)
        withIndex(of: next.account) { index in
            index.counts.add(1, to: next.state)
            switch next.state {
            case .deferred: index.deferred.insert(place, position: stored.position)
            case .waiting:
                index.waiting[line, default: PlaceList()].insert(place, position: stored.position)
            case .submitted, .gated: index.lastStarted = line.user
            case .purchased, .completing, .restored, .failed: break
            }
        }
    }

    /// Assigns the unfinished transactions without an account to the account that logged in, in the
    /// order of acceptance. Finished ones belong to it by ``ClaimList``.
    private mutating func claimUnowned(for account: AccountName) {
        guard let unowned = accounts[nil], unowned.live.count > 0 else {
            accounts.ensure(account)
            return
        }
        var rest = AccountIndex()
        rest.finished = unowned.finished
        accounts[nil, default: AccountIndex()] = rest
        for entry in unowned.live.all {
            let stored = claim(entry.place, for: account)
            accounts[account, default: AccountIndex()].live.insert(
                entry.place, position: stored.position)
            enter(entry.place, stored)
            if stored.transaction.blocksRepetition {
                noteBlocking(entry.place, stored.transaction, isBlocking: true)
            }
        }
    }

    /// Assigns a transaction to an account, at the end of its order of acceptance.
    private mutating func claim(
        _ place: Int32, for account: AccountName
    ) -> TransactionRecord {
        var stored = table[place]
        let before = stored
        stored.transaction.account = account
        stored.position = nextPosition
        moveClaims(from: before, to: stored)
        nextPosition += 1
        table[place] = stored
        return stored
    }

    mutating func keep(_ product: RecordedProduct) throws(IllegalRecord) {
        guard Int(product.number) == products.count + 1 else {
            throw IllegalRecord("product \(product.number) does not follow \(products.count)")
        }
        products.append(product)
        claimed.take(SpaceClaims(images: RecordSize.product(product)), for: nil)
        let key = ProductKey(
            identifier: product.product.productIdentifier, country: product.country)
        latestProducts[key, default: []].append(product)
        if let count = latestProducts[key]?.count, count > Self.productsRemembered {
            latestProducts[key]?.removeFirst()
        }
    }

    private mutating func forget(before: Timestamp) {
        restores.forget(before: before)
        observers.forget(before: before)
        guard let oldest = oldestFinish, oldest < before else { return }
        oldestFinish = nil
        for account in accounts.keys {
            for entry in Array(accounts[account]?.finished.all.map { $0 } ?? []) {
                guard let time = table[entry.place].finished?.time else { continue }
                guard time < before else {
                    oldestFinish = min(oldestFinish ?? time, time)
                    continue
                }
                forget(entry.place)
                withIndex(of: account) { $0.finished.remove(position: entry.position) }
            }
        }
    }

    private mutating func withIndex(
        of account: AccountName?, _ body: (inout AccountIndex) -> Void
    ) {
        body(&accounts[account, default: AccountIndex()])
    }
}

extension Transaction {
    /// Whether the transaction blocks another purchase of its product.
    var blocksRepetition: Bool {
        guard payment.product.product.type.isBoughtOnce else { return false }
        return switch state {
        case .waiting, .gated, .submitted, .deferred, .purchased, .restored: true
        case .completing, .failed: false
        }
    }
}

extension TransactionState {
    /// The name of the state for messages.
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .gated: "gated"
        case .submitted: "submitted"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .completing: "completing"
        case .restored: "restored"
        case .failed: "failed"
        }
    }
}

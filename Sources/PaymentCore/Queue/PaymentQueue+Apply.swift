/// A record that cannot follow the state it is applied to: the journal is not one of this queue, or
/// it was edited.
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
            forget(before: before)
        case .policyChanged(let policy):
            self.policy = policy
        case .questionOpened(let question):
            try open(question, record)
        case .questionClosed(let closing):
            try close(closing, record)
        case .restoreRequested(let restore, let key):
            try accept(restore, key: key)
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
        }
        head = record.sequence
    }

    private mutating func changeSession(
        to new: Session?, _ cause: SessionCause?, _ record: Record
    ) {
        endedSession =
            cause == .sessionEnded
            ? session.map { EndedSession(session: $0, endedAt: record.time) } : nil
        session = new
        guard let account = new?.account else { return }
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
            throw IllegalRecord("transaction \(transaction.id) is unknown")
        }
        let before = table[place]
        try check(change, from: before, to: transaction)
        if case .removed(let reason) = change {
            let finish = Finish(time: record.time, reason: reason, origin: record.origin)
            return remove(place, transaction, finish)
        }
        if change != .completing { table[place].lastEvent = record.sequence }
        if transaction.state == .purchased, let order = transaction.order,
            transaction.charge?.offer != .alreadyOwned
        {
            orders[order] = transaction.id
        }
        move(place, from: before.transaction, to: transaction)
    }

    /// Checks that a change is a legal step of the state machine.
    private func check(
        _ change: TransactionChange, from stored: TransactionRecord, to next: Transaction
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
                next.order.map { orders[$0] == nil } ?? false
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
            next.account == last.account, next.createdAt == last.createdAt
        else {
            throw IllegalRecord(
                "transaction \(next.id) cannot go from \(last.state.word) to \(next.state.word)")
        }
    }

    /// Whether a purchase may name an order. An order becomes one purchase, except for purchases of
    /// products that the account already owned.
    private func isFree(_ order: OrderID, for next: Transaction) -> Bool {
        next.charge?.offer == .alreadyOwned || (orders[order] ?? next.id) == next.id
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

    /// Appends an unfinished transaction.
    mutating func insert(
        _ transaction: Transaction, key: OpaqueText?, lastEvent: SequenceNumber, user: UInt32?
    ) throws(IllegalRecord) {
        let position = nextPosition
        let place = try register(
            TransactionRecord(
                transaction: transaction, key: key, lastEvent: lastEvent, position: position,
                user: user, finished: nil))
        unfinishedCount += 1
        accounts[transaction.account, default: AccountIndex()].live.append(
            place, position: position)
        enter(place, transaction, position: position)
        if transaction.blocksRepetition { noteBlocking(place, transaction, isBlocking: true) }
        noteRestored(transaction, isLive: true)
        noteRepeat(transaction, isLive: true)
    }

    /// Adds a transaction to the table and to the indexes by id and key.
    ///
    /// - Parameter stored: The record; its position must be the next one.
    /// - Returns: The place of the record.
    /// - Throws: The id or the key is in use; nothing changed.
    mutating func register(_ stored: TransactionRecord) throws(IllegalRecord) -> Int32 {
        let id = stored.transaction.id
        guard locate(id) == nil else {
            throw IllegalRecord("transaction \(id) already exists")
        }
        let keyHash = stored.key?.spreadHash
        if let keyHash, indexByKey.place(keyHash, isMatch: { table[$0].key == stored.key }) != nil {
            throw IllegalRecord("the key of transaction \(id) is taken")
        }
        let place = table.insert(stored)
        indexByID.insert(place, id.spreadHash)
        if let keyHash { indexByKey.insert(place, keyHash) }
        nextPosition = stored.position + 1
        return place
    }

    private mutating func move(_ place: Int32, from last: Transaction, to next: Transaction) {
        let position = table[place].position
        table[place].transaction = next
        if last.state != .purchased { noteRepeat(next, isLive: true) }
        if last.blocksRepetition != next.blocksRepetition {
            noteBlocking(place, next, isBlocking: next.blocksRepetition)
        }
        // A transaction that keeps waiting keeps its place in the list.
        if last.state == .waiting, next.state == .waiting { return }
        leave(place, last)
        enter(place, next, position: position)
    }

    /// Updates the list of blocking transactions. The change usually ends a block. A product that a
    /// catalogue changed to or from one that is bought once is the exception.
    private mutating func noteBlocking(
        _ place: Int32, _ transaction: Transaction, isBlocking: Bool
    ) {
        let product = transaction.payment.product.product.productIdentifier
        withIndex(of: transaction.account) { index, _ in
            if isBlocking {
                index.blocking[product, default: []].append(place)
            } else {
                index.blocking[product]?.removeAll { $0 == place }
                if index.blocking[product]?.isEmpty == true { index.blocking[product] = nil }
            }
        }
    }

    private mutating func remove(_ place: Int32, _ transaction: Transaction, _ finish: Finish) {
        let last = table[place].transaction
        let position = nextPosition
        nextPosition += 1
        table[place].transaction = transaction
        table[place].finished = finish
        unfinishedCount -= 1
        noteRepeat(last, isLive: false)
        leave(place, last)
        if last.blocksRepetition { noteBlocking(place, last, isBlocking: false) }
        table[place].position = position
        withIndex(of: transaction.account) { index, queue in
            index.live.noteRemoval(isCurrent: queue.isLive)
            index.finished.append(place, position: position)
        }
    }

    /// Removes a transaction from the counts and lists of its state. The record already holds the
    /// next snapshot, so that its old entry counts as stale.
    private mutating func leave(_ place: Int32, _ last: Transaction) {
        let user = table[place].user
        withIndex(of: last.account) { index, queue in
            index.counts.add(-1, to: last.state)
            if last.state == .deferred { index.deferred.remove(place) }
            if last.state == .waiting {
                let line = WaitingLine(last, of: user)
                index.waiting[line]?.noteRemoval(isCurrent: queue.isWaiting)
                if index.waiting[line]?.count == 0 { index.waiting[line] = nil }
            }
        }
    }

    private mutating func enter(_ place: Int32, _ next: Transaction, position: UInt64) {
        let line = WaitingLine(next, of: table[place].user)
        withIndex(of: next.account) { index, _ in
            index.counts.add(1, to: next.state)
            switch next.state {
            case .deferred: index.deferred.insert(place)
            case .waiting:
                index.waiting[line, default: PlaceList()].insert(place, position: position)
            case .submitted, .gated: index.lastStarted = line.user
            case .purchased, .completing, .restored, .failed: break
            }
        }
    }

    /// Gives what belongs to no account to the account that logged in, in the order of acceptance.
    private mutating func claimUnowned(for account: AccountName) {
        guard var unowned = accounts[nil], unowned.live.count > 0 || unowned.finished.count > 0
        else {
            accounts.ensure(account)
            return
        }
        let live = unowned.live.removeAll(isCurrent: isLive)
        let finished = unowned.finished.removeAll(isCurrent: isFinished)
        accounts[nil, default: AccountIndex()] = AccountIndex()
        for entry in live {
            let position = nextPosition
            nextPosition += 1
            table[entry.place].transaction.account = account
            table[entry.place].position = position
            accounts[account, default: AccountIndex()].live.append(entry.place, position: position)
            let transaction = table[entry.place].transaction
            enter(entry.place, transaction, position: position)
            if transaction.blocksRepetition {
                noteBlocking(entry.place, transaction, isBlocking: true)
            }
        }
        for entry in finished {
            let position = nextPosition
            nextPosition += 1
            table[entry.place].transaction.account = account
            table[entry.place].position = position
            accounts[account, default: AccountIndex()].finished.append(
                entry.place, position: position)
        }
    }

    mutating func keep(_ product: RecordedProduct) throws(IllegalRecord) {
        guard Int(product.number) == products.count + 1 else {
            throw IllegalRecord("product \(product.number) does not follow \(products.count)")
        }
        products.append(product)
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
        for account in accounts.keys {
            withIndex(of: account) { index, queue in
                while let oldest = index.finished.first(isCurrent: queue.isFinished),
                    let finish = queue.table[oldest.place].finished, finish.time < before
                {
                    let stored = queue.table[oldest.place]
                    queue.indexByID.remove(oldest.place, stored.transaction.id.spreadHash)
                    if let key = stored.key {
                        queue.indexByKey.remove(oldest.place, key.spreadHash)
                    }
                    queue.forgetRestored(stored.transaction)
                    queue.table.remove(oldest.place)
                    index.finished.noteRemoval(isCurrent: queue.isFinished)
                }
            }
        }
    }

    /// Changes an account's index while the rest of the queue is readable, without a copy of
    /// either.
    private mutating func withIndex(
        of account: AccountName?, _ body: (inout AccountIndex, inout PaymentQueue) -> Void
    ) {
        var index = AccountIndex()
        swap(&index, &accounts[account, default: AccountIndex()])
        body(&index, &self)
        swap(&index, &accounts[account, default: AccountIndex()])
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

import PaymentCore
import PaymentEngine
import PaymentTesting

/// What must hold at every moment.
extension World {
    /// A record was appended: the model follows, and some records have conditions of their own.
    func noteAppended(_ record: Record) {
        let record = unmarked(record)
        checkLeaving(record)
        if let finding = model.take(record) { return find(finding) }
        switch record.event {
        case .sessionChanged(let from, let to, let cause):
            sessionChanges += 1
            // The answer to a login may be older than the end of the session that it opened.
            if let to, to.account != from?.account, !store.forgotten.contains(to.account) {
                mayEnd.remove(to.account)
            }
            // Once more where the record of it was lost with the process.
            if cause == .sessionEnded, let from, !mayEnd.contains(from.account),
                !store.forgotten.contains(from.account)
            {
                find("the session of \(from.account) ended, and the store knows it")
            }
        case .questionClosed(let closing): closedQuestions.append(closing.id)
        case .restoreEnded(_, _, let outcome) where outcome != .failed(.cancelled):
            if !(life?.readers.contains { $0.observes } ?? false) {
                find("a restore ends at \(record.sequence) and nobody watches")
            }
        case .forgotten:
            namesAcknowledged = namesAcknowledged.filter { model.observers[$0.key] != nil }
        default: break
        }
        guard case .transaction(let change, let transaction) = record.event,
            let entry = model.entries[transaction.id]
        else { return }
        switch change {
        case .submitted: checkStart(entry)
        case .purchased:
            let order = transaction.order.flatMap { store.ledger.entries[$0] }
            let isOwn =
                transaction.charge?.offer == .alreadyOwned
                ? store.ledger.claims[entry.id] == transaction.order
                : order?.transaction == entry.id
            if !isOwn || order?.state != .paid {
                find("\(entry.id) is purchased and the store knows nothing of it")
            }
        case .appeared:
            if !(transaction.order.map { store.isPaid($0, by: entry.account) } ?? false) {
                find("\(entry.id) appeared and the store knows nothing of it")
            }
        case .restored: checkReturn(entry)
        case .removed(.finished) where transaction.state == .purchased:
            let isDone =
                transaction.charge?.offer == .alreadyOwned
                || transaction.order.map { store.isCompleted($0) } ?? false
            if !isDone { find("\(entry.id) left the queue and the store was not told") }
        case .removed(.deleted): checkDeletion(entry)
        default: break
        }
        checkFacts(transaction)
    }

    /// A purchase that was finished while its order was taken back said so, unless that was announced
    /// after it.
    private func checkLeaving(_ record: Record) {
        guard case .transaction(.removed(.finished), let transaction) = record.event,
            let entry = model.entries[transaction.id], let boughtAt = entry.boughtAt,
            let announcedAt = transaction.order.flatMap({ model.revokedOrders[$0] }),
            announcedAt < boughtAt, entry.transaction.charge?.revocation == nil
        else { return }
        find("\(entry.id) was finished, and nobody was told that its order was taken back")
    }

    /// A planted defect: a purchase that begins as a refunded one does not say so.
    private func unmarked(_ record: Record) -> Record {
        guard settings.defect == .marksAreForgotten,
            case .transaction(let change, var transaction) = record.event,
            change == .purchased || change == .appeared || change == .restored
        else { return record }
        var unmarked = record
        transaction.charge?.revocation = nil
        unmarked.event = .transaction(change, transaction)
        return unmarked
    }

    /// Something is given back: a restore wants it, and it can be given back at all.
    private func checkReturn(_ entry: Model.Entry) {
        let transaction = entry.transaction
        let isWanted = model.runningRestores.contains { id in
            guard let restore = model.restores[id], restore.account == entry.account else {
                return false
            }
            return restore.token == nil || restore.token == transaction.payment.appAccountToken
        }
        if !isWanted { find("\(entry.id) was given back and nobody asked for it") }
        let type = transaction.payment.product.product.type
        guard type == .nonConsumable || type == .autoRenewableSubscription,
            transaction.order.map({ store.isPaid($0, by: entry.account) }) ?? false
        else { return find("\(entry.id) cannot be given back") }
    }

    /// The store charges: what was asked for is what it costs.
    func checkCharge(_ request: OrderRequest, _ price: Price) {
        if !price.isZero, price != request.product.expectedPrice {
            find("\(request.transaction) was charged at a price that nobody was shown")
        }
        if model.entries[request.transaction]?.account != request.account {
            find("\(request.transaction) was charged to somebody else")
        }
    }

    private func checkStart(_ entry: Model.Entry) {
        let id = entry.id
        guard let session = model.session, session.account == entry.account else {
            return find("\(id) starts without its account")
        }
        if entry.transaction.country != session.country { find("\(id) starts in another country") }
        let product = entry.transaction.payment.product.product.productIdentifier
        let isWatched = life?.readers.contains { $0.watches(product) } ?? false
        if !isWatched { find("\(id) starts and nobody watches") }
        let hasAgent =
            life?.readers.contains {
                !$0.checker.isEnded && $0.request.agents.contains(.payment)
            } ?? false
        if hasAgent, !entry.isConfirmed { find("\(id) starts and no payment agent agreed") }
        if model.submittedCount(of: entry.account) > settings.limits.ordersInFlight {
            find("\(id) is one order too many at the store")
        }
        if model.isOvertaken(by: entry) { find("\(id) overtakes an earlier one") }
    }

    /// An order leaves for the store.
    ///
    /// - Parameters:
    ///   - request: The order.
    ///   - isSent: Whether it leaves now. An embedded store gets it in the turn that starts it, or a little
    ///     later, when much may have happened since.
    func checkSubmission(_ request: OrderRequest, isSent: Bool) {
        guard let life, !life.isOver else { return find("a dead process sent an order") }
        let id = request.transaction
        let isUndurable = life.journal.pending.contains { record in
            if case .transaction(.submitted, let transaction) = record.event {
                transaction.id == id
            } else {
                false
            }
        }
        // An embedded store has its records behind that of the order, in the same log.
        if isSent, isUndurable { find("an order for \(id) leaves before its record is durable") }
        guard let entry = model.entries[id],
            !isSent || entry.stage == .submitted || entry.stage == .deferred
        else { return find("an order for \(id) leaves without a record") }
        guard isSent else { return }
        if entry.account != request.account || model.session?.account != request.account {
            find("an order for \(id) leaves for the wrong account")
        }
        let payment = entry.transaction.payment
        if payment.product.product != request.product
            || payment.appAccountToken != request.appAccountToken
            || entry.transaction.country != request.country
            || entry.transaction.attempt != request.attempt
        {
            find("an order for \(id) is for something else")
        }
    }

    /// An embedded store completes an order, perhaps in the turn that has finished it.
    func checkLocalCompletion(_ order: OrderID, _ account: AccountName) {
        guard let life, !life.isOver else { return find("a dead process completed an order") }
        guard let id = model.orders[order], let entry = model.entries[id],
            entry.stage == .completing || entry.stage == .gone, entry.account == account
        else { return find("order \(order) is completed and nobody finished it") }
    }

    /// A completion leaves for the store, perhaps after a refund that counts as the completion.
    func checkCompletion(_ order: OrderID, _ account: AccountName) {
        guard let life, !life.isOver else { return find("a dead process completed an order") }
        guard let id = model.orders[order], let entry = model.entries[id],
            entry.stage == .completing || model.revokedOrders[order] != nil && entry.stage == .gone,
            entry.account == account
        else { return find("order \(order) is completed and nobody finished it") }
        let isUndurable = life.journal.pending.contains { record in
            if case .transaction(.completing, let transaction) = record.event {
                transaction.id == id
            } else {
                false
            }
        }
        if isUndurable { find("order \(order) is completed before the finish is durable") }
    }

    /// Something was delivered to a reader.
    func check(_ delivery: Delivery, _ reader: Reader) {
        if let finding = reader.checker.findings.first {
            return find("\(finding) (\(reader.request))")
        }
        let durable = log.last?.sequence ?? 0
        switch delivery {
        case .record(let record, let previous):
            checkNothingLeftOut(between: previous, and: record.sequence, reader)
            if record.sequence > durable { find("record \(record.sequence) was told too early") }
            checkOwner(of: record)
            checkTold(record)
            if case .questionOpened(let question) = record.event { checkTurn(question, reader) }
            guard case .transaction(let change, let transaction) = record.event else { break }
            let id = transaction.id
            if let told = removalsTold[id], record.sequence > told {
                find("\(id) was named at \(record.sequence), after its removal at \(told)")
            }
            if case .removed = change { removalsTold[id] = record.sequence }
        case .redelivery(let batch, let position):
            if position > durable { find("a redelivery as of \(position) came too early") }
            for transaction in batch {
                if removalsTold[transaction.id] != nil {
                    find("\(transaction.id) was redelivered after its removal")
                }
                if let entry = model.entries[transaction.id], entry.newestEvent > durable {
                    find("a redelivery shows \(transaction.id) as nobody may see it yet")
                }
                if transaction.account != durableAccount(transaction.id) {
                    find("\(transaction.id) was redelivered to the wrong session")
                }
            }
        case .question(let open, _): checkTurn(open.question, reader)
        case .caughtUp, .heartbeat, .gap, .ended: break
        }
        reader.sessionMark = sessionChanges
        if dice.chance(10) { cursors.append(reader.checker.last) }
    }

    /// Nothing of an account that is not in session is sent, but for what ended by its leaving.
    private func checkOwner(of record: Record) {
        guard let owner = model.owner(of: record), owner != model.session?.account else { return }
        let isEnd =
            switch record.event {
            case .restoreEnded, .questionClosed: true
            default: false
            }
        // More than one change of session may lie between a record and its telling.
        let next = model.formerSessions.last { $0.end > record.sequence && $0.account == owner }
        if isEnd, next != nil { return }
        find("record \(record.sequence) is of an account that is not in session")
    }

    /// What ends, ends once, in all lives.
    private func checkTold(_ record: Record) {
        let position = record.sequence
        switch record.event {
        case .restoreEnded(let id, _, _):
            if endsTold.updateValue(position, forKey: id) ?? position != position {
                find("restore \(id) was told to end twice")
            }
        case .questionClosed(let closing):
            if closingsTold.updateValue(position, forKey: closing.id) ?? position != position {
                find("question \(closing.id) was told to end twice")
            }
        case .entitlementsRevoked(let revocation):
            for order in revocation.orders
            where revocationsTold.updateValue(position, forKey: order) ?? position != position {
                find("order \(order) was told to be taken back twice")
            }
        default: break
        }
    }

    /// While one session lasts, a reader without filters is told of every record that it sees.
    private func checkNothingLeftOut(
        between previous: SequenceNumber, and next: SequenceNumber, _ reader: Reader
    ) {
        guard reader.sessionMark == sessionChanges, reader.request.kinds == nil,
            reader.request.products == nil
        else { return }
        var index = log.partitioningIndex(after: previous)
        while index < log.count, log[index].sequence < next {
            let record = log[index]
            index += 1
            guard EventKind(of: record.event) != nil else { continue }
            if let owner = model.owner(of: record), owner != model.session?.account { continue }
            // It is not the reader's turn, or was not when the record passed.
            if case .questionOpened(let question) = record.event, reader.isAgent(for: question) {
                continue
            }
            find("record \(record.sequence) was left out between \(previous) and \(next)")
        }
    }

    private func durableAccount(_ id: TransactionID) -> AccountName? {
        // Sessions change in turns of their own often enough; within a turn the engine waits.
        life?.journal.pending.isEmpty == true ? model.session?.account : model.entries[id]?.account
    }
}

extension [Record] {
    /// The index of the first record behind a position.
    func partitioningIndex(after position: SequenceNumber) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].sequence <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

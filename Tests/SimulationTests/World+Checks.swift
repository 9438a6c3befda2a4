import PaymentCore
import PaymentEngine
import PaymentTesting

/// What must hold at every moment.
extension World {
    /// A record was appended: the model follows, and some records have conditions of their own.
    func noteAppended(_ record: Record) {
        if let finding = model.take(record) { return find(finding) }
        if case .sessionChanged = record.event { sessionChanges += 1 }
        guard case .transaction(let change, let transaction) = record.event,
            let entry = model.entries[transaction.id]
        else { return }
        switch change {
        case .submitted: checkStart(entry)
        case .purchased:
            let order = transaction.order.flatMap { store.model.order($0) }
            if order?.request.transaction != entry.id || order?.state != .paid {
                find("\(entry.id) is purchased and the store knows nothing of it")
            }
        case .removed(.finished) where transaction.state == .purchased:
            let order = transaction.order.flatMap { store.model.order($0) }
            if order?.completions ?? 0 == 0 {
                find("\(entry.id) left the queue and the store was not told")
            }
        default: break
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
        if model.submittedCount(of: entry.account) > settings.limits.ordersInFlight {
            find("\(id) is one order too many at the store")
        }
        if model.isOvertaken(by: entry) { find("\(id) overtakes an earlier one") }
    }

    /// An order leaves for the store.
    func checkSubmission(_ request: OrderRequest) {
        guard let life, !life.isOver else { return find("a dead process sent an order") }
        let id = request.transaction
        let isUndurable = life.journal.pending.contains { record in
            if case .transaction(.submitted, let transaction) = record.event {
                transaction.id == id
            } else {
                false
            }
        }
        if isUndurable { find("an order for \(id) leaves before its record is durable") }
        guard let entry = model.entries[id], entry.stage == .submitted || entry.stage == .deferred
        else { return find("an order for \(id) leaves without a record") }
        if entry.account != request.account || model.session?.account != request.account {
            find("an order for \(id) leaves for the wrong account")
        }
        let payment = entry.transaction.payment
        if payment.product.product != request.product
            || payment.appAccountToken != request.appAccountToken
            || entry.transaction.country != request.country
        {
            find("an order for \(id) is for something else")
        }
    }

    /// A completion leaves for the store.
    func checkCompletion(_ order: OrderID, _ account: AccountName) {
        guard let life, !life.isOver else { return find("a dead process completed an order") }
        guard let id = model.orders[order], let entry = model.entries[id],
            entry.stage == .completing, entry.account == account
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
            guard case .transaction(let change, let transaction) = record.event else { return }
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
        case .question, .caughtUp, .heartbeat, .gap, .ended: break
        }
        reader.sessionMark = sessionChanges
        if dice.chance(10) { cursors.append(reader.checker.last) }
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
            guard RecordKind(record.event) != nil,
                case .transaction(_, let transaction) = record.event,
                let entry = model.entries[transaction.id],
                entry.account == model.session?.account
            else { continue }
            find("record \(record.sequence) was left out between \(previous) and \(next)")
        }
    }

    private func durableAccount(_ id: TransactionID) -> AccountName? {
        // Sessions change in turns of their own often enough; within a turn the engine waits.
        life?.journal.pending.isEmpty == true ? model.session?.account : model.entries[id]?.account
    }

    /// After a start: what was durable is there, and nothing that was never written.
    func checkRecovered(_ replayed: [Record]) {
        let durable = log.last?.sequence ?? 0
        let survivors = replayed.filter { $0.sequence > durable }
        guard comparesRecovery else { return replaceLog(replayed) }
        if survivors != Array(lastPending.prefix(survivors.count)) {
            find("a start found records that nobody wrote")
        }
        let known = replayed.count - survivors.count
        if Array(log.suffix(known)) != Array(replayed.prefix(known)) {
            find("a start found other records than were durable")
        }
        noteSurvivors(survivors)
    }

    /// After a start: what clients were told is still so.
    func checkAcknowledged() {
        for id in acknowledged where model.entries[id] == nil && !model.isForgotten(id) {
            find("\(id) was acknowledged and is gone")
        }
        for id in finishAcknowledged {
            let stage = model.entries[id]?.stage
            if stage != nil, stage != .completing, stage != .gone {
                find("\(id) was finished and is \(stage?.rawValue ?? "") again")
            }
        }
    }

    /// The queue holds what the model holds.
    func compareQueue() {
        guard let queue = life?.engine.queue, findings.isEmpty else { return }
        if queue.unfinishedCount != model.live.count {
            find("\(queue.unfinishedCount) unfinished, expected \(model.live.count)")
        }
        if queue.session != model.session { find("the session is another one") }
        for (id, entry) in model.entries {
            guard var transaction = queue.transaction(id) else {
                find("\(id) is missing")
                continue
            }
            if (queue.finish(of: id) != nil) != (entry.stage == .gone) {
                find("\(id) is \(entry.stage.rawValue) and the queue disagrees")
            }
            if transaction.account != entry.account { find("\(id) is somebody else's") }
            transaction.account = entry.transaction.account
            if transaction != entry.transaction { find("\(id) differs") }
        }
        var listed: [TransactionID] = []
        queue.forEachUnfinished { transaction, _, newest in
            listed.append(transaction.id)
            if model.entries[transaction.id]?.newestEvent != newest {
                find("\(transaction.id) has another newest event")
            }
            return true
        }
        if listed != model.visible.map(\.id) { find("the queue is in another order") }
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

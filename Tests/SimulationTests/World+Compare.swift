import PaymentCore
import PaymentEngine
import PaymentTesting

/// What must hold after a start, and between the queue and the model.
extension World {
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
        checkPromises()
    }

    /// After a start: what else clients were told is still so.
    private func checkPromises() {
        guard let queue = life?.engine.queue else { return }
        for id in restoresAcknowledged
        where model.restores[id] == nil && !model.forgottenRestores.contains(id) {
            find("restore \(id) was acknowledged and is gone")
        }
        for (name, position) in namesAcknowledged
        where queue.acknowledged(by: name) ?? 0 < position {
            find("observer \(name) had come to \(position) and has not any more")
        }
        guard policies.contains(queue.policy) else {
            return find("the policy that was set is not in force any more")
        }
        policies = [queue.policy]
    }

    /// What is no transaction: the queue holds what the model holds.
    private func compareRest(_ queue: PaymentQueue) {
        if Set(queue.visibleQuestions.map(\.id)) != model.visibleQuestions {
            find("other questions are open")
        }
        let running = model.runningRestores.filter {
            model.restores[$0]?.account == queue.session?.account
        }
        if queue.visibleRestores.map(\.id) != running { find("other restores are under way") }
        if queue.policy != model.policy { find("another policy is in force") }
        let names = queue.namedObservers
        let isSame = names.allSatisfy {
            model.observers[$0.name]?.position == $0.acknowledged
                && model.observers[$0.name]?.owner == $0.owner
        }
        if names.count != model.observers.count || !isSame { find("other names are known") }
        let revoked = model.revokedOrders.keys.map { ClosedKey.revokedOrder($0) }
        let known = try? queue.closedFacts(revoked, in: medium.history)
        if revoked.contains(where: { known?[$0] == nil }) {
            find("the queue forgot that an order was taken back")
        }
    }

    /// The queue holds what the model holds.
    func compareQueue() {
        guard let queue = life?.engine.queue, let reader = life?.engine.reader, findings.isEmpty
        else { return }
        if queue.unfinishedCount != model.live.count {
            find("\(queue.unfinishedCount) unfinished, expected \(model.live.count)")
        }
        if queue.session != model.session { find("the session is another one") }
        compareRest(queue)
        for (id, entry) in model.entries {
            guard let known = try? reader.transaction(id) else {
                find("\(id) is missing")
                continue
            }
            var transaction = known.transaction
            if (known.finish != nil) != (entry.stage == .gone) {
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

import PaymentCore
import PaymentEngine
import PaymentTesting

/// How a run ends: everything is put right, and then everything must have come to its end.
extension World {
    /// Repairs the world, lets everything be delivered, finished and completed, and looks at what
    /// is left.
    func settle() {
        drainCalls()
        checkUnderWay()
        guard findings.isEmpty else { return }
        kill()
        if !settings.isEmbedded { store.calmDown() }
        begin()
        if settings.isEmbedded { store.calmDown() }
        guard let life else { return }
        _ = try? life.engine.commands.setPolicy(GatePolicy(), origin: nil)
        policies.append(GatePolicy())
        for account in [Samples.bert, Samples.anna] {
            guard findings.isEmpty else { return }
            settle(account, life)
        }
        guard findings.isEmpty else { return }
        compareQueue()
        if !model.live.isEmpty { find("\(model.live.count) transactions came to no end") }
        compareStore()
    }

    /// Everybody who waits gets an answer, whoever keeps silent.
    private func drainCalls() {
        guard let life, !life.calls.isEmpty else { return }
        store.isDown = false
        life.nextFate = .kept
        life.open(SubscriptionRequest(mayAnswer: true), world: self)
        for _ in 0..<6 where !life.calls.isEmpty && !life.hasFailed { rest(life) }
        if !life.hasFailed, let call = life.calls.first {
            find("request \(call.number) was never answered")
        }
    }

    /// What is under way comes to its end by itself, without a start or a login that begins it anew.
    private func checkUnderWay() {
        guard let life, !life.hasFailed else { return }
        store.calmDown()
        // An order that waits for somebody's approval is the store's to tell of.
        func forgotten() -> Effect? {
            let deferred = life.engine.queue.deferredEffects()
            return life.engine.queue.pendingEffects().first { !deferred.contains($0) }
        }
        for _ in 0..<6 where !life.hasFailed && forgotten() != nil { rest(life) }
        rest(life)
        if !life.hasFailed { checkAsked(life) }
        guard !life.hasFailed, let effect = forgotten() else { return }
        find("\(effect.transaction) waits for an answer that nobody asks for")
    }

    /// An agent that is there has been asked to log in, if the store has ended the session.
    private func checkAsked(_ life: Life) {
        guard let ended = life.engine.queue.endedSession, ended.question == nil,
            life.readers.contains(where: {
                $0.request.agents.contains(.login) && !$0.checker.isEnded
            })
        else { return }
        find("no agent was asked about the session that the store ended")
    }

    private func settle(_ account: AccountName, _ life: Life) {
        life.engine.store.sessions.logIn(account: account, credential: nil, origin: nil) { _ in }
        rest(life)
        life.open(SubscriptionRequest(after: 0), world: self)
        life.open(SubscriptionRequest(mayAnswer: true), world: self)
        rest(life)
        for _ in 0..<30 where model.visible.contains(where: { isOpen($0.stage) }) {
            for order in store.deferred {
                store.decide(order.order, order.account, isApproved: true)
            }
            // Deferred orders are asked for again by whoever logs in.
            life.engine.store.sessions.logOut(origin: nil)
            life.engine.store.sessions.logIn(account: account, credential: nil, origin: nil) { _ in
            }
            rest(life)
        }
        // A purchase of the queue may have taken back a change that was to come; the store's feed, which
        // says so, is not simulated for the queue's own orders.
        life.engine.store.reconciliation.want()
        rest(life)
        checkKnowledge(life)
        checkRevocations(of: account, until: .max)
        compareViews()
        // What did not fit into the queue comes when there is room.
        for _ in 0..<8 where !model.visible.isEmpty || hasUnfinished(account) {
            for entry in model.visible { finish(entry.id, life) }
            rest(life)
            life.engine.store.reconciliation.want()
            rest(life)
        }
        if let entry = model.visible.first {
            find("\(entry.id) of \(account) stays \(entry.stage.rawValue)")
        }
        checkAccount(account)
    }

    private func hasUnfinished(_ account: AccountName) -> Bool {
        !store.unfinished(of: account).isEmpty
    }

    /// The account is at rest: nothing is left at the store, nothing was kept from observers.
    private func checkAccount(_ account: AccountName) {
        if let purchase = store.unfinished(of: account).first {
            find("order \(purchase.order) is paid and was never brought")
        }
        for entry in store.ledger.entries.values
        where entry.account == account && entry.revocation != nil && entry.deletedAt == nil
            && model.revokedOrders[entry.order] == nil
        {
            find("order \(entry.order) was taken back and nobody heard of it")
        }
        for id in model.runningRestores where model.restores[id]?.account == account {
            find("restore \(id) never ended")
        }
        for question in model.questions.values where question.account == account {
            find("question \(question.id) (\(question.kind)) was never closed")
        }
    }

    private func isOpen(_ stage: Model.Stage) -> Bool {
        stage == .waiting || stage == .gated || stage == .submitted || stage == .deferred
    }

    /// Lets everything happen that is under way.
    func rest(_ life: Life) {
        store.isFaulty = false
        defer { store.isFaulty = true }
        for round in 0..<40 {
            logNews()
            life.loop.advance(by: .seconds(60))
            // Requests that the embedded store does not answer now are repeated within a minute.
            guard store.messageCount > 0 || settings.isEmbedded && round < 4 else { return }
            while store.messageCount > 0 {
                store.deliverOne(&dice, isFaulty: false)
                life.loop.runUntilIdle()
            }
        }
    }

    /// Everybody who keeps up knows everything that is unfinished, as it is.
    private func checkKnowledge(_ life: Life) {
        for reader in life.readers {
            reader.room = nil
            if let subscription = reader.subscription { life.engine.catchUp.resume(subscription) }
        }
        life.loop.runUntilIdle()
        for reader in life.readers where reader.isPromisedAll && !reader.checker.isEnded {
            if !reader.checker.isCaughtUp { find("a reader never caught up (\(reader.request))") }
            for entry in model.visible where entry.stage != .completing {
                let product = entry.transaction.payment.product.product.productIdentifier
                guard reader.request.products?.contains(product) ?? true else { continue }
                if reader.checker.known[entry.id]?.revision != entry.transaction.revision {
                    find("a reader does not know \(entry.id) (\(reader.request))")
                }
            }
        }
    }

    /// Orders and transactions correspond one to one, and every paid order was completed.
    private func compareStore() {
        for (transaction, count) in store.charges where count > 1 {
            find("\(transaction) was charged \(count) times")
        }
        for entry in store.ledger.entries.values where entry.deletedAt == nil {
            switch entry.state {
            case .paid: checkPaid(entry)
            case .deferred: find("order \(entry.order) is still deferred")
            case .failed: break
            }
        }
        for (order, id) in model.orders {
            let account = model.entries[id]?.account
            if account != nil, !store.isPaid(order, by: account) {
                find("\(id) has an order that the store does not know")
            }
        }
    }

    private func checkPaid(_ entry: Ledger.Entry) {
        let isCompleted = store.isCompleted(entry.order)
        if !isCompleted, model.orders[entry.order] != nil || store.isOffered(entry.order) {
            find("order \(entry.order) was never completed")
        }
        guard let id = entry.transaction else { return }
        guard let owner = model.orders[entry.order] else {
            // What another order of its chain came after is completed with that.
            if !isCompleted, !entry.wasInterrupted {
                find("\(id) was paid and never purchased")
            }
            return
        }
        // What is paid late, after its transaction has failed or is gone, becomes another's.
        if owner != id, !store.forgetsRefusals, !entry.wasInterrupted {
            find("the order of \(id) became \(owner)")
        }
    }

    /// A planted defect on the way to a reader.
    func arrives(_ delivery: Delivery) -> Bool {
        switch (settings.defect, delivery) {
        case (.deliveryIsLost, .record): !dice.chance(2)
        case (.redeliveryIsLost, .redelivery): false
        default: true
        }
    }

    /// A planted defect: something of an account that is not in session.
    func stray() -> Record? {
        guard settings.defect == .strangersAreShown, dice.chance(5) else { return nil }
        return log.last { record in
            model.owner(of: record).map { $0 != model.session?.account } ?? false
        }
    }

    /// A planted defect in reading the log.
    func distorted(_ records: [Record]) -> [Record] {
        var records = records
        guard records.count > 2 else { return records }
        switch settings.defect {
        case .readingSkips: records.remove(at: records.count / 2)
        case .readingDoubles: records.insert(records[0], at: 1)
        default: break
        }
        return records
    }
}

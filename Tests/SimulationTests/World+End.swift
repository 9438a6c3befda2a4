import PaymentCore
import PaymentEngine
import PaymentTesting

/// How a run ends: everything is put right, and then everything must have come to its end.
extension World {
    /// Repairs the world, lets everything be delivered, finished and completed, and looks at what
    /// is left.
    func settle() {
        kill()
        store.isDown = false
        store.model.mood = .charging
        store.model.barred = []
        begin()
        guard let life else { return }
        for account in [Samples.bert, Samples.anna] {
            guard findings.isEmpty else { return }
            settle(account, life)
        }
        guard findings.isEmpty else { return }
        compareQueue()
        if !model.live.isEmpty { find("\(model.live.count) transactions came to no end") }
        compareStore()
    }

    private func settle(_ account: AccountName, _ life: Life) {
        life.engine.logIn(account: account, credential: nil, origin: nil) { _ in }
        rest(life)
        life.open(SubscriptionRequest(after: 0), world: self)
        life.open(SubscriptionRequest(), world: self)
        rest(life)
        for _ in 0..<30 where model.visible.contains(where: { isOpen($0.stage) }) {
            for transaction in store.model.history {
                store.model.decide(transaction, isApproved: true)
            }
            // Deferred orders are asked for again by whoever logs in.
            life.engine.logOut(origin: nil)
            life.engine.logIn(account: account, credential: nil, origin: nil) { _ in }
            rest(life)
        }
        checkKnowledge(life)
        for entry in model.visible { finish(entry.id, life) }
        rest(life)
        if let entry = model.visible.first {
            find("\(entry.id) of \(account) stays \(entry.stage.rawValue)")
        }
    }

    private func isOpen(_ stage: Model.Stage) -> Bool {
        stage == .waiting || stage == .submitted || stage == .deferred
    }

    /// Lets everything happen that is under way.
    private func rest(_ life: Life) {
        for _ in 0..<40 {
            life.loop.advance(by: .seconds(60))
            guard store.messageCount > 0 else { return }
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
            if let subscription = reader.subscription { life.engine.resume(subscription) }
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
        for id in store.model.history {
            guard let order = store.model.orders[id] else { continue }
            switch order.state {
            case .paid:
                if model.orders[order.id] != id { find("\(id) was paid and never purchased") }
                if order.completions == 0 { find("\(id) was finished and never completed") }
            case .deferred: find("\(id) is still deferred")
            case .failed: break
            }
        }
        for (order, id) in model.orders where store.model.order(order)?.request.transaction != id {
            find("\(id) has an order that the store does not know")
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

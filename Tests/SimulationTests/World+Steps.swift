import PaymentCore
import PaymentEngine
import PaymentTesting

/// What happens in the world: clients call, the store answers, things break.
extension World {
    func step() {
        guard let life else { return }
        switch dice.below(120) {
        case 0..<17: add(life)
        case 17..<30: finish(life)
        case 30..<48: work(life)
        case 48..<70: store.deliverOne(&dice, isFaulty: true)
        case 70..<75: pace(life)
        case 75..<80: subscribe(life)
        case 80..<82: if let reader = dice.pick(life.readers) { life.close(reader) }
        case 82..<86: life.loop.advance(by: .milliseconds(dice.below(2000)))
        case 86..<89: session(life)
        case 89..<93: unsettle()
        case 93..<95: approve()
        case 95: life.engine.forget(before: forgettingTime)
        case 96: if life.journal.pending.isEmpty { medium.trim(&dice) }
        case 97..<101: callAndWait(life)
        case 101..<105: answerQuestion(life)
        case 105: giveUp(life)
        case 106: setPolicy(life)
        case 107..<110: restore(life)
        case 110: acknowledge(life)
        case 111..<114: surprise(life)
        case 114: if dice.chance(20) { life.loop.advance(by: .seconds(16 * 60)) }
        default: breakSomething(life)
        }
    }

    /// The store has news of its own, and mostly says so.
    private func surprise(_ life: Life) {
        let account = dice.chance(70) ? Samples.anna : Samples.bert
        switch dice.below(4) {
        case 0: store.buyElsewhere(account, &dice)
        case 1: store.renew(account, &dice)
        case 2: store.refund(account, &dice)
        default: break
        }
        if dice.chance(70) { life.engine.storeDidChange(.orders(account)) }
    }

    private var forgettingTime: Timestamp {
        // What was finished in the last thousand looks at the clock is still remembered.
        Timestamp(milliseconds: (log.last?.time.milliseconds ?? 0) - 1000)
    }

    private func work(_ life: Life) {
        if dice.chance(50) {
            life.loop.runUntilIdle()
        } else {
            for _ in 0...dice.below(5) { life.loop.runOne() }
        }
    }

    private func pace(_ life: Life) {
        guard let reader = dice.pick(life.readers) else { return }
        reader.room = dice.pick([nil, nil, 0, 1, 4]) ?? nil
        if let subscription = reader.subscription, reader.hasRoom {
            life.engine.resume(subscription)
        }
    }

    private func subscribe(_ life: Life) {
        guard life.readers.count < 6 else { return }
        let head = life.engine.durableHead
        var after: SequenceNumber?
        if dice.chance(60) { after = min(dice.pick(cursors) ?? 0, head) }
        let kinds: Set<RecordKind>? =
            dice.chance(15) ? [.transactionsRemoved, .storefrontChanged] : nil
        let products: Set<ProductIdentifier>? =
            dice.chance(25) ? [Samples.coins, Samples.book] : nil
        var request = SubscriptionRequest(
            after: after, kinds: kinds, products: products, isPassive: dice.chance(25),
            heartbeat: dice.chance(10) ? .seconds(1) : nil,
            onGap: dice.chance(80) ? .snapshot : .end, mayAnswer: dice.chance(40))
        if dice.chance(25) { request.agents = [dice.chance(60) ? .payment : .login] }
        if dice.chance(15) {
            request.name = OpaqueText("observer \(dice.below(5))")
            request.after = nil
        }
        life.open(request, world: self)
    }

    private func session(_ life: Life) {
        switch dice.below(11) {
        case 0..<2: life.engine.logOut(origin: nil)
        case 10: forgetSession(life)
        case 2: _ = try? life.engine.assume(dice.pick([nil, Samples.norway]) ?? nil, origin: nil)
        case 3..<5:
            let country = dice.pick([Samples.germany, Samples.france, Samples.norway])
            store.model.countries[Samples.anna] = country
            if life.engine.queue.session?.account == Samples.anna {
                if dice.chance(50) {
                    life.engine.storeChanged(paymentsAllowed: nil, country: country)
                } else {
                    life.engine.storeDidChange(.account(dice.chance(50) ? nil : Samples.anna))
                }
            }
        default:
            let account = dice.chance(70) ? Samples.anna : Samples.bert
            life.engine.logIn(account: account, credential: nil, origin: nil) { _ in }
        }
    }

    /// The store ends the session, and mostly tells by itself that there is something to ask for.
    private func forgetSession(_ life: Life) {
        guard let account = life.engine.queue.session?.account else { return }
        store.forgotten.insert(account)
        mayEnd.insert(account)
        if dice.chance(70) { life.engine.storeDidChange(.account(account)) }
    }

    /// The store changes its mind about something.
    private func unsettle() {
        switch dice.below(5) {
        case 0:
            store.model.mood =
                dice.pick([.charging, .charging, .deferring, .declining])
                ?? .charging
        case 1:
            let country = dice.pick([Samples.germany, Samples.france]) ?? Samples.germany
            let amount = "\(5 + dice.below(4)).99"
            store.model.catalogues[country] = Samples.catalogue(of: country, amount: amount)
            if dice.chance(40) { life?.engine.storeDidChange(.catalogue) }
        case 2:
            store.isDown = dice.chance(40)
            faults += 1
        case 3:
            let isAllowed = dice.chance(80)
            store.model.barred = isAllowed ? [] : [Samples.anna]
            if life?.engine.queue.session?.account == Samples.anna {
                life?.engine.storeChanged(paymentsAllowed: isAllowed, country: nil)
            }
        default: store.isDown = false
        }
    }

    private func approve() {
        let deferred = store.model.history.filter { store.model.orders[$0]?.state == .deferred }
        guard let transaction = dice.pick(deferred) else { return }
        store.model.decide(transaction, isApproved: dice.chance(70))
    }

    private func breakSomething(_ life: Life) {
        switch dice.below(12) {
        case 0..<2: life.nextFate = .diesBefore
        case 2..<5: life.nextFate = .diesAfter
        case 5..<7: life.nextFate = .fails
        case 7: store.restart()
        case 8: rogueOrder(life)
        case 9:
            life.engine.stop()
            if life.hasFailed { return }
            restart()
        default: restart()
        }
    }

    /// A kill between two pieces of work, and a new start.
    private func restart() {
        faults += 1
        kill()
        begin()
    }

    /// Planted: an order that the rules do not allow.
    private func rogueOrder(_ life: Life) {
        let stage: Model.Stage = settings.defect == .orderWithoutRecord ? .waiting : .gone
        guard settings.defect == .orderWithoutRecord,
            let entry = model.visible.first(where: { $0.stage == stage }),
            let account = entry.account
        else { return }
        let transaction = entry.transaction
        let request = OrderRequest(
            transaction: entry.id, account: account, product: transaction.payment.product.product,
            country: transaction.country, appAccountToken: transaction.payment.appAccountToken)
        life.gateway.submit(request) { _ in }
    }
}

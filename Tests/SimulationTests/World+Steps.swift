import PaymentCore
import PaymentEngine
import PaymentTesting

/// What happens in the world: clients call, the store answers, things break.
extension World {
    func step() {
        guard let life else { return }
        switch dice.below(125) {
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
        case 95: life.engine.commands.forget(before: forgettingTime)
        case 96: if life.journal.isSettled, !store.hasUnlogged { medium.trim(&dice) }
        case 97..<101: callAndWait(life)
        case 101..<105: answerQuestion(life)
        case 105: giveUp(life)
        case 106: setPolicy(life)
        case 107..<110: restore(life)
        case 110: acknowledge(life)
        case 111..<117: surprise()
        case 117: reconcile(life)
        case 118: if dice.chance(20) { life.loop.advance(by: .seconds(16 * 60)) }
        default: breakSomething(life)
        }
        if settings.isEmbedded { logNews() } else { tellNews() }
    }

    /// Records the changes that the store made by itself.
    func logNews() {
        guard settings.isEmbedded, store.hasUnlogged, let life, !life.hasFailed else { return }
        life.engine.run { [store = Unshared(store)] _ in
            ((), store.value.takeEffects())
        } whenCommitted: { (_: Void?) in
        }
    }

    /// The store has news of its own.
    private func surprise() {
        store.surprise(dice.chance(70) ? Samples.anna : Samples.bert, &dice)
    }

    /// The store mostly says when orders have changed.
    private func tellNews() {
        for account in store.takeChanged() where dice.chance(70) {
            life?.engine.store.didChange(.orders(account))
        }
    }

    private var forgettingTime: Timestamp {
        // Transactions finished in the last thousand looks at the clock are still remembered. With an embedded
        // store a run has more looks, and the model does not know what an owner of a forgotten thing saw.
        let looks: Int64 = settings.isEmbedded ? 10_000 : 1000
        return Timestamp(milliseconds: (log.last?.time.milliseconds ?? 0) - looks)
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
            life.engine.catchUp.resume(subscription)
        }
    }

    private func subscribe(_ life: Life) {
        guard life.readers.count < 6 else { return }
        let head = life.engine.durableHead
        var after: SequenceNumber?
        if dice.chance(60) { after = min(dice.pick(cursors) ?? 0, head) }
        let kinds: Set<EventKind>? =
            dice.chance(15) ? [.transactionsRemoved, .storefrontChanged] : nil
        let products: Set<ProductIdentifier>? =
            dice.chance(25) ? [Samples.coins, Samples.book, Market.gold] : nil
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
        case 0..<2: life.engine.store.sessions.logOut(origin: nil)
        case 10: forgetSession(life)
        case 2:
            _ = try? life.engine.store.catalogues.assume(
                dice.pick([nil, Market.japan]) ?? nil, origin: nil)
        case 3..<5:
            let country = dice.pick(Market.countries) ?? Samples.germany
            store.market.countries[Samples.anna] = country
            if life.engine.queue.session?.account == Samples.anna {
                if dice.chance(50) {
                    life.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: country)
                } else {
                    life.engine.store.didChange(.account(dice.chance(50) ? nil : Samples.anna))
                }
            }
        default:
            let account = dice.chance(70) ? Samples.anna : Samples.bert
            life.engine.store.sessions.logIn(account: account, credential: nil, origin: nil) { _ in
            }
        }
    }

    /// The store ends the session, and mostly tells by itself that there is something to ask for.
    private func forgetSession(_ life: Life) {
        guard let account = life.engine.queue.session?.account else { return }
        store.forgotten.insert(account)
        mayEnd.insert(account)
        if dice.chance(70) { life.engine.store.didChange(.account(account)) }
    }

    /// The store changes its mind about something.
    private func unsettle() {
        switch dice.below(6) {
        case 0: changeMood()
        case 1:
            let country = dice.pick(Market.countries) ?? Samples.germany
            store.market.basePrices[country] = Int64(599 + 100 * dice.below(4))
            if dice.chance(40) { life?.engine.store.didChange(.catalogue) }
        case 2:
            store.isDown = dice.chance(40)
            faults += 1
        case 3:
            let isAllowed = dice.chance(80)
            store.market.barred = isAllowed ? [] : [Samples.anna]
            if life?.engine.queue.session?.account == Samples.anna {
                life?.engine.store.sessions.storeChanged(paymentsAllowed: isAllowed, country: nil)
            }
        case 4:
            let isFailing = dice.chance(40)
            let isGraced = dice.chance(50)
            store.set {
                $0.shouldEnterBillingRetryOnRenewal = isFailing
                $0.billingGracePeriodIsEnabled = isGraced
            }
        default: store.isDown = false
        }
    }

    private func changeMood() {
        let mood = dice.below(6)
        store.set {
            $0.askToBuyEnabled = mood == 0
            $0.failTransactionsEnabled = mood == 1
            $0.interruptedPurchasesEnabled = mood == 2
        }
    }

    private func approve() {
        guard let order = dice.pick(store.deferred) else { return }
        store.decide(order.order, order.account, isApproved: dice.chance(70))
    }

    private func breakSomething(_ life: Life) {
        switch dice.below(12) {
        case 0: life.nextFate = .fenced
        case 1: life.nextFate = .diesBefore
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
        life.gateway?.send(.submit(request) { _ in })
    }
}

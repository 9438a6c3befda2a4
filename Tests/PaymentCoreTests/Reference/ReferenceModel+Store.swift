/// What leaves for the store, and what it answers.
extension ReferenceModel {
    /// Rules 1 and 7: what may start, does so in the order of acceptance.
    mutating func start(_ world: World) -> String {
        while step(world) {}
        return happened.isEmpty ? "nothing" : "started"
    }

    private mutating func step(_ world: World) -> Bool {
        guard let session else { return false }
        let mine = items.filter { $0.account == session.account && $0.isLive }
        guard mine.count(where: { $0.stage == .submitted }) < mostInFlight,
            let item = mine.filter({ $0.stage == .waiting && isWatched($0.product) })
                .min(by: { $0.rank < $1.rank })
        else { return false }
        guard item.country == session.country else {
            elsewhere(item, session.country, world)
            return true
        }
        if hasPaymentAgent, !item.isConfirmed {
            ask(item, isPayment: true, item.price, item.country, world)
        } else {
            change(item.id, "submitted") {
                $0.stage = .submitted
                $0.attempt += 1
            }
        }
        return true
    }

    private mutating func elsewhere(_ item: Item, _ country: String, _ world: World) {
        if mode == "stop" { return remove(item.id, "discardedByGate", at: world.now) }
        guard let price = world.prices[country]?[item.product] else {
            return fail(item.id, "internalError:productNotAvailable")
        }
        if mode == "ask" { return ask(item, isPayment: false, price, country, world) }
        change(item.id, "refreshed") {
            $0.country = country
            $0.price = price
            $0.isConfirmed = false
        }
    }

    private func isWatched(_ product: String) -> Bool {
        watchesEverything || watched?.contains(product) ?? false
    }

    private mutating func ask(
        _ item: Item, isPayment: Bool, _ price: String, _ country: String, _ world: World
    ) {
        let ask = Ask(
            id: freshID(), isPayment: isPayment, item: item.id, account: item.account,
            product: item.product, price: price, country: country,
            fallback: isPayment ? false : fallback)
        asks.append(ask)
        happened.append(
            "asked ?\(ask.id) \(isPayment ? "payment" : "shouldContinue") #\(item.id) \(price) \(country)"
        )
        change(item.id, "gated") { $0.stage = .gated }
    }

    /// Rule 10: an order becomes one purchase, ever; what has ended stays as it ended.
    mutating func outcome(_ outcome: Outcome, for id: Int, _ world: World) -> String {
        guard let item = item(id), item.stage == .submitted || item.stage == .deferred else {
            return "late"
        }
        switch outcome {
        case .purchased(let order):
            guard ledger[order].map({ $0 == id }) ?? true else {
                fail(id, "internalError:orderReused")
                return "reused"
            }
            pay(id, order: order, original: order)
        case .alreadyOwned(let order, let token):
            let isRevoked = revoked.contains(order)
            change(id, "purchased") {
                $0.stage = .purchased
                $0.order = order
                $0.originalOrder(order)
                $0.token = token
                $0.isOwned = true
                $0.isRevoked = isRevoked
            }
        case .deferred(let order):
            guard item.stage == .submitted else { return "late" }
            change(id, "deferred") {
                $0.stage = .deferred
                $0.order = order
            }
        case .declined(let order): fail(id, "internalError:declined", order: order)
        case .notSold: fail(id, "internalError:productNotAvailable")
        case .priceChanged(let price): priceChanged(item, price, world)
        case .countryChanged: countryChanged(item)
        }
        return "heard"
    }

    private mutating func priceChanged(_ item: Item, _ price: String, _ world: World) {
        let isShown = price == item.price
        let policy = isShown ? "continue" : mode
        guard item.stage == .submitted, policy != "continue" || item.attempt < 8 else {
            return fail(item.id, "internalError:priceChanged")
        }
        if let session, session.account == item.account, session.country != item.country {
            return change(item.id, "refreshed") { $0.stage = .waiting }
        }
        switch policy {
        case "continue":
            change(item.id, "refreshed") {
                $0.stage = .waiting
                $0.price = price
                if !isShown { $0.isConfirmed = false }
            }
        case "stop": remove(item.id, "discardedByGate", at: world.now)
        default: ask(item, isPayment: false, price, item.country, world)
        }
    }

    private mutating func countryChanged(_ item: Item) {
        guard item.stage == .submitted, item.attempt < 8 else {
            return fail(item.id, "internalError:countryChanged")
        }
        change(item.id, "refreshed") { $0.stage = .waiting }
    }

    private mutating func pay(_ id: Int, order: Int, original: Int) {
        ledger[order] = id
        let isRevoked = revoked.contains(order)
        change(id, "purchased") {
            $0.stage = .purchased
            $0.order = order
            $0.originalOrder(original)
            $0.isRevoked = isRevoked
        }
    }

    /// The store was told of a delivery.
    mutating func completed(_ id: Int, _ world: World) -> String {
        guard item(id)?.stage == .completing else { return "late" }
        remove(id, "finished", at: world.now)
        return "heard"
    }

    /// What the store says to an order.
    enum Outcome {
        case purchased(Int)
        case alreadyOwned(Int, String?)
        case deferred(Int)
        case declined(Int)
        case notSold
        case priceChanged(String)
        case countryChanged
    }
}

/// Questions.
extension ReferenceModel {
    mutating func answer(_ id: Int, _ value: Bool, _ world: World) -> String {
        guard let ask = asks.first(where: { $0.id == id }), ask.account == session?.account else {
            let wasSeen = closedAsks.contains { $0.id == id && $0.account == session?.account }
            return wasSeen ? "questionClosed" : "unknownQuestion"
        }
        end(ask, value, "answered", world)
        return "accepted"
    }

    mutating func timeOut(_ id: Int, _ world: World) -> String {
        guard let ask = asks.first(where: { $0.id == id }) else { return "late" }
        end(ask, ask.fallback, "timedOut", world)
        return "heard"
    }

    /// Nobody is left who could ask about charges.
    mutating func agentGone(_ world: World) -> String {
        for ask in asks where ask.isPayment && ask.account == session?.account {
            close(ask, value: nil, "agentGone", after: { $0.fail($1, "presentationFailed") })
        }
        return "heard"
    }

    private mutating func end(_ ask: Ask, _ value: Bool, _ why: String, _ world: World) {
        if value {
            close(ask, value: true, why)
            change(ask.item, "refreshed") {
                $0.stage = .waiting
                $0.isConfirmed = ask.isPayment
                $0.price = ask.price
                $0.country = ask.country
            }
        } else if ask.isPayment {
            let failure = why == "answered" ? "cancelled" : "presentationFailed"
            close(ask, value: false, why) { $0.fail($1, failure) }
        } else {
            close(ask, value: false, why) { $0.remove($1, "discardedByGate", at: world.now) }
        }
    }

    /// Closes a question, after what its end does to the transaction where that comes first.
    mutating func close(
        _ ask: Ask, value: Bool?, _ why: String,
        after: (inout ReferenceModel, Int) -> Void = { _, _ in }
    ) {
        after(&self, ask.item)
        asks.removeAll { $0.id == ask.id }
        closedAsks.append((ask.id, ask.account))
        if closedAsks.count > 1024 { closedAsks.removeFirst() }
        happened.append("closed ?\(ask.id) \(value.map { "\($0)" } ?? "-") \(why)")
    }

    mutating func closeAsk(about item: Int, value: Bool?, _ why: String) {
        if let ask = asks.first(where: { $0.item == item }) { close(ask, value: value, why) }
    }
}

/// What the store names by itself, and restores.
extension ReferenceModel {
    /// Something that was paid.
    struct Purchase {
        var order: Int
        var original: Int
        var asker: Int?
        var product: String
        var price: String
        var country: String
        var token: String?
        var isRenewal: Bool
        var isCompleted: Bool
    }

    /// Rule 10: known orders are left alone, an unsettled transaction that asked gets its order, and
    /// what nobody completed becomes a transaction.
    mutating func reconcile(_ purchase: Purchase, of account: String, _ world: World) -> String {
        let isGiven = items.contains { $0.order == purchase.order && $0.stage == .restored }
        if ledger[purchase.order] != nil || isGiven { return "known" }
        if match(purchase, of: account) { return "matched" }
        if purchase.isCompleted { return "known" }
        guard unfinished < mostUnfinished else { return "full" }
        appear(purchase, for: account, world)
        return "appeared"
    }

    private func liveItem(of order: Int) -> Item? {
        live(of: order).first { $0.stage == .purchased || $0.stage == .restored }
    }

    /// What is unfinished and names an order as paid: its purchase, what was given back last, and
    /// purchases of what the account had already, in the order of acceptance.
    private func live(of order: Int) -> [Item] {
        let mine = items.filter { $0.order == order && $0.isLive }
        let purchase = mine.filter { $0.id == ledger[order] }
        let given = mine.filter { $0.stage == .restored && $0.id != ledger[order] }.suffix(1)
        return purchase + given
            + mine.filter { $0.stage == .purchased && $0.isOwned }.sorted { $0.rank < $1.rank }
    }

    private mutating func match(_ purchase: Purchase, of account: String) -> Bool {
        guard let asker = purchase.asker.flatMap({ item($0) }), asker.isOpen,
            ledger[purchase.order] == nil, asker.account == account,
            asker.product == purchase.product
        else { return false }
        if asker.stage == .gated { closeAsk(about: asker.id, value: nil, "withdrawn") }
        ledger[purchase.order] = asker.id
        let isRevoked = revoked.contains(purchase.order)
        change(asker.id, "purchased") {
            $0.stage = .purchased
            $0.isRevoked = isRevoked
            $0.order = purchase.order
            $0.originalOrder(purchase.original)
            $0.price = purchase.price
            $0.country = purchase.country
        }
        return true
    }

    private mutating func appear(_ purchase: Purchase, for account: String, _ world: World) {
        let asker = purchase.asker.flatMap { item($0) }.flatMap {
            $0.account == account ? $0 : nil
        }
        let reason = asker != nil ? "purchase" : purchase.isRenewal ? "renewal" : "external"
        ledger[purchase.order] = nextID
        take(
            purchase, for: account, "appeared", .purchased, reason,
            token: purchase.token, world)
    }

    private mutating func take(
        _ purchase: Purchase, for account: String, _ word: String, _ stage: Stage,
        _ reason: String, token: String?, _ world: World
    ) {
        var item = Item(
            id: freshID(), account: account, product: purchase.product, price: purchase.price,
            country: purchase.country, token: token, stage: stage, order: purchase.order,
            original: purchase.original, reason: reason, rank: nextRank, createdAt: world.now)
        item.isRevoked = revoked.contains(purchase.order)
        nextRank += 1
        items.append(item)
        say(word, item)
    }

    /// Each order is told of once; what is unfinished is marked, its purchase first, and what becomes
    /// a purchase later is when it does.
    mutating func revoke(_ orders: [Int], of account: String, _ world: World) -> String {
        var news: [Int] = []
        for order in orders where revoked.insert(order).inserted {
            news.append(order)
            for item in live(of: order) where item.account == account && !item.isRevoked {
                guard item.stage == .purchased || item.stage == .restored else { continue }
                change(item.id, "revoked") { $0.isRevoked = true }
            }
        }
        if !news.isEmpty { happened.append("revoked \(account) \(news)") }
        return happened.isEmpty ? "known" : "told"
    }

    /// What names a deleted order leaves, and so does what asked for it; a completion goes on.
    mutating func delete(
        _ order: Int, askedBy asker: Int?, of account: String, _ world: World
    ) -> String {
        var ids = live(of: order).map(\.id)
        if let asker, !ids.contains(asker) { ids.append(asker) }
        for item in ids.compactMap({ item($0) })
        where item.isLive && item.account == account && item.stage != .completing
            && (item.order ?? order) == order
        {
            remove(item.id, "deleted", at: world.now)
            if item.stage == .gated { closeAsk(about: item.id, value: nil, "withdrawn") }
        }
        return happened.isEmpty ? "nothing" : "heard"
    }

    /// Rules 5 and 9.
    mutating func restore(token: String?, key: String?, _ world: World) -> String {
        if let key {
            if let first = items.first(where: { $0.key == key }) { return "keyReuse \(first.id)" }
            if let first = givings.first(where: { $0.keys.contains(key) }) {
                let isSame =
                    first.token == token && (session == nil || first.account == session?.account)
                return isSame ? "duplicate \(first.id)" : "keyReuseByRestore \(first.id)"
            }
        }
        let running = givings.indices.filter { givings[$0].endedAt == nil }
        if let place = running.first(where: {
            givings[$0].account == session?.account && givings[$0].token == token
        }) {
            if let key {
                givings[place].keys.append(key)
                happened.append("joined !\(givings[place].id)")
            }
            return "joined \(givings[place].id)"
        }
        guard running.count < mostRestores else { return "shareExceeded" }
        let giving = Giving(
            id: freshID(), account: session?.account, token: token, keys: key.map { [$0] } ?? [],
            createdAt: world.now)
        givings.append(giving)
        happened.append("restore !\(giving.id)")
        return "accepted \(giving.id)"
    }

    /// What a restore does with one purchase.
    mutating func give(_ purchase: Purchase, by id: Int, _ world: World) -> String {
        guard let giving = givings.first(where: { $0.id == id }), giving.endedAt == nil,
            let account = giving.account, account == session?.account
        else { return "ended" }
        if let live = liveItem(of: purchase.order) {
            change(live.id, "redelivered") { _ in }
            return "given"
        }
        if match(purchase, of: account) { return "given" }
        let since = max(giving.createdAt, lastRestoreEnd[account].map { $0 + 1 } ?? 0)
        let gone = items.filter { $0.order == purchase.order && $0.reason == "restore" }
            .max { $0.createdAt < $1.createdAt }
        if let gone, gone.createdAt >= since { return "given" }
        guard unfinished < mostUnfinished else { return "full" }
        if !purchase.isCompleted, ledger[purchase.order] == nil {
            appear(purchase, for: account, world)
        } else {
            take(
                purchase, for: account, "restored", .restored, "restore", token: purchase.token,
                world)
        }
        return "given"
    }

    mutating func endRestore(_ id: Int, _ outcome: String, _ world: World) {
        guard let place = givings.firstIndex(where: { $0.id == id }), givings[place].endedAt == nil
        else { return }
        givings[place].endedAt = world.now
        givings[place].outcome = outcome
        if let account = givings[place].account { lastRestoreEnd[account] = world.now }
        happened.append("ended !\(id) \(outcome)")
    }
}

extension ReferenceModel.Item {
    fileprivate mutating func originalOrder(_ order: Int) { original = order }
}

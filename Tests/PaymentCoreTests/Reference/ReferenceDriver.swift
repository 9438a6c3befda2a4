import PaymentCore
import PaymentTesting

/// Draws commands, does them to the queue and to the model, and compares.
struct ReferenceDriver {
    /// What was tried on what: command, stage of its transaction, whose that was.
    struct Cell: Hashable {
        var command: String
        var stage: ReferenceModel.Stage
        var owner: String
    }

    private static let products = ["coins", "potion", "sword!", "club!", "house!"]
    private static let accounts = ["anna", "bert"]
    private static let countries = ["DE", "FR"]
    private static let patience = 300

    private var model: ReferenceModel
    private var subject: ReferenceSubject
    private var world: ReferenceModel.World
    private var dice: SeededGenerator
    private var nextOrder = 1
    private var drawn = 0
    /// How often each cell was tried.
    private(set) var table: [Cell: Int] = [:]
    /// How many commands changed something.
    private(set) var accepted = 0

    init(seed: UInt64, defect: ReferenceSubject.Defect? = nil) {
        var limits = Limits()
        limits.unfinishedTransactions = 48
        limits.ordersInFlight = 6
        limits.unfinishedRestores = 3
        subject = ReferenceSubject(limits, defect: defect)
        model = ReferenceModel(mostUnfinished: 48, mostInFlight: 6, mostRestores: 3)
        world = ReferenceModel.World(
            prices: [
                "DE": ["coins": "1", "potion": "2", "sword!": "5", "club!": "9"],
                "FR": ["coins": "3", "potion": "4", "sword!": "6", "house!": "8"],
            ], boughtOnce: ["sword!", "club!", "house!"])
        dice = SeededGenerator(seed: seed)
    }

    /// Does so many commands.
    ///
    /// - Returns: The first difference in words, or nil if there is none.
    mutating func run(_ count: Int) -> String? {
        for number in 1...count {
            world.now += 1
            let command = drawMostlyEffective()
            note(command)
            let before = model.happened
            let expected = model.perform(command, world)
            do throws(IllegalRecord) {
                let found = try subject.perform(command, world)
                guard found.answer == expected, found.happened == model.happened else {
                    return """
                        command \(number), \(command): the queue says \(found), \
                        the model \(expected) \(model.happened); before it \(before)
                        """
                }
            } catch {
                return "command \(number), \(command): \(error)"
            }
            if !model.happened.isEmpty { accepted += 1 }
            if number.isMultiple(of: 16), let difference { return "\(number): \(difference)" }
        }
        return nil
    }

    private var difference: String? {
        let mine = model.items.filter { $0.isLive && $0.account == model.session?.account }
            .sorted { $0.rank < $1.rank }.map(\.words)
        return mine == subject.visible
            ? nil : "the queue shows \(subject.visible), the model \(mine)"
    }

    private mutating func note(_ command: ReferenceCommand) {
        drawn += 1
        if let cell = cell(of: command) { table[cell, default: 0] += 1 }
    }

    /// Whether what a command tries was tried less often than all such things should be by now.
    private func isBehind(_ command: ReferenceCommand) -> Bool {
        cell(of: command).map { table[$0, default: 0] < drawn / 6000 } ?? false
    }

    private func cell(of command: ReferenceCommand) -> Cell? {
        let id: Int? =
            switch command {
            case .finish(let id), .outcome(_, let id), .completed(let id): id
            case .answer(let id, _), .timeOut(let id): model.asks.first { $0.id == id }?.item
            case .reconcile(let purchase, _), .give(let purchase, _): purchase.asker
            case .delete(_, let asker, _): asker
            default: nil
            }
        guard let item = id.flatMap({ model.item($0) }) else { return nil }
        let owner =
            item.account == nil
            ? "nobody" : item.account == model.session?.account ? "mine" : "other"
        return Cell(command: command.word, stage: item.stage, owner: owner)
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(dice.next() % UInt64(max(bound, 1)))
    }

    private mutating func pick<Element>(_ list: [Element]) -> Element? {
        list.isEmpty ? nil : list[below(list.count)]
    }

    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

extension ReferenceDriver {
    /// What changes nothing must be tried as well, but not most of the time.
    private mutating func drawMostlyEffective() -> ReferenceCommand {
        for _ in 0..<3 {
            let command = draw()
            var copy = model
            _ = copy.perform(command, world)
            if !copy.happened.isEmpty || chance(18) || isBehind(command) { return command }
        }
        return draw()
    }

    private mutating func draw() -> ReferenceCommand {
        switch below(100) {
        case ..<16: return add()
        case ..<26: return .start
        case ..<30: return login()
        case ..<32: return .logOut
        case ..<33: return .assume(pick(Self.countries + [""]).flatMap { $0.isEmpty ? nil : $0 })
        case ..<35:
            return .policy(
                mode: pick(["continue", "continue", "stop", "ask", "ask"]) ?? "ask",
                fallback: chance(50))
        case ..<37:
            return .watch(
                everything: chance(70), products: Set(Self.products.filter { _ in chance(40) }),
                agent: chance(35))
        case ..<38: return chance(20) ? .agentGone : .start
        case ..<39:
            changePrices()
            return .start
        case ..<40: return chance(30) ? .forget(before: world.now - Self.patience) : .reload
        case ..<43: return .restore(token: token(), key: key())
        case ..<50: return give()
        case ..<52:
            // One that is nobody's waits for a login, and ends after it.
            let running = model.givings.filter { $0.endedAt == nil && $0.account != nil }
            guard let running = pick(running) else { return .start }
            return .endRestore(
                running.id, outcome: pick(["completed 0", "connectionError", "cancelled"]) ?? "")
        case ..<53: return chance(50) ? revoke() : delete()
        case ..<59: return reconcile()
        default: return targeted()
        }
    }

    private mutating func add() -> ReferenceCommand {
        .add(product: pick(Self.products) ?? "coins", token: token(), key: key())
    }

    private mutating func login() -> ReferenceCommand {
        .session(
            account: pick(Self.accounts) ?? "anna", country: chance(75) ? "DE" : "FR")
    }

    private mutating func token() -> String? { chance(50) ? nil : "t\(below(2))" }

    private mutating func key() -> String? { chance(60) ? nil : "k\(below(200))" }

    private mutating func changePrices() {
        let country = pick(Self.countries) ?? "DE"
        let product = pick(Self.products) ?? "coins"
        if world.prices[country]?[product] != nil {
            let price = "\(1 + below(9))"
            world.prices[country]?[product] = price
        }
        world.paymentsAllowed = chance(85)
    }

    /// A transaction of a random stage and owner, so that the rare ones get their turn.
    private mutating func target() -> ReferenceModel.Item? {
        let stage = pick(ReferenceModel.Stage.allCases) ?? .waiting
        let list = model.items.filter { $0.stage == stage }
        let owner = below(3)
        let session = model.session?.account
        let ofOwner = list.filter {
            switch owner {
            case 0: $0.account == session
            case 1: $0.account == nil
            default: $0.account != session && $0.account != nil
            }
        }
        return pick(ofOwner) ?? pick(list) ?? pick(model.items)
    }

    private mutating func targeted() -> ReferenceCommand {
        guard let item = target() else { return add() }
        switch below(15) {
        case 13: return .outcome(.alreadyOwned(knownOrder(of: item), token()), item.id)
        case 14: return delete(item)
        case 0, 1: return .finish(item.id)
        case 2, 3: return .outcome(.purchased(orderOf(item)), item.id)
        case 4:
            let sent = pick(model.items.filter { $0.stage == .submitted })
            let asked = chance(60) ? sent ?? item : item
            return .outcome(.deferred(orderOf(asked)), asked.id)
        case 5: return .outcome(.declined(orderOf(item)), item.id)
        case 6: return .outcome(.notSold, item.id)
        case 7: return .outcome(.priceChanged("\(1 + below(9))"), item.id)
        case 8: return .completed(item.id)
        case 9: return .outcome(.countryChanged, item.id)
        default:
            guard let ask = pick(model.asks) else { return .finish(item.id) }
            let question = chance(90) ? ask.id : below(model.nextID) + 1
            return chance(25) ? .timeOut(question) : .answer(question, chance(60))
        }
    }

    /// An order of the same account, that the queue mostly knows.
    private mutating func knownOrder(of item: ReferenceModel.Item) -> Int {
        let known = model.items.filter { $0.account == item.account }.compactMap(\.order)
        return pick(known) ?? orderOf(item)
    }

    private mutating func orderOf(_ item: ReferenceModel.Item) -> Int {
        if let order = item.order, chance(90) { return order }
        if chance(3), let other = pick(model.items)?.order { return other }
        nextOrder += 1
        return nextOrder
    }

    private mutating func purchase() -> ReferenceModel.Purchase? {
        guard let item = target() else { return nil }
        let order = orderOf(item)
        return ReferenceModel.Purchase(
            order: order, original: item.original ?? order,
            asker: chance(85) || item.order == order ? item.id : nil,
            product: chance(95) ? item.product : pick(Self.products) ?? "coins",
            price: chance(80) ? item.price : "7", country: item.country, token: item.token,
            isRenewal: chance(30), isCompleted: chance(30))
    }

    private mutating func reconcile() -> ReferenceCommand {
        guard let purchase = purchase() else { return add() }
        let owner = purchase.asker.flatMap { model.item($0)?.account }
        let account = chance(90) ? owner ?? model.session?.account : pick(Self.accounts)
        return .reconcile(purchase, account: account ?? "anna")
    }

    private mutating func give() -> ReferenceCommand {
        guard let running = pick(model.givings.filter { $0.endedAt == nil }),
            var purchase = purchase()
        else { return .restore(token: token(), key: key()) }
        // An order is one account's, also where it names a transaction of another.
        if purchase.asker.flatMap({ model.item($0)?.account }) != model.session?.account {
            nextOrder += 1
            purchase.order = nextOrder
        }
        return .give(purchase, restore: running.id)
    }

    private mutating func revoke() -> ReferenceCommand {
        let orders = (0..<(1 + below(3))).map { _ in 1 + below(nextOrder) }
        return .revoke(orders, account: pick(Self.accounts) ?? "anna")
    }

    private mutating func delete() -> ReferenceCommand {
        guard let item = target() else { return add() }
        return delete(item)
    }

    private mutating func delete(_ item: ReferenceModel.Item) -> ReferenceCommand {
        .delete(
            order: item.order ?? 1 + below(nextOrder), asker: item.id,
            account: chance(90) ? item.account ?? "anna" : pick(Self.accounts) ?? "anna")
    }
}

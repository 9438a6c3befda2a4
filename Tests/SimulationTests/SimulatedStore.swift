import PaymentCore
import PaymentEngine
import PaymentTesting
import SandboxControl

@testable import PaymentSandbox

/// The store and the network before it. It outlives the daemon: what a dead process sent may still
/// arrive.
final class SimulatedStore {
    /// A call on its way.
    private struct Message {
        var what: What
        /// The process that waits for the answer.
        var life: Int

        enum What {
            case request(StoreRequest)
            case reply(() -> Void)

            /// Whose session it needs.
            var account: AccountName? {
                switch self {
                case .request(.submit(let order, _)): order.account
                case .request(.complete(_, let account, _)), .request(.facts(let account, _)),
                    .request(.purchases(_, let account, _, _)),
                    .request(.signedHistory(let account, _, _)):
                    account
                case .request(.logIn), .request(.catalogue), .request(.keys), .reply: nil
                }
            }
        }
    }

    /// What the store remembers: the very rules that the sandbox decides by.
    private(set) var state = SandboxState()
    /// What is sold to whom.
    var market = Market() { didSet { catalogue = market.catalogue } }
    private(set) var catalogue = Market().catalogue
    /// What all orders should say.
    private(set) var ledger = Ledger()
    /// The real moment, a millisecond later with everything that happens.
    private(set) var real = Samples.noon
    /// Whether an attempt that was turned down may still be charged when it comes again. A store that
    /// keeps its word does not do that; one that was built before attempts were counted does.
    var forgetsRefusals = false
    /// How many purchases fit on a page.
    var pageSize = PurchasePages.purchasesOfPage
    var isDown = false
    /// Accounts whose sessions the store does not know any more; until they log in again.
    var forgotten: Set<AccountName> = []
    /// How often something went wrong on the way or at the store.
    private(set) var faults = 0
    /// How often each transaction was charged.
    private(set) var charges: [TransactionID: Int] = [:]
    /// The defect that is planted, if it is one of the store's.
    var defect: Defect?
    /// Hears of each charge: what was asked for and what it cost.
    var onCharge: (OrderRequest, Price) -> Void = { _, _ in }
    /// Hears what is wrong with the store itself.
    var onFinding: (String) -> Void = { _ in }
    /// Whether something has happened that views show.
    private(set) var hasNews = false
    private var changed: Set<AccountName> = []
    private var orderCount: UInt64 = 0
    private var lastOutcome: OrderOutcome?
    private var messages: [Message] = []
    private var currentLife = 0
    private var deliver: (@escaping () -> Void) -> Void = { _ in }

    /// Whether the store is part of the daemon, and what it does is in the daemon's log.
    var isEmbedded = false
    /// Whether the embedded store fails now and then by luck.
    var isFaulty = true
    /// The store after each event since the last start; the first is what the start has found.
    private var images: [Image] = []
    private var unlogged = LocalEffects()

    var messageCount: Int { messages.count }

    /// A new process talks to the store; answers reach it and no other.
    func connect(life: Int, deliver: @escaping (@escaping () -> Void) -> Void) {
        currentLife = life
        self.deliver = deliver
    }

    /// Nothing that is on its way arrives any more, and nobody is held who waits for it.
    func disconnect() {
        messages = []
        deliver = { _ in }
    }

    func take(_ request: StoreRequest) {
        messages.append(Message(what: .request(request), life: currentLife))
    }

    /// Lets one message arrive, any of them, with any luck.
    func deliverOne(_ dice: inout SeededGenerator, isFaulty: Bool) {
        guard !messages.isEmpty else { return }
        let message = messages.remove(at: isFaulty ? dice.below(messages.count) : 0)
        let luck = isFaulty ? dice.below(100) : 100
        if case .reply(let body) = message.what {
            if message.life == currentLife { deliver(body) }
        } else if isDown {
            finish(message, as: .refused(.serviceUnavailable))
        } else if luck < 5 {
            faults += 1
            finish(message, as: .requestLost)
        } else if luck < 12 {
            faults += 1
            finish(message, as: .answerLost)
        } else {
            // Twice, now and then: networks repeat.
            if luck < 16 {
                faults += 1
                finish(message, as: .answerLost, isEcho: true)
            }
            finish(message, as: .answered, isLate: (16..<40).contains(luck))
        }
    }

    /// The store restarts: what had not arrived is gone, orders are not.
    func restart() {
        faults += 1
        let lost = messages
        messages = []
        for message in lost { finish(message, as: .requestLost) }
    }

    private func finish(
        _ message: Message, as ending: ScriptedGateway.Ending, isEcho: Bool = false,
        isLate: Bool = false
    ) {
        catchUp()
        let isForgotten = message.what.account.map(forgotten.contains) ?? false
        let ending = isForgotten && ending == .answered ? .refused(.sessionRevoked) : ending
        let isHeard = !isEcho && message.life == currentLife
        let deliver = self.deliver
        if isLate {
            // The answer is on its way for a while, and others overtake it.
            self.deliver = { [unowned self] body in
                messages.append(Message(what: .reply(body), life: currentLife))
            }
        }
        defer { self.deliver = deliver }
        switch message.what {
        case .request(let request): perform(request, ending, isHeard)
        case .reply(let body): if isHeard { deliver(body) }
        }
    }

    private func perform(_ request: StoreRequest, _ ending: ScriptedGateway.Ending, _ isHeard: Bool)
    {
        switch request {
        case .submit(let request, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.charge(request)
            }
        case .complete(let order, let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.confirm(order, account)
            }
        case .logIn(let account, _, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.logIn(account)
            }
        case .catalogue(let country, let answer):
            give(answer, ending, isHeard) { $0.catalogue.catalogue(of: country) }
        case .facts(let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.facts(of: account)
            }
        case .purchases(let selection, let account, let page, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.purchases(selection, of: account, page: page)
            }
        case .signedHistory, .keys: preconditionFailure("the simulation asks for no signatures")
        }
    }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) throws(StoreFailure) -> PurchasePage {
        var found = try PurchasePages(state: state, store: catalogue).purchases(
            selection, of: account, page: page, limit: pageSize)
        if defect == .purchasesAreHidden { found.purchases = [] }
        if defect == .refundsAreKeptSecret { found.revoked = [] }
        return found
    }

    private func give<Answer>(
        _ answer: @escaping (Result<Answer, StoreFailure>) -> Void,
        _ ending: ScriptedGateway.Ending, _ isHeard: Bool,
        _ body: (SimulatedStore) throws(StoreFailure) -> Answer
    ) {
        var result: Result<Answer, StoreFailure>
        switch ending {
        case .requestLost: result = .failure(StoreFailure(.connectionError, "request lost"))
        case .refused(let kind): result = .failure(StoreFailure(kind, "refused"))
        case .answered, .answerLost:
            do throws(StoreFailure) {
                result = .success(try body(self))
            } catch {
                result = .failure(error)
            }
            if ending == .answerLost {
                result = .failure(StoreFailure(.connectionError, "answer lost"))
            }
        }
        if isHeard { deliver { [result] in answer(result) } }
    }

    // MARK: Orders

    func charge(_ request: OrderRequest) throws(StoreFailure) -> OrderOutcome {
        var asked = request
        if defect == .storeChargesItsOwnPrice,
            let sold = catalogue.product(request.product.productIdentifier, in: request.country)
        {
            asked.product = sold.shown(introduced: state.introduced(request.account))
        }
        if defect == .storeChargesTwice { charges[request.transaction, default: 0] += 1 }
        var outcome = try submit(asked, for: request)
        if case .purchased(var paid) = outcome {
            if defect == .answersNameAnotherToken { paid.appAccountToken = "nobody" }
            if defect == .answersNameAnotherPrice, !paid.charge.price.isZero {
                paid.charge.price = Samples.price
            }
            outcome = .purchased(paid)
        }
        defer { lastOutcome = outcome }
        return defect == .answersAreMixedUp ? lastOutcome ?? outcome : outcome
    }

    private func submit(
        _ asked: OrderRequest, for request: OrderRequest
    ) throws(StoreFailure) -> OrderOutcome {
        switch try OrderRules(state: state, store: catalogue).decide(
            asked, as: freshOrder(), at: real)
        {
        case .answer(let outcome): return outcome
        case .record(.orderTurnedDown, let outcome) where forgetsRefusals: return outcome
        case .record(let event, let outcome):
            let expected = asked.product.expectedPrice
            if case .orderPlaced = event { charges[request.transaction, default: 0] += 1 }
            record(
                event,
                Ledger.Sale(
                    account: request.account, product: request.product.productIdentifier,
                    country: request.country, token: request.appAccountToken,
                    agreed: Money(expected)))
            if case .orderPlaced(let placed, _) = event {
                if let charge = placed.order.charge { onCharge(request, charge.price) }
            }
            return outcome
        }
    }

    /// Somebody says that the goods of an order were delivered.
    func complete(_ order: OrderID, _ account: AccountName) {
        if let event = try? state.decide(completionOf: order, account: account) { record(event) }
    }

    /// Lets an event happen; the sale is what was asked for, if somebody bought something.
    func record(_ event: SandboxEvent, _ sale: Ledger.Sale? = nil) {
        let event = distorted(event, sale)
        for change in event.changes(in: state) {
            if case .orders(let account) = change { changed.insert(account) }
        }
        if let finding = ledger.take(event, sale, market) { onFinding(finding) }
        let changes = event.changes(in: state)
        state.apply(event)
        hasNews = true
        guard isEmbedded else { return }
        unlogged.records.append(StoreRecord(event))
        for change in changes where !unlogged.changes.contains(change) {
            unlogged.changes.append(change)
        }
        images.append(Image(state: state, ledger: ledger, charges: charges))
    }

    /// Takes what has happened and is in no log yet.
    func takeEffects() -> LocalEffects {
        defer { unlogged = LocalEffects() }
        return unlogged
    }

    /// Whether something has happened that is in no log yet.
    var hasUnlogged: Bool { !unlogged.records.isEmpty }

    /// Becomes what a start has found in the log.
    ///
    /// - Parameters:
    ///   - found: The state of the log.
    ///   - durable: How many events since the last start are known to be durable.
    /// - Returns: What is wrong with it; nil if the store was like that once.
    func recover(_ found: SandboxState, durable: Int) -> String? {
        let items = Image(state: found, ledger: ledger, charges: charges).items
        if images.isEmpty {
            images = [Image(state: SandboxState(), ledger: Ledger(), charges: [:])]
        }
        guard let image = images.dropFirst(durable).last(where: { $0.items == items }) else {
            return "a start finds a state of the store that it never had, or lost something durable"
        }
        (state, ledger, charges) = (image.state, image.ledger, image.charges)
        images = [image]
        unlogged = LocalEffects()
        hasNews = true
        return nil
    }

    /// Whose orders have changed since the last call, by other means than a request for an order.
    func takeChanged() -> [AccountName] {
        defer { changed = [] }
        return [Samples.anna, Samples.bert].filter { changed.contains($0) }
    }

    /// Takes note that the views were compared.
    func viewsWereCompared() { hasNews = false }

    /// Switches something on or off.
    func set(_ edit: (inout StoreTestSettingsChange) -> Void) {
        var change = StoreTestSettingsChange()
        edit(&change)
        record(.settingsChanged(change))
    }

    /// Puts everything right that makes purchases fail.
    func calmDown() {
        isDown = false
        market.barred = []
        set {
            $0.failTransactionsEnabled = false
            $0.askToBuyEnabled = false
            $0.interruptedPurchasesEnabled = false
            $0.shouldEnterBillingRetryOnRenewal = false
        }
    }

    func freshOrder() -> OrderID {
        orderCount += 1
        return Samples.order(orderCount)
    }

    // MARK: Time

    /// Lets happen what is due by now.
    func catchUp() {
        real.milliseconds += 1
        while let event = SaleRules(state: state, store: catalogue).decideNextDue(
            by: state.now(at: real), as: freshOrder())
        {
            record(event)
        }
    }

    /// Lets the clock of the store run on, and everything happen that is due until then.
    func advance(days: Int) {
        catchUp()
        let limit = Timestamp(
            milliseconds: state.now(at: real).milliseconds + Int64(days) * 86_400_000)
        while state.now(at: real) < limit {
            let events = SaleRules(state: state, store: catalogue).decideAdvance(
                to: limit, as: freshOrder(), at: real)
            for event in events { record(event) }
        }
        catchUp()
    }

    /// A planted defect in what happens.
    private func distorted(_ event: SandboxEvent, _ sale: Ledger.Sale?) -> SandboxEvent {
        guard case .orderPlaced(var placed, var subscription) = event else { return event }
        switch defect {
        case .renewalsForgetTokens where placed.order.isRenewal:
            placed.order.appAccountToken = nil
        case .storeChargesMore:
            if let charge = placed.order.charge, !charge.price.isZero {
                placed.order.charge?.price = Samples.price
            }
        case .introductionsAreForgotten: placed.group = nil
        case .duesAreOfTheBuyer:
            guard let sale, let price = market.price(of: sale.product, in: sale.country) else {
                break
            }
            placed.order.country = sale.country
            placed.order.price = price.price
        case .plansAreForgotten: subscription?.dropped = nil
        default: break
        }
        return .orderPlaced(placed, subscription)
    }
}

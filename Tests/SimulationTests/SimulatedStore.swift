import PaymentCore
import PaymentEngine
import PaymentTesting

/// The store and the network before it. It outlives the daemon: what a dead process sent may still
/// arrive.
final class SimulatedStore {
    /// A call on its way.
    private struct Message {
        var what: What
        /// The process that waits for the answer.
        var life: Int

        enum What {
            case submit(OrderRequest, (Result<OrderOutcome, StoreFailure>) -> Void)
            case complete(OrderID, AccountName, (Result<Void, StoreFailure>) -> Void)
            case logIn(AccountName, (Result<Session, StoreFailure>) -> Void)
            case catalogue(CountryCode, (Result<Catalogue, StoreFailure>) -> Void)
            case facts(AccountName, (Result<AccountFacts, StoreFailure>) -> Void)
            case purchases(
                PurchaseSelection, AccountName, OpaqueText?,
                (Result<PurchasePage, StoreFailure>) -> Void)
            case reply(() -> Void)

            /// Whose session it needs.
            var account: AccountName? {
                switch self {
                case .submit(let order, _): order.account
                case .complete(_, let account, _), .facts(let account, _),
                    .purchases(_, let account, _, _):
                    account
                case .logIn, .catalogue, .reply: nil
                }
            }
        }
    }

    var model = StoreModel()
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
    /// How many purchases were made elsewhere.
    var elsewhereCount: UInt64 = 0
    private var lastOutcome: OrderOutcome?
    private var messages: [Message] = []
    private var currentLife = 0
    private var deliver: (@escaping () -> Void) -> Void = { _ in }

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

    func take(
        _ order: OrderRequest, _ answer: @escaping (Result<OrderOutcome, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .submit(order, answer), life: currentLife))
    }

    func take(
        completionOf order: OrderID, _ account: AccountName,
        _ answer: @escaping (Result<Void, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .complete(order, account, answer), life: currentLife))
    }

    func take(
        logIn account: AccountName, _ answer: @escaping (Result<Session, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .logIn(account, answer), life: currentLife))
    }

    func take(
        catalogueOf country: CountryCode,
        _ answer: @escaping (Result<Catalogue, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .catalogue(country, answer), life: currentLife))
    }

    func take(
        factsOf account: AccountName,
        _ answer: @escaping (Result<AccountFacts, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .facts(account, answer), life: currentLife))
    }

    func take(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        _ answer: @escaping (Result<PurchasePage, StoreFailure>) -> Void
    ) {
        messages.append(
            Message(what: .purchases(selection, account, page, answer), life: currentLife))
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
        case .submit(let request, let answer):
            give(answer, ending, isHeard) { $0.charge(request) }
        case .complete(let order, let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                guard store.defect != .completionsAreDropped else { return }
                try store.model.complete(order, account)
            }
        case .logIn(let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                store.forgotten.remove(account)
                return try store.model.logIn(account)
            }
        case .catalogue(let country, let answer):
            give(answer, ending, isHeard) { $0.model.catalogue(of: country) }
        case .facts(let account, let answer):
            give(answer, ending, isHeard) { $0.model.facts(of: account) }
        case .purchases(let selection, let account, let page, let answer):
            give(answer, ending, isHeard) { store in
                var found = store.model.purchases(selection, of: account, page: page)
                if store.defect == .purchasesAreHidden { found.purchases = [] }
                return found
            }
        case .reply(let body):
            if isHeard { deliver(body) }
        }
    }

    private func charge(_ request: OrderRequest) -> OrderOutcome {
        let before = model.history.count
        var asked = request
        if defect == .storeChargesItsOwnPrice,
            let sold = model.catalogue(of: request.country)
                .product(request.product.productIdentifier)
        {
            asked.product = sold
        }
        let outcome = model.submit(asked)
        let isNew = model.history.count > before
        if isNew || defect == .storeChargesTwice { charges[request.transaction, default: 0] += 1 }
        if isNew { onCharge(request, asked.product.price) }
        defer { lastOutcome = outcome }
        return defect == .answersAreMixedUp ? lastOutcome ?? outcome : outcome
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
}

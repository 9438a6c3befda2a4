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
            case mayBuy(AccountName, (Result<Bool, StoreFailure>) -> Void)
            case purchases(
                PurchaseSelection, AccountName, (Result<PurchasePage, StoreFailure>) -> Void)
        }
    }

    var model = StoreModel()
    var isDown = false
    /// How often something went wrong on the way or at the store.
    private(set) var faults = 0
    /// How often each transaction was charged.
    private(set) var charges: [TransactionID: Int] = [:]
    /// A planted defect: a repetition is charged again.
    var chargesTwice = false
    /// A planted defect: completions are answered and forgotten.
    var dropsCompletions = false
    private var messages: [Message] = []
    private var currentLife = 0
    private var deliver: (@escaping () -> Void) -> Void = { _ in }

    var messageCount: Int { messages.count }

    /// A new process talks to the store; answers reach it and no other.
    func connect(life: Int, deliver: @escaping (@escaping () -> Void) -> Void) {
        currentLife = life
        self.deliver = deliver
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
        mayBuy account: AccountName, _ answer: @escaping (Result<Bool, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .mayBuy(account, answer), life: currentLife))
    }

    func take(
        _ selection: PurchaseSelection, of account: AccountName,
        _ answer: @escaping (Result<PurchasePage, StoreFailure>) -> Void
    ) {
        messages.append(Message(what: .purchases(selection, account, answer), life: currentLife))
    }

    /// Lets one message arrive, any of them, with any luck.
    func deliverOne(_ dice: inout SeededGenerator, isFaulty: Bool) {
        guard !messages.isEmpty else { return }
        let message = messages.remove(at: isFaulty ? dice.below(messages.count) : 0)
        let luck = isFaulty ? dice.below(100) : 100
        if isDown {
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
            finish(message, as: .answered)
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
        _ message: Message, as ending: ScriptedGateway.Ending, isEcho: Bool = false
    ) {
        let isHeard = !isEcho && message.life == currentLife
        switch message.what {
        case .submit(let request, let answer):
            give(answer, ending, isHeard) { $0.charge(request) }
        case .complete(let order, let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                if !store.dropsCompletions { try store.model.complete(order, account) }
            }
        case .logIn(let account, let answer):
            give(answer, ending, isHeard) { store throws(StoreFailure) in
                try store.model.logIn(account)
            }
        case .catalogue(let country, let answer):
            give(answer, ending, isHeard) { $0.model.catalogue(of: country) }
        case .mayBuy(let account, let answer):
            give(answer, ending, isHeard) { !$0.model.barred.contains(account) }
        case .purchases(let selection, let account, let answer):
            give(answer, ending, isHeard) { $0.model.purchases(selection, of: account) }
        }
    }

    private func charge(_ request: OrderRequest) -> OrderOutcome {
        let before = model.history.count
        let outcome = model.submit(request)
        if model.history.count > before || chargesTwice {
            charges[request.transaction, default: 0] += 1
        }
        return outcome
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

/// What one life of the engine has in hand of the store.
///
/// Proof: the simulation runs on one thread.
final class SimulatedGateway: StoreGateway, @unchecked Sendable {
    let name = "simulated"
    private let store: SimulatedStore
    private let onSubmit: (OrderRequest) -> Void
    private let onComplete: (OrderID, AccountName) -> Void

    init(
        _ store: SimulatedStore, onSubmit: @escaping (OrderRequest) -> Void,
        onComplete: @escaping (OrderID, AccountName) -> Void
    ) {
        self.store = store
        self.onSubmit = onSubmit
        self.onComplete = onComplete
    }

    func logIn(
        account: AccountName, credential: OpaqueText?,
        answer: @escaping @Sendable (Result<Session, StoreFailure>) -> Void
    ) {
        store.take(logIn: account, answer)
    }

    func catalogue(
        of country: CountryCode,
        answer: @escaping @Sendable (Result<Catalogue, StoreFailure>) -> Void
    ) {
        store.take(catalogueOf: country, answer)
    }

    func submit(
        _ order: OrderRequest,
        answer: @escaping @Sendable (Result<OrderOutcome, StoreFailure>) -> Void
    ) {
        onSubmit(order)
        store.take(order, answer)
    }

    func complete(
        order: OrderID, account: AccountName,
        answer: @escaping @Sendable (Result<Void, StoreFailure>) -> Void
    ) {
        onComplete(order, account)
        store.take(completionOf: order, account, answer)
    }

    func paymentsAllowed(
        account: AccountName, answer: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        store.take(mayBuy: account, answer)
    }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        answer: @escaping @Sendable (Result<PurchasePage, StoreFailure>) -> Void
    ) {
        store.take(selection, of: account, answer)
    }
}

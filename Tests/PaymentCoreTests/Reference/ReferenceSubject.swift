import PaymentCore
import PaymentTesting

/// The real queue behind the commands of the reference model.
struct ReferenceSubject {
    /// A defect that the comparison must find.
    enum Defect: String, CaseIterable {
        case keyForgotten, tokenLost, completionSkipped, startsUnwatched, oneTooManyInFlight
        case oneTooManyUnfinished, gateNeverAsks, agentNeverAsked, outcomeLost, hiddenIsAnswered
        case restoreMultiplies, revokedTwice, restoreSurvivesLogout, forgetsTooMuch
        case restoreTakesAnyKey, completionForgotten, deletionForgotten, ownTokenKept
    }

    private(set) var queue: PaymentQueue
    /// The closed things that the queue does not have in memory any more.
    private let history = MemoryHistory()
    private let defect: Defect?
    private var sequence: SequenceNumber = 0
    private let ids = Counter()
    private var happened: [String] = []
    private var events: [Event] = []

    private final class Counter {
        var next: UInt64 = 1
    }

    init(_ limits: Limits, defect: Defect? = nil) {
        var limits = limits
        if defect == .oneTooManyInFlight { limits.ordersInFlight += 1 }
        if defect == .oneTooManyUnfinished { limits.unfinishedTransactions += 1 }
        queue = PaymentQueue(limits: limits)
        self.defect = defect
    }

    /// Does a command.
    ///
    /// - Returns: What it answers and what it changed, in the words of the model.
    /// - Throws: The queue decided what it cannot apply.
    mutating func perform(
        _ command: ReferenceCommand, _ world: ReferenceModel.World
    ) throws(IllegalRecord) -> (answer: String, happened: [String]) {
        happened = []
        let context = context(world)
        let answer: String
        do throws(Refusal) {
            answer = try decide(command, context)
        } catch {
            answer = Self.word(error)
        }
        try settle(command, context)
        return (answer, happened)
    }

    /// The unfinished transactions that the session sees, in the order of acceptance.
    var visible: [String] {
        var found: [String] = []
        var marks: [[UInt64]] = []
        queue.forEachUnfinished { transaction, position, newestEvent in
            found.append(Self.words(transaction))
            marks.append([position, newestEvent])
            return true
        }
        var glancedMarks: [[UInt64]] = []
        var glanced: [String] = []
        queue.forEachUnfinished(after: 0) { glance, unpacked in
            let transaction = unpacked()
            let isRight =
                glance.product == transaction.payment.product
                && glance.isCompleting == (transaction.state == .completing)
            glancedMarks.append([glance.position, glance.newestEvent])
            glanced.append(isRight ? Self.words(transaction) : "another glance")
            return true
        }
        return glanced == found && glancedMarks == marks ? found : ["other glances"] + glanced
    }

    /// Applies what was decided, and what follows from it at once.
    private mutating func settle(
        _ command: ReferenceCommand, _ context: DecisionContext
    ) throws(IllegalRecord) {
        try apply(context.now)
        switch command {
        case .session, .logOut:
            queue.decideReview(context, events: &events)
            try apply(context.now)
        case .start:
            repeat {
                queue.decideNextStart(context, events: &events)
            } while try apply(context.now)
        case .reload:
            queue = try queue.archived(to: history)
        default: break
        }
    }

    @discardableResult
    private mutating func apply(_ now: Timestamp) throws(IllegalRecord) -> Bool {
        let decided = tampered(events)
        events = []
        for event in decided {
            sequence += 1
            try queue.apply(Record(sequence: sequence, time: now, origin: nil, event: event))
            if let words = Self.words(event) { happened.append(words) }
        }
        return !decided.isEmpty
    }

    private func tampered(_ events: [Event]) -> [Event] {
        switch defect {
        case .restoreSurvivesLogout:
            let isChange = events.contains { if case .sessionChanged = $0 { true } else { false } }
            return isChange
                ? events.filter { if case .restoreEnded = $0 { false } else { true } } : events
        case .gateNeverAsks:
            return events.filter { if case .policyChanged = $0 { false } else { true } }
        case .completionForgotten:
            return events.filter {
                if case .transaction(.completing, _) = $0 { false } else { true }
            }
        case .deletionForgotten:
            return events.filter {
                if case .transaction(.removed(.deleted), _) = $0 { false } else { true }
            }
        case .ownTokenKept:
            return events.map { event in
                guard case .transaction(.purchased, var transaction) = event,
                    transaction.charge?.offer == .alreadyOwned
                else { return event }
                transaction.payment.appAccountToken = transaction.requestedToken
                return .transaction(.purchased, transaction)
            }
        case .completionSkipped:
            return events.map { event in
                guard case .transaction(.completing, var transaction) = event else { return event }
                transaction.state = .purchased
                return .transaction(.removed(.finished), transaction)
            }
        default: return events
        }
    }

    private func context(_ world: ReferenceModel.World) -> DecisionContext {
        let ids = ids
        return DecisionContext(
            now: Timestamp(milliseconds: Int64(world.now)),
            catalogue: { country in Self.catalogue(country, world) },
            defaultCountry: CountryCode(world.defaultCountry),
            makeID: {
                defer { ids.next += 1 }
                return UniqueID(high: 1, low: ids.next)
            },
            paymentsAllowed: world.paymentsAllowed)
    }

    private static func catalogue(
        _ country: CountryCode, _ world: ReferenceModel.World
    ) -> Catalogue {
        let prices = world.prices["\(country)", default: [:]]
        return Catalogue(
            country: country,
            products: prices.keys.sorted().compactMap { name in
                prices[name].map { product(name, $0, world) }
            })
    }

    static func product(_ name: String, _ price: String, _ world: ReferenceModel.World) -> Product {
        let amount = Amount(price) ?? Amount("0")
        guard let amount else { preconditionFailure("zero is an amount") }
        return Product(
            productIdentifier: OpaqueText(name),
            type: world.boughtOnce.contains(name) ? .nonConsumable : .consumable,
            localizedTitle: name, localizedDescription: "",
            price: Price(
                amount: amount, currencyCode: "EUR"))
    }
}

extension ReferenceSubject {
    private mutating func decide(
        _ command: ReferenceCommand, _ context: DecisionContext
    ) throws(Refusal) -> String {
        switch command {
        case .add(let product, let token, let key):
            return try add(product, token, key, context)
        case .finish(let id):
            let id = Self.transaction(id)
            return try queue.decideFinish(
                id, knowing([.transaction(id)], context), events: &events
            ).rawValue
        case .session(let account, let country): return session((account, country))
        case .logOut: return session(nil)
        case .assume(let country):
            queue.decideAssumedCountry(country.flatMap { CountryCode($0) }, events: &events)
            return events.isEmpty ? "same" : "changed"
        case .policy(let mode, let fallback):
            let mode = GatePolicy.Mode(rawValue: mode) ?? .continue
            queue.decidePolicy(GatePolicy(mode: mode, fallback: fallback), events: &events)
            return events.isEmpty ? "same" : "changed"
        case .watch(let everything, let products, let agent):
            watch(everything, products, agent)
            return "watched"
        case .agentGone:
            queue.decidePaymentAgentGone(context, events: &events)
            return "heard"
        case .start:
            queue.decideNextStart(context, events: &events)
            return events.isEmpty ? "nothing" : "started"
        case .forget(let before):
            let late: Int64 = defect == .forgetsTooMuch ? 40 : 0
            let time = Timestamp(milliseconds: Int64(before) + late)
            let hasOld = history.hasPart(before: time, notBefore: queue.forgottenBefore)
            queue.decideForget(before: time, hasOldHistory: hasOld, events: &events)
            return events.isEmpty ? "nothing" : "forgotten"
        case .reload: return "reloaded"
        default: return try decideAboutStore(command, context)
        }
    }

    private mutating func decideAboutStore(
        _ command: ReferenceCommand, _ context: DecisionContext
    ) throws(Refusal) -> String {
        switch command {
        case .outcome(let outcome, let id): return hear(outcome, for: id, context)
        case .completed(let id):
            queue.decideCompleted(Self.transaction(id), context, events: &events)
            return events.isEmpty ? "late" : "heard"
        case .answer(let id, let value): return try answer(id, value, context)
        case .timeOut(let id):
            queue.decideTimeOut(
                QuestionID(UniqueID(high: 1, low: UInt64(id))), context, events: &events)
            return events.isEmpty ? "late" : "heard"
        case .reconcile(let purchase, let account):
            let purchase = Self.purchase(purchase)
            let isDone = queue.decide(
                purchase, of: OpaqueText(account), knowing(purchase.closedKeys, context),
                events: &events)
            return isDone ? reconciled : "full"
        case .revoke(let orders, let account): return revoke(orders, account, context)
        case .delete(let order, let asker, let account):
            let deleted = DeletedOrder(
                order: Self.order(order), transaction: asker.map(Self.transaction))
            queue.decideDeleted([deleted], of: OpaqueText(account), context, events: &events)
            return events.isEmpty ? "nothing" : "heard"
        case .restore(let token, let key): return try restore(token, key, context)
        case .give(let purchase, let id): return give(purchase, id, context)
        case .endRestore(let id, let outcome):
            let end: RestoreOutcome =
                RestoreFailure(rawValue: outcome).map { .failed($0) } ?? .completed(count: 0)
            queue.decideEnd(RestoreID(UniqueID(high: 1, low: UInt64(id))), end, events: &events)
            return "ended"
        default: preconditionFailure("\(command.word) is not about the store")
        }
    }

    private mutating func add(
        _ product: String, _ token: String?, _ key: String?, _ context: DecisionContext
    ) throws(Refusal) -> String {
        let request = AddRequest(
            productIdentifier: OpaqueText(product),
            appAccountToken: defect == .tokenLost ? nil : token.map { OpaqueText($0) },
            key: defect == .keyForgotten ? nil : key.map { OpaqueText($0) })
        let context = knowing(request.closedKeys, context)
        switch try queue.decide(request, context, events: &events) {
        case .accepted(let id): return "accepted \(id.value.low)"
        case .duplicate(let id): return "duplicate \(id.value.low)"
        }
    }

    /// The context with the closed things that the decision depends on.
    private func knowing(_ keys: [ClosedKey], _ context: DecisionContext) -> DecisionContext {
        var context = context
        do throws(ClosedHistoryFailure) {
            context.closed = try queue.closedFacts(keys, in: history)
        } catch {
            preconditionFailure("\(error)")
        }
        return context
    }

    private mutating func session(_ new: (account: String, country: String)?) -> String {
        let session = new.flatMap { new in
            CountryCode(new.country).map { Session(account: OpaqueText(new.account), country: $0) }
        }
        queue.decideSession(session, events: &events)
        return events.isEmpty ? "same" : "changed"
    }

    private mutating func watch(_ everything: Bool, _ products: Set<String>, _ agent: Bool) {
        var activeObservers = ActiveObservers(
            everything: everything || defect == .startsUnwatched,
            products: Set(products.map { OpaqueText($0) }))
        activeObservers.hasPaymentAgent = agent && defect != .agentNeverAsked
        queue.activeObservers = activeObservers
    }

    private mutating func hear(
        _ outcome: ReferenceModel.Outcome, for id: Int, _ context: DecisionContext
    ) -> String {
        let transaction = Self.transaction(id)
        let before = queue.transaction(transaction)
        if defect == .outcomeLost, case .declined = outcome { return "late" }
        let outcome = Self.outcome(outcome, of: before)
        queue.decide(
            outcome, for: transaction, knowing(outcome.closedKeys, context), events: &events)
        guard !events.isEmpty else { return "late" }
        if case .transaction(.failed, let next)? = events.last,
            case .failed(let failure) = next.state, failure.reason == "orderReused"
        {
            return "reused"
        }
        return "heard"
    }

    private mutating func answer(
        _ id: Int, _ value: Bool, _ context: DecisionContext
    ) throws(Refusal) -> String {
        let question = QuestionID(UniqueID(high: 1, low: UInt64(id)))
        if defect == .hiddenIsAnswered, let hidden = queue.openQuestion(question),
            !queue.isVisible(hidden)
        {
            queue.decideTimeOut(question, context, events: &events)
            return "accepted"
        }
        try queue.decideAnswer(question, value, context, events: &events)
        return "accepted"
    }

    private var reconciled: String {
        switch events.last {
        case .transaction(.appeared, _)?: "appeared"
        case .transaction(.purchased, _)?: "matched"
        default: "known"
        }
    }

    private mutating func revoke(
        _ orders: [Int], _ account: String, _ context: DecisionContext
    ) -> String {
        let revoked = orders.map {
            RevokedOrder(
                order: Self.order($0), product: "whatever",
                revocation: OrderRevocation(at: Timestamp(milliseconds: 0)))
        }
        if defect == .revokedTwice {
            var context = context
            context.closed = PaymentQueue().closedFacts(revoked.map(\.closedKey))
            PaymentQueue().decideRevoked(
                revoked, of: OpaqueText(account), context, events: &events)
        } else {
            queue.decideRevoked(
                revoked, of: OpaqueText(account), knowing(revoked.map(\.closedKey), context),
                events: &events)
        }
        return events.isEmpty ? "known" : "told"
    }

    private mutating func restore(
        _ token: String?, _ key: String?, _ context: DecisionContext
    ) throws(Refusal) -> String {
        let request = RestoreRequest(
            appAccountToken: token.map { OpaqueText($0) },
            key: defect == .restoreTakesAnyKey ? nil : key.map { OpaqueText($0) })
        let context = knowing(request.closedKeys, context)
        switch try queue.decide(request, context, events: &events) {
        case .accepted(let id): return "accepted \(id.value.low)"
        case .joined(let id): return "joined \(id.value.low)"
        case .duplicate(let id): return "duplicate \(id.value.low)"
        }
    }

    private mutating func give(
        _ purchase: ReferenceModel.Purchase, _ id: Int, _ context: DecisionContext
    ) -> String {
        var purchase = purchase
        if defect == .restoreMultiplies { purchase.order += 1_000_000 }
        let named = Self.purchase(purchase)
        let step = queue.decide(
            named, restoring: RestoreID(UniqueID(high: 1, low: UInt64(id))),
            knowing(named.closedKeys, context), events: &events)
        return switch step {
        case .given: "given"
        case .full: "full"
        case .ended: "ended"
        }
    }
}

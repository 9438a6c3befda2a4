import PaymentCore

/// What the model knows of questions, restores and everything else that is no transaction.
extension Model {
    /// A restore.
    struct RestoreEntry {
        var account: AccountName?
        let token: OpaqueText?
        var keys: [[UInt8]]
        let user: UInt32?
        var endedAt: Timestamp?
    }

    /// Takes a record that is about no transaction and says what is wrong with it.
    mutating func takeOther(_ record: Record) -> String? {
        switch record.event {
        case .policyChanged(let new):
            guard new != policy else { return "the policy changed into itself" }
            policy = new
        case .questionOpened(let question): return open(question)
        case .questionClosed(let closing): return close(closing)
        case .restoreRequested(let restore, let key):
            guard restores[restore.id] == nil, !forgottenRestores.contains(restore.id),
                restore.account == session?.account
            else { return "restore \(restore.id) cannot be accepted" }
            restores[restore.id] = RestoreEntry(
                account: restore.account, token: restore.appAccountToken, keys: [],
                user: record.origin?.uid)
            runningRestores.append(restore.id)
            return key.flatMap { keep($0, restore.id) }
        case .restoreJoined(let id, let key):
            guard runningRestores.contains(id) else { return "restore \(id) was joined too late" }
            return keep(key, id)
        case .restoreEnded(let id, let account, _):
            guard let place = runningRestores.firstIndex(of: id) else {
                return "restore \(id) ended twice"
            }
            if restores[id]?.account != account { return "restore \(id) ended as another's" }
            runningRestores.remove(at: place)
            endedRestores.append(id)
            restores[id]?.endedAt = record.time
        case .entitlementsRevoked(let revocation):
            for order in revocation.orders
            where revokedOrders.updateValue(record.sequence, forKey: order) != nil {
                return "order \(order) was named twice as taken back"
            }
        case .productsChanged(let revision):
            guard revision > productsRevision else { return "catalogues are counted backwards" }
            productsRevision = revision
        case .acknowledged(let name, let position):
            guard position < record.sequence, position >= observers[name]?.position ?? 0 else {
                return "observer \(name) went back"
            }
            let owner = observers[name]?.owner ?? record.origin?.uid
            observers[name] = (position, record.time, owner)
        case .observerForgotten(let name):
            guard observers.removeValue(forKey: name) != nil else {
                return "observer \(name) was forgotten twice"
            }
        default: break
        }
        return nil
    }

    private mutating func keep(_ key: OpaqueText, _ id: RestoreID) -> String? {
        let bytes = Array(key.string.utf8)
        guard keys[bytes] == nil, restoreKeys[bytes] == nil else {
            return "the key of restore \(id) was used before"
        }
        restoreKeys[bytes] = id
        restores[id]?.keys.append(bytes)
        return nil
    }

    private mutating func open(_ question: Question) -> String? {
        guard questions[question.id] == nil, !closedQuestions.contains(question.id) else {
            return "question \(question.id) was opened twice"
        }
        if question.kind == .login, questions.values.contains(where: { $0.kind == .login }) {
            return "two questions who logs in"
        }
        questions[question.id] = question
        guard let id = question.transaction else { return nil }
        guard let entry = entries[id] else { return "a question about \(id), which is unknown" }
        if questions.values.contains(where: { $0.transaction == id && $0.id != question.id }) {
            return "two questions about \(id)"
        }
        guard entry.stage == .waiting || question.cause == .price && entry.stage == .submitted
        else { return "a question about \(id), which is \(entry.stage.rawValue)" }
        let isSame =
            question.country == entry.transaction.country
            && question.product?.product.expectedPrice
                == entry.transaction.payment.product.product.expectedPrice
        if isSame, entry.lastAgreed == question.kind {
            return "\(id) was agreed to, and it is asked about again"
        }
        return nil
    }

    private mutating func close(_ closing: QuestionClosing) -> String? {
        guard let question = questions.removeValue(forKey: closing.id) else {
            return "question \(closing.id) was closed twice"
        }
        closedQuestions.insert(closing.id)
        if let id = question.transaction, closing.value == true,
            entries[id]?.stage == .gated
        {
            entries[id]?.agreement = question
        }
        return nil
    }

    /// Product, price and country change only with somebody's consent.
    func checkAgreement(
        _ change: TransactionChange, _ entry: inout Entry, _ next: Transaction
    ) -> String? {
        let last = entry.transaction
        let isSame =
            last.country == next.country
            && last.payment.product.product.expectedPrice
                == next.payment.product.product.expectedPrice
        switch change {
        case .refreshed:
            if let question = entry.agreement {
                entry.agreement = nil
                guard question.country == next.country, question.product == next.payment.product
                else { return "\(next.id) goes on as something else than was agreed to" }
                entry.isConfirmed = question.kind == .payment
                entry.lastAgreed = question.kind
            } else if !isSame {
                guard entry.stage != .gated, policy.mode == .continue else {
                    return "\(next.id) goes on at a price or in a country nobody agreed to"
                }
                entry.isConfirmed = false
                entry.lastAgreed = nil
            }
        case .removed(.discardedByGate) where entry.stage != .gated:
            if policy.mode != .stop { return "\(next.id) was discarded and nobody wanted that" }
        case .submitted, .gated, .completing, .deferred, .failed, .redelivered, .removed:
            if !isSame { return "\(next.id) changed its price by \(change)" }
        default: break
        }
        if next.isConfirmed != entry.isConfirmed {
            return "\(next.id) is \(next.isConfirmed ? "" : "not ")confirmed, which is wrong"
        }
        return nil
    }
}

extension Model.Entry {
    /// Whether an order is unfinished by it, as a purchase or given back.
    func isGiven(_ order: OrderID) -> Bool {
        (stage == .purchased || stage == .restored) && transaction.order == order
    }
}

import PaymentCore

extension Model {
    /// What an `add` should come to.
    func expectation(
        of request: AddRequest, by user: UInt32, sold: Product?, paymentsAllowed: Bool,
        _ limits: Limits
    ) -> Expectation {
        if let key = request.key, let id = keys[Array(key.string.utf8)], let first = entries[id] {
            let payment = first.transaction.payment
            let isSame =
                payment.product.product.productIdentifier == request.productIdentifier
                && first.transaction.requestedToken == request.appAccountToken
                && (session == nil || first.account == session?.account)
            return isSame ? .duplicate(id) : .refused("keyReuse")
        }
        if let key = request.key, restoreKeys[Array(key.string.utf8)] != nil {
            return .refused("keyReuse")
        }
        guard let sold else { return .refused("unknownProduct") }
        if session != nil, !paymentsAllowed { return .refused("paymentsNotAllowed") }
        if sold.type == .nonConsumable || sold.type == .autoRenewableSubscription,
            live.contains(where: { blocks($0, request.productIdentifier) })
        {
            return .refused("alreadyLive")
        }
        let number = limits.unfinishedTransactions
        guard live.count < number else { return .refused("queueFull") }
        let users = live.map { entries[$0]?.user }
        return isExempt(user, limits) || hasShareLeft(user, users, of: number, limits)
            ? .accepted : .refused("shareExceeded")
    }

    private func isExempt(_ user: UInt32, _ limits: Limits) -> Bool {
        user == 0 || user == limits.exemptUser
    }

    /// The rule of shares, of which the model knows only its words: who holds each unit, and how many there
    /// may be.
    private func hasShareLeft(
        _ user: UInt32, _ holders: [UInt32?], of number: Int, _ limits: Limits
    ) -> Bool {
        let named = holders.compactMap { $0 }
        let kept = max(1, number / 16) - named.count { isExempt($0, limits) }
        let left = number - max(0, kept) - holders.count
        let mine = named.count { $0 == user }
        let users = Set(named + [user]).count
        return left > 0 && (mine == 0 || (mine + 1) * (users + 1) <= left + mine)
    }

    private func blocks(_ id: TransactionID, _ product: ProductIdentifier) -> Bool {
        guard let entry = entries[id], entry.account == session?.account else { return false }
        let blocking: Set<Stage> = [
            .waiting, .gated, .submitted, .deferred, .purchased, .restored,
        ]
        return entry.transaction.payment.product.product.productIdentifier == product
            && blocking.contains(entry.stage)
    }

    /// What a `finish` should come to; nil for an id that is not known.
    func disposition(of id: TransactionID) -> FinishDisposition? {
        switch entries[id]?.stage {
        case nil: nil
        case .purchased where entries[id]?.transaction.needsNoCompletion == true: .removed
        case .waiting, .gated, .failed, .restored: .removed
        case .submitted, .deferred: .ignoredInFlight
        case .purchased, .completing: .completing
        case .gone: .alreadyFinished
        }
    }

    /// The unfinished transactions that the session sees, in order.
    var visible: [Entry] {
        live.compactMap { entries[$0] }.filter { $0.account == session?.account }
    }

    /// How many of an account are at the store.
    func submittedCount(of account: AccountName?) -> Int {
        live.count { entries[$0]?.account == account && entries[$0]?.stage == .submitted }
    }

    /// Whether something for the same product of the same account was accepted earlier and waits.
    func isOvertaken(by entry: Entry) -> Bool {
        let product = entry.transaction.payment.product.product.productIdentifier
        return live.contains { id in
            guard let other = entries[id], other.stage == .waiting, other.rank < entry.rank else {
                return false
            }
            return other.account == entry.account
                && other.user == entry.user
                && other.transaction.payment.product.product.productIdentifier == product
        }
    }
}

extension Model {
    /// What is to be expected of a `restore`.
    enum RestoreExpectation: Equatable {
        case accepted
        case known(RestoreID)
        case refused(String)
    }

    /// What a `restore` should come to.
    func expectation(
        of request: RestoreRequest, by user: UInt32, _ limits: Limits
    ) -> RestoreExpectation {
        if let key = request.key.map({ Array($0.string.utf8) }) {
            if keys[key] != nil { return .refused("keyReuse") }
            if let id = restoreKeys[key], let first = restores[id] {
                let isSame =
                    first.token == request.appAccountToken
                    && (session == nil || first.account == session?.account)
                return isSame ? .known(id) : .refused("keyReuse")
            }
        }
        let running = runningRestores.first { id in
            restores[id]?.account == session?.account
                && restores[id]?.token == request.appAccountToken
        }
        if let running { return .known(running) }
        let number = limits.unfinishedRestores
        let users = runningRestores.map { restores[$0]?.user }
        let isAdmitted =
            users.count < number
            && (isExempt(user, limits) || hasShareLeft(user, users, of: number, limits))
        return isAdmitted ? .accepted : .refused("shareExceeded")
    }

    /// The open questions that the session sees.
    var visibleQuestions: Set<QuestionID> {
        let visible = questions.values.filter {
            $0.kind == .login || $0.account == session?.account
        }
        return Set(visible.map(\.id))
    }

    /// Whose a record is: nil for one that is everybody's.
    func owner(of record: Record) -> AccountName?? {
        switch record.event {
        case .transaction(_, let transaction):
            .some(entries[transaction.id]?.account ?? transaction.account)
        case .restoreEnded(_, let account, _): .some(account)
        case .entitlementsRevoked(let revocation): .some(revocation.account)
        case .questionOpened(let question): question.kind == .login ? nil : .some(question.account)
        case .questionClosed(let closing): closing.account.map { .some($0) }
        default: nil
        }
    }
}

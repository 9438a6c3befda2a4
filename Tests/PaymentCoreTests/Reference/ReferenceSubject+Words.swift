import PaymentCore

/// The real queue's values in the words of the reference model.
extension ReferenceSubject {
    static func transaction(_ number: Int) -> TransactionID {
        TransactionID(UniqueID(high: 1, low: UInt64(number)))
    }

    static func order(_ number: Int) -> OrderID {
        OrderID(UniqueID(high: 2, low: UInt64(number)))
    }

    static func purchase(_ purchase: ReferenceModel.Purchase) -> StorePurchase {
        let country = CountryCode(purchase.country)
        guard let country, let amount = Amount(purchase.price) else {
            preconditionFailure("\(purchase) is no purchase")
        }
        let isBoughtOnce = purchase.product.hasSuffix("!")
        return StorePurchase(
            order: order(purchase.order), original: order(purchase.original),
            transaction: purchase.asker.map(transaction),
            product: Product(
                productIdentifier: OpaqueText(purchase.product),
                type: isBoughtOnce ? .nonConsumable : .consumable,
                localizedTitle: purchase.product, localizedDescription: "",
                price: Price(amount: amount, currencyCode: "EUR")),
            country: country, appAccountToken: purchase.token.map { OpaqueText($0) },
            isRenewal: purchase.isRenewal, isCompleted: purchase.isCompleted,
            purchasedAt: Timestamp(milliseconds: 0))
    }

    static func outcome(
        _ outcome: ReferenceModel.Outcome, of transaction: Transaction?
    ) -> OrderOutcome {
        switch outcome {
        case .purchased(let number):
            return .purchased(order: order(number), original: order(number))
        case .alreadyOwned(let number, let token):
            return .purchased(
                PaidOrder(
                    order: order(number), original: order(number),
                    appAccountToken: token.map { OpaqueText($0) },
                    charge: Charge(
                        price: .zero(currencyCode: "EUR"), offer: .alreadyOwned)))
        case .deferred(let number): return .deferred(order: order(number))
        case .declined(let number): return .failed(.declined, order: order(number))
        case .notSold: return .notSold
        case .countryChanged:
            guard let elsewhere = CountryCode("FR") else { return .notSold }
            return .countryChanged(elsewhere)
        case .priceChanged(let price):
            guard var product = transaction?.payment.product.product, let amount = Amount(price)
            else { return .notSold }
            product.price = Price(amount: amount, currencyCode: "EUR")
            return .priceChanged(product)
        }
    }

    static func word(_ refusal: Refusal) -> String {
        switch refusal {
        case .unknownProduct: "unknownProduct"
        case .keyReuse(_, let id): "keyReuse \(id.value.low)"
        case .keyReuseByRestore(_, let id): "keyReuseByRestore \(id.value.low)"
        case .paymentsNotAllowed: "paymentsNotAllowed"
        case .queueFull: "queueFull"
        case .alreadyLive(let id, _): "alreadyLive \(id.value.low)"
        case .unknownTransaction: "unknownTransaction"
        case .unknownQuestion: "unknownQuestion"
        case .questionClosed: "questionClosed"
        case .unknownObserver: "unknownObserver"
        case .cursorAhead: "cursorAhead"
        case .shareExceeded: "shareExceeded"
        case .nameInUse: "nameInUse"
        case .nameOfAnother: "nameOfAnother"
        case .notOwner: "notOwner"
        }
    }

    static func words(_ event: Event) -> String? {
        switch event {
        case .transaction(let change, let transaction):
            return "\(word(change)) \(words(transaction))"
        case .sessionChanged(_, let new, let cause):
            let ended = cause == nil ? "" : " ended"
            return "session \(new.map { "\($0.account) \($0.country)" } ?? "nobody")\(ended)"
        case .countryAssumed(let country): return "assumed \(country.map { "\($0)" } ?? "-")"
        case .forgotten(let before): return "forgotten \(before.milliseconds)"
        case .policyChanged(let policy):
            return "policy \(policy.mode.rawValue) \(policy.fallback)"
        case .questionOpened(let question): return words(question)
        case .questionClosed(let closing):
            let value = closing.value.map { "\($0)" } ?? "-"
            return "closed ?\(closing.id.value.low) \(value) \(closing.reason.rawValue)"
        case .restoreRequested(let restore, _): return "restore !\(restore.id.value.low)"
        case .restoreJoined(let id, _): return "joined !\(id.value.low)"
        case .restoreEnded(let id, _, .completed(let count)):
            return "ended !\(id.value.low) completed \(count)"
        case .restoreEnded(let id, _, .failed(let failure)):
            return "ended !\(id.value.low) \(failure.rawValue)"
        case .entitlementsRevoked(let revocation):
            return "revoked \(revocation.account) \(revocation.orders.map { Int($0.value.low) })"
        case .started, .productRecorded, .productsChanged, .acknowledged, .observerForgotten:
            return nil
        }
    }

    private static func words(_ question: Question) -> String {
        let transaction = question.transaction?.value.low ?? 0
        let price = question.product?.product.price.amount.text ?? "-"
        let country = question.country.map { "\($0)" } ?? "-"
        return
            "asked ?\(question.id.value.low) \(question.kind.rawValue) #\(transaction) \(price) \(country)"
    }

    static func words(_ transaction: Transaction) -> String {
        let product = transaction.payment.product.product
        let parts: [String] = [
            "#\(transaction.id.value.low)", transaction.account?.string ?? "nobody",
            product.productIdentifier.string, product.price.amount.text,
            "\(transaction.country)", transaction.payment.appAccountToken?.string ?? "-",
            word(transaction.state), number(transaction.order), number(transaction.originalOrder),
            transaction.reason.rawValue, failure(transaction.state), "r\(transaction.revision)",
            "a\(transaction.attempt)", transaction.isConfirmed ? "confirmed" : "-",
            transaction.charge?.revocation == nil ? "-" : "revoked",
        ]
        return parts.joined(separator: " ")
    }

    private static func number(_ order: OrderID?) -> String {
        order.map { "\($0.value.low)" } ?? "-"
    }

    private static func failure(_ state: TransactionState) -> String {
        guard case .failed(let failure) = state else { return "-" }
        return failure.reason.map { "\(failure.kind.rawValue):\($0)" } ?? failure.kind.rawValue
    }

    private static func word(_ state: TransactionState) -> String {
        switch state {
        case .waiting: "waiting"
        case .gated: "gated"
        case .submitted: "submitted"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .completing: "completing"
        case .restored: "restored"
        case .failed: "failed"
        }
    }

    private static func word(_ change: TransactionChange) -> String {
        switch change {
        case .added: "added"
        case .gated: "gated"
        case .submitted: "submitted"
        case .refreshed: "refreshed"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .appeared: "appeared"
        case .failed: "failed"
        case .restored: "restored"
        case .redelivered: "redelivered"
        case .completing: "completing"
        case .revoked: "revoked"
        case .removed(let reason): "removed(\(reason.rawValue))"
        }
    }
}

import PaymentCore
import PaymentStorage

/// What version 2 of the format added.
extension Samples {
    static func questionID(_ number: UInt64) -> QuestionID {
        QuestionID(UniqueID(high: 0x1111_2222_3333_4444, low: 0xA000_0000_0000_0000 | number))
    }

    static func restoreID(_ number: UInt64) -> RestoreID {
        RestoreID(UniqueID(high: 0x5555_6666_7777_4888, low: 0xB000_0000_0000_0000 | number))
    }

    static let priceQuestion = Question(
        id: questionID(1), kind: .shouldContinue, account: "demo", transaction: transactionID(1),
        cause: .price, product: pro, country: country("US"), fallback: true, patienceMs: 60_000,
        openedAt: time)

    static let loginQuestion = Question(
        id: questionID(2), kind: .login, patienceMs: 120_000, openedAt: time)

    static let restore = Restore(
        id: restoreID(1), account: "demo", appAccountToken: "t\n1", createdAt: time)

    static let ownerlessRestore = Restore(
        id: restoreID(2), account: nil, appAccountToken: nil, createdAt: time)

    static let versionTwo: [(event: Event, origin: Origin?)] = {
        var again = transaction(1, .submitted, revision: 10)
        again.attempt = 2
        again.isConfirmed = true
        var back = transaction(1, .waiting, revision: 11)
        back.attempt = 2
        back.account = nil
        let never = transaction(1, .failed(.productNotAvailable), revision: 12)
        return [
            (.transaction(.gated, transaction(1, .gated, revision: 9)), nil),
            (.transaction(.submitted(key: nil), again), nil),
            (.transaction(.refreshed, back), nil),
            (.transaction(.failed, never), nil),
            (.transaction(.appeared, transaction(4, .purchased)), nil),
            (.transaction(.redelivered, transaction(4, .purchased, revision: 2)), nil),
            (
                .policyChanged(
                    GatePolicy(mode: .ask, timeoutMs: 1500, fallback: true, afterLogin: .ask)),
                origin
            ),
            (.questionOpened(priceQuestion), nil),
            (.questionOpened(loginQuestion), origin),
            (
                .questionClosed(
                    QuestionClosing(
                        id: questionID(1), account: "demo", value: false, reason: .answered,
                        note: "too \"dear\"")), origin
            ),
            (
                .questionClosed(
                    QuestionClosing(
                        id: questionID(2), account: nil, value: nil, reason: .restarted)), nil
            ),
            (.restoreRequested(restore, key: "r/1"), origin),
            (.restoreRequested(ownerlessRestore, key: nil), nil),
            (.restoreJoined(restoreID(1), key: "r/2"), origin),
            (.restoreEnded(restoreID(1), account: "demo", .completed(count: 3)), nil),
            (.restoreEnded(restoreID(2), account: nil, .failed(.connectionError)), nil),
            (
                .entitlementsRevoked(
                    Revocation(
                        account: "demo", products: ["coins.100", "pro.monthly"],
                        orders: [orderID(1), orderID(2)])), nil
            ),
            (.productsChanged(revision: 7), nil),
            (.acknowledged(observer: "delivery", upTo: 12), origin),
        ]
    }()

    static let versionTwoItems: [SnapshotItem] = [
        .policy(GatePolicy(mode: .stop, timeoutMs: 0)),
        .question(priceQuestion, opened: nil),
        .closedQuestion(questionID(3), account: "demo", at: time),
        .closedQuestion(questionID(4), account: nil, at: time),
        .restore(restore, keys: ["r/1", "r/2"]),
        .restore(ownerlessRestore, keys: []),
        .endedRestore(restore, keys: ["r/3"], .completed(count: 0), at: time),
        .endedRestore(ownerlessRestore, keys: [], .failed(.cancelled), at: time),
        .revokedOrder(orderID(3), nil),
        .productsRevision(7),
        .observer("delivery", upTo: 12, at: time),
    ]
}

extension Transaction {
    /// As version 1 of the format kept it: without a word on how often it was sent, which its
    /// state has to tell.
    var asVersionOne: Transaction {
        var transaction = self
        switch state {
        case .waiting, .gated, .restored: transaction.attempt = 0
        case .submitted, .deferred, .purchased, .completing, .failed: transaction.attempt = 1
        }
        return transaction
    }
}

extension Event {
    /// As version 1 of the format kept it.
    var asVersionOne: Event {
        guard case .transaction(let change, let transaction) = self else { return self }
        return .transaction(change, transaction.asVersionOne)
    }
}

extension SnapshotItem {
    /// As version 1 of the format kept it.
    var asVersionOne: SnapshotItem {
        switch self {
        case .transaction(let transaction, let key, let newest, let user):
            .transaction(transaction.asVersionOne, key: key, newestEvent: newest, user: user)
        case .finished(let transaction, let key, let finish, _):
            .finished(transaction.asVersionOne, key: key, finish)
        default: self
        }
    }
}

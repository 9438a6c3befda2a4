/// The facts about closed things that one decision depends on. The caller looks them up before the
/// decision, so that deciding reads no file.
///
/// "Absent" is an answer. A decision about a key that was not looked up is a defect of the caller and
/// traps: the queue could otherwise charge twice.
public struct ClosedFacts: Sendable {
    /// The keys that were looked up, if they are few: searching them is faster than a table.
    private let few: [ClosedKey]
    /// The keys of a page of revocations.
    private let many: Set<ClosedKey>
    private var facts: [ClosedKey: ClosedFact] = [:]

    /// Starts with the answer "absent" for each key.
    ///
    /// - Parameter keys: The keys that are looked up; none for decisions that depend on nothing closed.
    public init(of keys: [ClosedKey] = []) {
        few = keys.count <= 8 ? keys : []
        many = keys.count <= 8 ? [] : Set(keys)
    }

    /// Replaces an answer.
    ///
    /// - Parameters:
    ///   - fact: The closed thing.
    ///   - key: One of the keys.
    mutating func note(_ fact: ClosedFact, for key: ClosedKey) {
        facts[key] = fact
    }

    /// The fact under a key that was looked up; nil if there is none.
    public subscript(key: ClosedKey) -> ClosedFact? {
        if let fact = facts[key] { return fact }
        precondition(
            few.contains(key) || many.contains(key), "\(key) was not looked up before the decision")
        return nil
    }
}

extension ClosedFact {
    /// The transaction that left the queue; nil for other facts.
    public var transaction: Transaction? {
        if case .transaction(let transaction, _, _) = self { transaction } else { nil }
    }

    /// The transaction that bought the order; nil for facts without one.
    var buyer: TransactionID? {
        switch self {
        case .transaction(let transaction, _, _): transaction.id
        case .order(_, let transaction): transaction
        case .revokedOrder, .restore: nil
        }
    }
}

extension AddRequest {
    /// The keys that the decision about the request depends on.
    public var closedKeys: [ClosedKey] { key.map { [.key($0)] } ?? [] }
}

extension RestoreRequest {
    /// The keys that the decision about the request depends on.
    public var closedKeys: [ClosedKey] { key.map { [.key($0)] } ?? [] }
}

extension OrderOutcome {
    /// The keys that the decision about the outcome depends on.
    public var closedKeys: [ClosedKey] {
        switch self {
        case .purchased(let paid): [.order(paid.order), .revokedOrder(paid.order)]
        case .deferred, .failed, .priceChanged, .notSold, .countryChanged: []
        }
    }
}

extension StorePurchase {
    /// The keys that decisions about the purchase depend on.
    public var closedKeys: [ClosedKey] {
        [.order(order), .restoredOrder(order), .revokedOrder(order)]
            + (transaction.map { [.transaction($0)] } ?? [])
    }
}

extension RevokedOrder {
    /// The key that the decision about the revocation depends on.
    public var closedKey: ClosedKey { .revokedOrder(order) }
}

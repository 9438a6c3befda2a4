internal import PaymentCore
internal import StrictJSON

/// How events are written: one type word and one object with sorted names for each.
///
/// Written by hand, so that no renaming in the code can change a file. Runs for every request and
/// appends to the batch directly.
enum EventCoding {
    /// The type word of an event.
    static func word(_ event: Event) -> StaticString {
        switch event {
        case .started: "started"
        case .productRecorded: "productRecorded"
        case .transaction(let change, _): word(change)
        case .sessionChanged: "sessionChanged"
        case .countryAssumed: "countryAssumed"
        case .forgotten: "forgotten"
        }
    }

    private static func word(_ change: TransactionChange) -> StaticString {
        switch change {
        case .added: "added"
        case .submitted: "submitted"
        case .refreshed: "refreshed"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .failed: "failed"
        case .restored: "restored"
        case .completing: "completing"
        case .removed: "removed"
        }
    }

    /// Appends the payload of an event.
    static func encode(_ event: Event, into writer: inout JSONWriter) {
        switch event {
        case .started(let incarnation):
            writer.raw("{\"incarnation\":")
            writer.integer(incarnation)
            writer.raw("}")
        case .productRecorded(let product):
            writer.recordedProduct(product)
        case .transaction(let change, let transaction):
            switch change {
            case .added(let key): writer.transaction(transaction, key: key)
            case .removed(let reason): writer.transaction(transaction, removal: reason)
            case .submitted, .refreshed, .deferred, .purchased, .failed, .restored, .completing:
                writer.transaction(transaction)
            }
        case .sessionChanged(let from, let to):
            writer.raw("{\"from\":")
            writer.session(from)
            writer.raw(",\"to\":")
            writer.session(to)
            writer.raw("}")
        case .countryAssumed(let country):
            writer.assumedCountry(country)
        case .forgotten(let before):
            writer.raw("{\"before\":")
            writer.timestamp(before)
            writer.raw("}")
        }
    }
}

extension JSONWriter {
    /// Appends a session, or `null`.
    mutating func session(_ session: Session?) {
        guard let session else { return raw("null") }
        raw("{\"account\":")
        string(session.account.string)
        raw(",\"country\":")
        country(session.country)
        raw("}")
    }

    /// Appends an object that names a country or says `null`.
    mutating func assumedCountry(_ country: CountryCode?) {
        raw("{\"country\":")
        if let country { self.country(country) } else { raw("null") }
        raw("}")
    }

    /// Appends a whole transaction but for what its line says already: when it was changed and by
    /// whom. `updated` and `by` are given where there is no such line.
    mutating func transaction(
        _ transaction: Transaction, key: OpaqueText? = nil, removal: RemovalReason? = nil,
        snapshot: Bool = false
    ) {
        raw("{")
        if let account = transaction.account {
            raw("\"account\":")
            string(account.string)
            raw(",")
        }
        if let token = transaction.payment.appAccountToken {
            raw("\"appAccountToken\":")
            string(token.string)
            raw(",")
        }
        if snapshot, let origin = transaction.origin {
            raw("\"by\":")
            self.origin(origin)
            raw(",")
        }
        raw("\"country\":")
        country(transaction.country)
        raw(",\"createdAt\":")
        timestamp(transaction.createdAt)
        if case .failed(let failure) = transaction.state { self.failure(failure) }
        raw(",\"id\":")
        identifier(transaction.id.value)
        if let key {
            raw(",\"key\":")
            string(key.string)
        }
        orders(transaction)
        raw(",\"p\":")
        integer(transaction.payment.product.number)
        raw(",\"product\":")
        string(transaction.payment.product.product.productIdentifier.string)
        raw(",\"reason\":")
        string(transaction.reason.rawValue)
        if let removal {
            raw(",\"removal\":")
            string(removal.rawValue)
        }
        raw(",\"revision\":")
        integer(transaction.revision)
        raw(",\"state\":\"")
        raw(transaction.state.word)
        if snapshot {
            raw("\",\"updatedAt\":")
            timestamp(transaction.updatedAt)
            raw("}")
        } else {
            raw("\"}")
        }
    }

    private mutating func failure(_ failure: PaymentFailure) {
        raw(",\"failure\":{\"kind\":")
        string(failure.kind.rawValue)
        if let reason = failure.reason {
            raw(",\"reason\":")
            string(reason)
        }
        raw("}")
    }

    private mutating func orders(_ transaction: Transaction) {
        if let order = transaction.order {
            raw(",\"order\":")
            identifier(order.value)
        }
        if let original = transaction.originalOrder {
            raw(",\"original\":")
            identifier(original.value)
        }
    }
}

extension TransactionState {
    /// The word for the state in files.
    var word: StaticString {
        switch self {
        case .waiting: "waiting"
        case .submitted: "submitted"
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .completing: "completing"
        case .restored: "restored"
        case .failed: "failed"
        }
    }
}

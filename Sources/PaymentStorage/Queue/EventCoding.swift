internal import PaymentCore
internal import StrictJSON

/// The encoding of events: one type word and one object with sorted names for each.
///
/// The names are literals, so that renaming code never changes the file format. The encoder runs
/// for every request and appends to the batch directly.
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
        case .policyChanged: "policyChanged"
        case .questionOpened: "questionOpened"
        case .questionClosed: "questionClosed"
        case .restoreRequested: "restoreRequested"
        case .restoreJoined: "restoreJoined"
        case .restoreEnded: "restoreEnded"
        case .entitlementsRevoked: "entitlementsRevoked"
        case .productsChanged: "productsChanged"
        case .acknowledged: "acknowledged"
        case .observerForgotten: "observerForgotten"
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
        case .gated: "gated"
        case .appeared: "appeared"
        case .redelivered: "redelivered"
        case .revoked: "revoked"
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
            case .added(let key), .submitted(let key): writer.transaction(transaction, key: key)
            case .removed(let reason): writer.transaction(transaction, removal: reason)
            default: writer.transaction(transaction)
            }
        case .sessionChanged(let from, let to, let cause):
            writer.raw("{")
            if let cause {
                writer.raw("\"cause\":")
                writer.string(cause.rawValue)
                writer.raw(",")
            }
            writer.raw("\"from\":")
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
        case .policyChanged(let policy): writer.policy(policy)
        case .questionOpened(let question): writer.question(question)
        case .questionClosed(let closing): writer.closing(closing)
        case .restoreRequested(let restore, let key): writer.restore(restore, key: key)
        case .restoreJoined(let id, let key): writer.restoreJoined(id, key: key)
        case .restoreEnded(let id, let account, let outcome):
            writer.restoreEnded(id, account: account, outcome)
        case .entitlementsRevoked(let revocation): writer.revocation(revocation)
        case .productsChanged(let revision):
            writer.productsRevision(revision)
        case .acknowledged(let observer, let position):
            writer.acknowledged(observer, upTo: position)
        case .observerForgotten(let observer):
            writer.raw("{\"observer\":")
            writer.string(observer.string)
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

    /// Appends an object with a country or `null`.
    mutating func assumedCountry(_ country: CountryCode?) {
        raw("{\"country\":")
        if let country { self.country(country) } else { raw("null") }
        raw("}")
    }

    /// Appends the number of catalogue changes.
    mutating func productsRevision(_ revision: UInt64) {
        raw("{\"revision\":")
        integer(revision)
        raw("}")
    }

    /// Appends the acknowledged position of an observer. The time and the owner are appended only without
    /// a line that has them.
    mutating func acknowledged(
        _ observer: OpaqueText, upTo position: SequenceNumber, at time: Timestamp? = nil,
        owner: UInt32? = nil
    ) {
        beginObject()
        if let time {
            name("at")
            timestamp(time)
        }
        name("observer")
        string(observer.string)
        name("upTo")
        integer(position)
        if let owner {
            name("user")
            integer(owner)
        }
        endObject()
    }

    /// Appends a whole transaction without the time and origin of its change, which its line
    /// contains. A snapshot has no such line and includes both.
    mutating func transaction(
        _ transaction: Transaction, key: OpaqueText? = nil, removal: RemovalReason? = nil,
        snapshot: Bool = false
    ) {
        onStack { text in
            let charge = transaction.charge
            text.payment(transaction, charge, snapshot: snapshot)
            text.literal(",\"createdAt\":")
            text.timestamp(transaction.createdAt)
            if let moment = charge?.effectiveAt {
                text.literal(",\"effectiveAt\":")
                text.timestamp(moment)
            }
            if case .failed(let failure) = transaction.state { text.failure(failure) }
            text.literal(",\"id\":")
            text.identifier(transaction.id.value)
            if let key {
                text.literal(",\"key\":")
                text.string(key.string)
            }
            if let offer = charge?.offer {
                text.literal(",\"offer\":")
                text.string(offer.rawValue)
            }
            text.orders(transaction)
            text.literal(",\"p\":")
            text.decimal(UInt64(transaction.payment.product.number))
            text.literal(",\"product\":")
            text.string(transaction.payment.product.product.productIdentifier.string)
            text.literal(",\"reason\":")
            text.string(transaction.reason.rawValue)
            if let removal {
                text.literal(",\"removal\":")
                text.string(removal.rawValue)
            }
            text.literal(",\"revision\":")
            text.decimal(UInt64(transaction.revision))
            if let revocation = charge?.revocation {
                text.revocation(revocation)
            }
            text.literal(",\"state\":\"")
            text.literal(transaction.state.word)
            text.literal("\"")
            if snapshot {
                text.literal(",\"updatedAt\":")
                text.timestamp(transaction.updatedAt)
            }
            text.literal("}")
        }
    }
}

extension StackText {
    /// Appends the first members of a transaction, up to its country.
    fileprivate mutating func payment(
        _ transaction: Transaction, _ charge: Charge?, snapshot: Bool
    ) {
        literal("{")
        var isFirst = true
        if let account = transaction.account {
            literal("\"account\":")
            string(account.string)
            isFirst = false
        }
        if let token = transaction.payment.appAccountToken {
            literal(isFirst ? "\"appAccountToken\":" : ",\"appAccountToken\":")
            string(token.string)
            isFirst = false
        }
        if charge?.offer == .alreadyOwned, let token = transaction.requestedToken {
            literal(isFirst ? "\"askedToken\":" : ",\"askedToken\":")
            string(token.string)
            isFirst = false
        }
        if transaction.attempt != transaction.state.impliedAttempt {
            literal(isFirst ? "\"attempt\":" : ",\"attempt\":")
            decimal(UInt64(transaction.attempt))
            isFirst = false
        }
        if snapshot, let origin = transaction.origin {
            literal(isFirst ? "\"by\":" : ",\"by\":")
            self.origin(origin)
            isFirst = false
        }
        if let price = charge?.price {
            literal(isFirst ? "\"charged\":" : ",\"charged\":")
            string("\(price.amount.text) \(price.currencyCode)")
            isFirst = false
        }
        if transaction.isConfirmed {
            literal(isFirst ? "\"confirmed\":true" : ",\"confirmed\":true")
            isFirst = false
        }
        literal(isFirst ? "\"country\":" : ",\"country\":")
        country(transaction.country)
    }

    fileprivate mutating func failure(_ failure: PaymentFailure) {
        literal(",\"failure\":{\"kind\":")
        string(failure.kind.rawValue)
        if let reason = failure.reason {
            literal(",\"reason\":")
            string(reason)
        }
        literal("}")
    }

    fileprivate mutating func revocation(_ revocation: OrderRevocation) {
        literal(",\"revocation\":{\"at\":")
        timestamp(revocation.at)
        literal(",\"reason\":")
        string(revocation.reason)
        literal("}")
    }

    fileprivate mutating func orders(_ transaction: Transaction) {
        if let order = transaction.order {
            literal(",\"order\":")
            identifier(order.value)
        }
        if let original = transaction.originalOrder {
            literal(",\"original\":")
            identifier(original.value)
        }
    }
}

extension TransactionState {
    /// The name of the state in files.
    var word: StaticString {
        switch self {
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

    /// The usual attempt number of a transaction in this state. A line contains the number only if
    /// it differs, which keeps the lines of ordinary purchases short.
    var impliedAttempt: UInt32 {
        switch self {
        case .waiting, .gated, .restored: 0
        case .submitted, .deferred, .purchased, .completing, .failed: 1
        }
    }
}

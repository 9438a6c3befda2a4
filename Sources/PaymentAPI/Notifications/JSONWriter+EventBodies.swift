import PaymentCore
import StrictJSON

/// The members of events other than transaction events, except for position and time.
extension JSONWriter {
    /// Appends the members of an event, each with a leading comma.
    mutating func otherBody(_ record: Record, deadline: Timestamp?) {
        switch record.event {
        case .sessionChanged(let old, let new, let cause):
            sessionChange(from: old, to: new, cause)
        case .restoreEnded(let id, _, let outcome): restoreEnd(id, outcome)
        case .entitlementsRevoked(let revocation): self.revocation(revocation)
        case .productsChanged(let revision):
            raw(",\"revision\":")
            integer(revision)
        case .questionOpened(let question): opening(question, deadline: deadline)
        case .questionClosed(let closing): self.closing(closing, record.origin)
        case .transaction, .started, .productRecorded, .countryAssumed, .forgotten,
            .policyChanged, .restoreRequested, .restoreJoined, .acknowledged,
            .observerForgotten:
            preconditionFailure("record \(record.sequence) has no such members")
        }
    }

    /// Appends the client that caused a record; nothing for nil.
    mutating func by(_ cause: Origin?) {
        guard let cause else { return }
        raw(",\"by\":")
        origin(cause)
    }

    /// The account is the new one; if the store ended the session, the account of that session.
    private mutating func sessionChange(
        from old: Session?, to new: Session?, _ cause: SessionCause?
    ) {
        raw(",\"from\":")
        storefront(old?.country)
        raw(",\"to\":")
        storefront(new?.country)
        raw(",\"account\":")
        let account = cause == nil ? new?.account : old?.account
        if let account { string(account.string) } else { null() }
        guard let cause else { return }
        raw(",\"cause\":")
        string(cause.rawValue)
    }

    private mutating func restoreEnd(_ id: RestoreID, _ outcome: RestoreOutcome) {
        raw(",\"restore\":")
        identifier(id)
        switch outcome {
        case .completed(let count):
            raw(",\"count\":")
            integer(count)
        case .failed(let failure):
            // The SDK form of an error: an object with one empty member, named after the error.
            raw(",\"error\":{")
            string(failure.rawValue)
            raw(":{}}")
        }
    }

    private mutating func revocation(_ revocation: Revocation) {
        raw(",\"products\":")
        strings(revocation.products.map(\.string))
        raw(",\"orders\":")
        beginArray()
        for order in revocation.orders {
            element()
            identifier(order)
        }
        endArray()
    }

    private mutating func opening(_ question: Question, deadline: Timestamp?) {
        raw(",\"question\":")
        identifier(question.id)
        questionDetails(question)
        raw(",\"deadline\":")
        if let deadline { time(deadline) } else { null() }
    }

    /// Appends the content of a question, as members after its identifier.
    mutating func questionDetails(_ question: Question) {
        raw(",\"type\":")
        string(question.kind.rawValue)
        if let transaction = question.transaction {
            raw(",\"transaction\":")
            identifier(transaction)
        }
        if let cause = question.cause {
            raw(",\"cause\":")
            string(cause.rawValue)
        }
        if let recorded = question.product {
            raw(",\"product\":")
            product(recorded.product)
            raw(",\"price\":")
            price(recorded.product.expectedPrice)
        }
        if let country = question.country {
            raw(",\"storefront\":")
            storefront(country)
        }
        raw(",\"fallback\":")
        bool(question.fallback)
    }

    private mutating func closing(_ closing: QuestionClosing, _ cause: Origin?) {
        raw(",\"question\":")
        identifier(closing.id)
        raw(",\"value\":")
        if let value = closing.value { bool(value) } else { null() }
        if closing.reason == .answered, cause != nil {
            by(cause)
        } else {
            raw(",\"reason\":")
            string(closing.reason.rawValue)
        }
        if let note = closing.note {
            raw(",\"note\":")
            string(note.string)
        }
    }
}

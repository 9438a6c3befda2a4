public import PaymentCore
public import StrictJSON

extension JSONWriter {
    /// Appends a transaction, with members in the order of the contract.
    ///
    /// - Parameters:
    ///   - transaction: The snapshot of the transaction.
    ///   - waitingFor: The current waiting condition; omitted unless the transaction is purchasing.
    ///   - finish: The end of the transaction; nil unless it has left the queue.
    public mutating func transaction(
        _ transaction: Transaction, waitingFor: WaitingFor?, finish: Finish? = nil
    ) {
        raw("{\"id\":")
        identifier(transaction.id)
        orderMembers(of: transaction)
        raw(",\"payment\":{\"product\":")
        product(transaction.payment.product.product)
        if let token = transaction.payment.appAccountToken {
            raw(",\"appAccountToken\":")
            string(token.string)
        }
        raw("},\"transactionState\":")
        string(transaction.state.phase.rawValue)
        raw(",\"storefront\":")
        storefront(transaction.country)
        if case .failed(let failure) = transaction.state {
            raw(",\"error\":")
            paymentError(failure)
        }
        raw(",\"revision\":")
        integer(transaction.revision)
        raw(",\"createdAt\":")
        time(transaction.createdAt)
        raw(",\"updatedAt\":")
        time(transaction.updatedAt)
        stateMembers(of: transaction, waitingFor: waitingFor)
        raw(",\"reason\":")
        string(transaction.reason.rawValue)
        if let charge = transaction.charge { chargeMembers(charge) }
        endingMembers(of: transaction, finish: finish)
        raw("}")
    }

    /// Appends a charge, as members after others.
    mutating func chargeMembers(_ charge: Charge) {
        raw(",\"charged\":{\"amount\":")
        string(charge.price.amount.text)
        raw(",\"currencyCode\":")
        string(charge.price.currencyCode)
        raw("}")
        if let offer = charge.offer {
            raw(",\"offer\":")
            string(offer.rawValue)
        }
        if let moment = charge.effectiveAt {
            raw(",\"effectiveAt\":")
            time(moment)
        }
        if let revocation = charge.revocation {
            raw(",\"revocation\":{\"at\":")
            time(revocation.at)
            raw(",\"reason\":")
            string(revocation.reason)
            raw("}")
        }
    }

    private mutating func orderMembers(of transaction: Transaction) {
        if let order = transaction.order {
            raw(",\"transactionIdentifier\":")
            identifier(order)
        }
        if let original = transaction.originalOrder {
            raw(",\"originalTransactionIdentifier\":")
            identifier(original)
        }
    }

    /// Appends an error in the SDK form: an object with one empty member, named after the error.
    private mutating func paymentError(_ failure: PaymentFailure) {
        switch failure.kind {
        case .cancelled: raw("{\"cancelled\":{}}")
        case .presentationFailed: raw("{\"presentationFailed\":{}}")
        case .internalError: raw("{\"internalError\":{}}")
        }
    }

    private mutating func stateMembers(of transaction: Transaction, waitingFor: WaitingFor?) {
        switch transaction.state {
        case .waiting, .gated, .submitted, .deferred:
            guard let waitingFor else { return }
            raw(",\"waitingFor\":")
            string(waitingFor.rawValue)
        case .completing:
            raw(",\"completing\":true")
        case .failed(let failure):
            guard let reason = failure.reason else { return }
            raw(",\"failureReason\":")
            string(reason)
        case .purchased, .restored:
            return
        }
    }

    private mutating func endingMembers(of transaction: Transaction, finish: Finish?) {
        let cause = finish.map(\.origin) ?? transaction.origin
        if let cause {
            raw(",\"by\":")
            origin(cause)
        }
        guard let finish else { return }
        raw(",\"finishedAt\":")
        time(finish.time)
        raw(",\"removalReason\":")
        string(finish.reason.rawValue)
    }
}

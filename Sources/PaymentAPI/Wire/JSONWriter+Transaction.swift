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
        onStack { $0.transaction(transaction, waitingFor: waitingFor, finish: finish) }
    }
}

extension StackText {
    /// Appends a transaction as ``StrictJSON/JSONWriter/transaction(_:waitingFor:finish:)`` does.
    mutating func transaction(
        _ transaction: Transaction, waitingFor: WaitingFor?, finish: Finish? = nil
    ) {
        literal("{\"id\":")
        identifier(transaction.id)
        orderMembers(of: transaction)
        literal(",\"payment\":{\"product\":")
        product(transaction.payment.product.product)
        if let token = transaction.payment.appAccountToken {
            literal(",\"appAccountToken\":")
            string(token.string)
        }
        literal("},\"transactionState\":")
        string(transaction.state.phase.rawValue)
        literal(",\"storefront\":")
        storefront(transaction.country)
        if case .failed(let failure) = transaction.state {
            literal(",\"error\":")
            paymentError(failure)
        }
        literal(",\"revision\":")
        decimal(UInt64(transaction.revision))
        literal(",\"createdAt\":")
        time(transaction.createdAt)
        literal(",\"updatedAt\":")
        time(transaction.updatedAt)
        stateMembers(of: transaction, waitingFor: waitingFor)
        literal(",\"reason\":")
        string(transaction.reason.rawValue)
        if let charge = transaction.charge { chargeMembers(charge) }
        endingMembers(of: transaction, finish: finish)
        literal("}")
    }

    /// Appends a charge, as members after others.
    private mutating func chargeMembers(_ charge: Charge) {
        literal(",\"charged\":{\"amount\":")
        string(charge.price.amount.text)
        literal(",\"currencyCode\":")
        string(charge.price.currencyCode)
        literal("}")
        if let offer = charge.offer {
            literal(",\"offer\":")
            string(offer.rawValue)
        }
        if let moment = charge.effectiveAt {
            literal(",\"effectiveAt\":")
            time(moment)
        }
        if let revocation = charge.revocation {
            literal(",\"revocation\":{\"at\":")
            time(revocation.at)
            literal(",\"reason\":")
            string(revocation.reason)
            literal("}")
        }
    }

    private mutating func orderMembers(of transaction: Transaction) {
        if let order = transaction.order {
            literal(",\"transactionIdentifier\":")
            identifier(order)
        }
        if let original = transaction.originalOrder {
            literal(",\"originalTransactionIdentifier\":")
            identifier(original)
        }
    }

    /// Appends an error in the SDK form: an object with one empty member, named after the error.
    private mutating func paymentError(_ failure: PaymentFailure) {
        switch failure.kind {
        case .cancelled: literal("{\"cancelled\":{}}")
        case .presentationFailed: literal("{\"presentationFailed\":{}}")
        case .internalError: literal("{\"internalError\":{}}")
        }
    }

    private mutating func stateMembers(of transaction: Transaction, waitingFor: WaitingFor?) {
        switch transaction.state {
        case .waiting, .gated, .submitted, .deferred:
            guard let waitingFor else { return }
            literal(",\"waitingFor\":")
            string(waitingFor.rawValue)
        case .completing:
            literal(",\"completing\":true")
        case .failed(let failure):
            guard let reason = failure.reason else { return }
            literal(",\"failureReason\":")
            string(reason)
        case .purchased, .restored:
            return
        }
    }

    private mutating func endingMembers(of transaction: Transaction, finish: Finish?) {
        let cause = finish.map(\.origin) ?? transaction.origin
        if let cause {
            literal(",\"by\":")
            origin(cause)
        }
        guard let finish else { return }
        literal(",\"finishedAt\":")
        time(finish.time)
        literal(",\"removalReason\":")
        string(finish.reason.rawValue)
    }
}

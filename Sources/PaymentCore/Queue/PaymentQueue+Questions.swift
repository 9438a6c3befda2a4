/// Questions: their visibility, their end and its effects.
///
/// A crash may cut a batch after any record. The opening of a question therefore precedes the
/// gating of its transaction. The end of a transaction precedes the closing of its question. A
/// transaction that continues does so after the closing.
///
/// A cut batch may leave a gated transaction without a question, or a question whose transaction is
/// not gated. ``decideReview(_:afterStart:events:)`` repairs both.
extension PaymentQueue {
    /// Whether the session sees a question. Login questions are always visible, also without a
    /// session.
    public func isVisible(_ question: Question) -> Bool {
        question.kind == .login || isVisible(question.account)
    }

    /// An open question of any account.
    public func openQuestion(_ id: QuestionID) -> Question? {
        questions[id]
    }

    /// The record that opened a question; nil if the question is not open.
    public func opening(of id: QuestionID) -> SequenceNumber? {
        questions.open[id]?.opened
    }

    /// The open question about a transaction; nil if there is none.
    public func openQuestion(about id: TransactionID) -> Question? {
        questions[id]
    }

    /// The open questions that the session sees, in the order of opening.
    public var visibleQuestions: [Question] {
        questions.all.filter { isVisible($0) }
    }

    /// Calls `body` for the visible open questions opened after a position, in the order of
    /// opening, until it returns false. `body` also gets the position of the question's record.
    /// Position 0 is the beginning.
    public func forEachVisibleQuestion(
        after position: SequenceNumber = 0, _ body: (Question, SequenceNumber) -> Bool
    ) {
        questions.forEach(after: position) { entry in
            isVisible(entry.question) ? body(entry.question, entry.opened) : true
        }
    }

    /// Decides about a new gate policy. An equal policy changes nothing, and open questions stay
    /// unchanged.
    public func decidePolicy(_ new: GatePolicy, events: inout [Event]) {
        guard new != policy else { return }
        events.append(.policyChanged(new))
    }

    /// Decides about an answer; the first one counts.
    ///
    /// - Parameters:
    ///   - id: The question.
    ///   - value: The answer.
    ///   - note: A remark on the answer.
    ///   - context: Time and origin.
    ///   - events: The closing and its effect on the transaction are appended.
    /// - Throws: The question is unknown to the session, or has ended.
    public func decideAnswer(
        _ id: QuestionID, _ value: Bool, note: OpaqueText? = nil, _ context: DecisionContext,
        events: inout [Event]
    ) throws(Refusal) {
        guard let question = questions[id], isVisible(question) else {
            let wasSeen = questions.closed.contains {
                $0.id == id && ($0.account == nil || isVisible($0.account))
            }
            throw wasSeen ? .questionClosed(id) : .unknownQuestion
        }
        end(question, value, because: .answered, note: note, context, events: &events)
    }

    /// Decides that a question timed out; changes nothing if it is not open.
    public func decideTimeOut(
        _ id: QuestionID, _ context: DecisionContext, events: inout [Event]
    ) {
        guard let question = questions[id] else { return }
        end(question, question.fallback, because: .timedOut, context, events: &events)
    }

    /// Decides that a question ends for another reason; changes nothing if it is not open.
    ///
    /// - Parameters:
    ///   - id: The question.
    ///   - value: A result from another source, such as a login.
    ///   - reason: The cause of the end.
    ///   - context: Time and origin.
    ///   - events: The closing and its effect on the transaction are appended.
    public func decideClosing(
        of id: QuestionID, _ value: Bool? = nil, because reason: QuestionClosing.Reason,
        _ context: DecisionContext, events: inout [Event]
    ) {
        guard let question = questions[id] else { return }
        end(question, value, because: reason, context, events: &events)
    }

    /// Decides that the last payment agent has disconnected; its open questions end, some at a time.
    ///
    /// - Parameters:
    ///   - position: Questions opened by later records end.
    ///   - limit: The maximum number of questions that end.
    ///   - context: The time.
    ///   - events: The resulting events are appended.
    /// - Returns: The position of the next call; nil if no question is left.
    @discardableResult
    public func decidePaymentAgentGone(
        after position: SequenceNumber = 0, limit: Int = .max, _ context: DecisionContext,
        events: inout [Event]
    ) -> SequenceNumber? {
        var left = limit
        var last = position
        forEachVisibleQuestion(after: position) { question, opened in
            guard left > 0 else { return false }
            last = opened
            guard question.kind == .payment else { return true }
            left -= 1
            end(question, nil, because: .agentGone, context, events: &events)
            return true
        }
        return left > 0 ? nil : last
    }

    /// Decides to open a login question.
    ///
    /// - Returns: The question.
    public func decideLoginQuestion(
        patienceMs: Int64, _ context: DecisionContext, events: inout [Event]
    ) -> QuestionID {
        let id = QuestionID(context.makeID())
        events.append(
            .questionOpened(
                Question(
                    id: id, kind: .login, patienceMs: patienceMs, openedAt: context.now)))
        return id
    }

    /// Decides to ask whether a purchase continues after the login that it caused.
    ///
    /// - Returns: The question.
    public func decideAfterLoginQuestion(
        _ product: Product, in country: CountryCode, _ context: DecisionContext,
        events: inout [Event]
    ) -> QuestionID {
        let id = QuestionID(context.makeID())
        let recorded = recorded(product, in: country, events: &events)
        events.append(
            .questionOpened(
                Question(
                    id: id, kind: .afterLogin, account: session?.account, product: recorded,
                    country: country, fallback: policy.fallback, patienceMs: policy.timeoutMs,
                    openedAt: context.now)))
        return id
    }

    /// Opens a question about a transaction and gates the transaction.
    func ask(
        _ kind: Question.Kind, _ cause: Question.Cause?, about transaction: Transaction,
        _ product: RecordedProduct, _ context: DecisionContext, events: inout [Event]
    ) {
        let isPayment = kind == .payment
        events.append(
            .questionOpened(
                Question(
                    id: QuestionID(context.makeID()), kind: kind, account: transaction.account,
                    transaction: transaction.id, cause: cause, product: product,
                    country: product.country, fallback: isPayment ? false : policy.fallback,
                    patienceMs: isPayment ? context.paymentPatienceMs : policy.timeoutMs,
                    openedAt: context.now)))
        events.append(change(transaction, .gated, context) { $0.state = .gated })
    }

    /// Closes the open question about a transaction that has ended, if any.
    func closeQuestions(
        of id: TransactionID, because reason: QuestionClosing.Reason, _ context: DecisionContext,
        events: inout [Event]
    ) {
        guard let question = questions[id] else { return }
        events.append(closing(of: question, nil, because: reason))
    }

    private func closing(
        of question: Question, _ value: Bool?, because reason: QuestionClosing.Reason,
        note: OpaqueText? = nil
    ) -> Event {
        .questionClosed(
            QuestionClosing(
                id: question.id, account: question.account, value: value, reason: reason,
                note: note))
    }

    /// Closes a question and applies the effect on its transaction, in an order that is safe if the
    /// batch is cut.
    private func end(
        _ question: Question, _ value: Bool?, because reason: QuestionClosing.Reason,
        note: OpaqueText? = nil, _ context: DecisionContext, events: inout [Event]
    ) {
        let closing = closing(of: question, value, because: reason, note: note)
        guard let transaction = held(by: question) else { return events.append(closing) }
        // Without a value, the transaction waits again, and its question is opened again at its
        // start. Without an agent, the transaction ends.
        if value ?? (reason != .agentGone) {
            events.append(closing)
            events.append(
                change(transaction, .refreshed, context) {
                    $0.state = .waiting
                    if value == true { agree(to: question, &$0) }
                })
        } else if question.kind == .payment {
            let kind: PaymentFailure.Kind = reason == .answered ? .cancelled : .presentationFailed
            events.append(failed(transaction, PaymentFailure(kind), order: nil, context))
            events.append(closing)
        } else {
            events.append(change(transaction, .removed(.discardedByGate), context) { _ in })
            events.append(closing)
        }
    }

    private func agree(to question: Question, _ transaction: inout TransactionFields) {
        transaction.isConfirmed = question.kind == .payment
        guard let product = question.product, let country = question.country else { return }
        transaction.payment.product = product
        transaction.country = country
    }

    /// The gated transaction of a question; nil if the transaction is not gated.
    private func held(by question: Question) -> Transaction? {
        guard let place = question.transaction.flatMap({ locate($0) }),
            table.isLive(place)
        else { return nil }
        let transaction = table[place].transaction
        return transaction.state == .gated ? transaction : nil
    }
}

/// Repairs after a change of session or the end of a process.
extension PaymentQueue {
    /// Ends questions that no longer apply because the country has changed. Questions that are
    /// still needed are opened again when the transaction would start.
    ///
    /// - Parameters:
    ///   - context: The time.
    ///   - afterStart: True directly after a start of the process. The previous process may have
    ///     lost waiting calls and the end of a batch.
    ///   - events: The resulting events are appended.
    public func decideReview(
        _ context: DecisionContext, afterStart: Bool = false, events: inout [Event]
    ) {
        var held = 0
        for question in questions.all {
            switch question.kind {
            case .login, .afterLogin:
                guard afterStart else { continue }
                events.append(closing(of: question, nil, because: .restarted))
            case .shouldContinue, .payment:
                if self.held(by: question) != nil { held += 1 }
                review(question, context, events: &events)
            }
        }
        if afterStart, accounts.values.reduce(0, { $0 + $1.counts.gated }) > held {
            releaseUnasked(context, events: &events)
        }
    }

    private func review(
        _ question: Question, _ context: DecisionContext, events: inout [Event]
    ) {
        let isStale =
            session?.account == question.account && session?.country != question.country
        let place = question.transaction.flatMap { locate($0) }
        let stored = place.map { table[$0] }
        switch stored?.finished == nil ? stored?.transaction.state : nil {
        case .gated?:
            guard isStale else { return }
            end(question, nil, because: .sessionChanged, context, events: &events)
        case .waiting?, .submitted?:
            // The batch was cut off before the transaction was gated.
            guard !isStale, let transaction = stored?.transaction else {
                events.append(closing(of: question, nil, because: .sessionChanged))
                return
            }
            events.append(change(transaction, .gated, context) { $0.state = .gated })
        default:
            events.append(closing(of: question, nil, because: .withdrawn))
        }
    }

    /// Releases transactions whose batch was cut off after the closing of a question. The question
    /// will be opened again.
    private func releaseUnasked(_ context: DecisionContext, events: inout [Event]) {
        for index in accounts.values where index.counts.gated > 0 {
            for entry in index.live.all {
                let transaction = table[entry.place].transaction
                guard transaction.state == .gated, questions[transaction.id] == nil else {
                    continue
                }
                events.append(
                    change(transaction, .refreshed, context) { $0.state = .waiting })
            }
        }
    }
}

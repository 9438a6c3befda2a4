/// The questions that are open, and which ones were.
struct QuestionBook: Sendable {
    /// How many ended questions are remembered, so that a late answer is told that it is late.
    static let remembered = 1024

    private(set) var open: [QuestionID: Question] = [:]
    /// In the order of opening.
    private(set) var order: [QuestionID] = []
    private(set) var ofTransaction: [TransactionID: QuestionID] = [:]
    private(set) var closed: [(id: QuestionID, account: AccountName?, at: Timestamp)] = []

    /// All open questions in the order of opening.
    var all: [Question] { order.compactMap { open[$0] } }

    /// Keeps a question; false if it, or one about its transaction, is open already.
    mutating func insert(_ question: Question) -> Bool {
        guard open[question.id] == nil,
            question.transaction.map({ ofTransaction[$0] == nil }) ?? true
        else { return false }
        open[question.id] = question
        order.append(question.id)
        if let transaction = question.transaction { ofTransaction[transaction] = question.id }
        return true
    }

    /// Takes a question out.
    mutating func remove(_ id: QuestionID) -> Question? {
        guard let question = open.removeValue(forKey: id) else { return nil }
        order.removeAll { $0 == id }
        if let transaction = question.transaction { ofTransaction[transaction] = nil }
        return question
    }

    /// Notes that a question ended.
    mutating func remember(_ id: QuestionID, account: AccountName?, closedAt time: Timestamp) {
        closed.append((id, account, time))
        if closed.count > Self.remembered { closed.removeFirst(closed.count - Self.remembered) }
    }

    func snapshotItems<Failure>(_ body: (SnapshotItem) throws(Failure) -> Void) throws(Failure) {
        for question in all { try body(.question(question)) }
        for entry in closed {
            try body(.closedQuestion(entry.id, account: entry.account, at: entry.at))
        }
    }
}

extension PaymentQueue {
    mutating func open(_ question: Question) throws(IllegalRecord) {
        if let id = question.transaction {
            guard let place = places[id], slots[place].finished == nil else {
                throw IllegalRecord("question \(question.id) is about no unfinished transaction")
            }
        }
        guard questions.insert(question) else {
            throw IllegalRecord("question \(question.id) is asked twice")
        }
    }

    mutating func close(_ closing: QuestionClosing, _ record: Record) throws(IllegalRecord) {
        guard questions.remove(closing.id) != nil else {
            throw IllegalRecord("question \(closing.id) is not open")
        }
        questions.remember(closing.id, account: closing.account, closedAt: record.time)
    }

    /// Ends the question about a transaction, if one is open.
    func closeQuestions(
        of id: TransactionID, because reason: QuestionClosing.Reason, _ context: DecisionContext,
        events: inout [Event]
    ) {
        guard let question = questions.ofTransaction[id].flatMap({ questions.open[$0] }) else {
            return
        }
        events.append(
            .questionClosed(
                QuestionClosing(
                    id: question.id, account: question.account, value: nil, reason: reason)))
    }
}

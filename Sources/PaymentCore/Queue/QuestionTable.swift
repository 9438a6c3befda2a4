/// The open questions, and the last questions that ended.
struct QuestionTable: Sendable {
    /// The minimum number of ended questions that are remembered. A late answer to one of them has
    /// an error of its own.
    static let remembered = 1024
    /// The number of ended questions that are forgotten together.
    static let forgottenAtOnce = 64

    /// An open question and the record that opened it.
    struct Entry: Sendable {
        var question: Question
        var opened: SequenceNumber
    }

    /// A question that ended.
    struct Closed: Sendable {
        var id: QuestionID
        var account: AccountName?
        var at: Timestamp
    }

    private(set) var open: [QuestionID: Entry] = [:]
    private(set) var ofTransaction: [TransactionID: QuestionID] = [:]
    private(set) var closed: [Closed] = []
    /// The questions in the order of opening. Ended questions stay until they are the majority.
    private var order: [(opened: SequenceNumber, id: QuestionID)] = []

    /// All open questions in the order of opening.
    var all: [Question] { order.compactMap { open[$0.id]?.question } }

    /// The record that opened the newest question.
    var newest: SequenceNumber { order.last?.opened ?? 0 }

    subscript(id: QuestionID) -> Question? { open[id]?.question }

    /// The open question about a transaction.
    subscript(transaction: TransactionID) -> Question? {
        ofTransaction[transaction].flatMap { open[$0]?.question }
    }

    /// Stores a question; false if it, or another question about its transaction, is open.
    mutating func insert(_ question: Question, opened: SequenceNumber) -> Bool {
        guard open[question.id] == nil,
            question.transaction.map({ ofTransaction[$0] == nil }) ?? true
        else { return false }
        open[question.id] = Entry(question: question, opened: opened)
        order.append((opened, question.id))
        if let transaction = question.transaction { ofTransaction[transaction] = question.id }
        return true
    }

    /// Removes a question.
    mutating func remove(_ id: QuestionID) -> Question? {
        guard let question = open.removeValue(forKey: id)?.question else { return nil }
        if order.count > 64, order.count > 2 * open.count {
            order.removeAll { open[$0.id] == nil }
        }
        if let transaction = question.transaction { ofTransaction[transaction] = nil }
        return question
    }

    /// Remembers a question that ended.
    mutating func remember(_ id: QuestionID, account: AccountName?, closedAt time: Timestamp) {
        closed.append(Closed(id: id, account: account, at: time))
        if closed.count >= Self.remembered + Self.forgottenAtOnce {
            closed.removeFirst(closed.count - Self.remembered)
        }
    }

    /// Calls `body` for the questions opened after a position, in order, until it returns false.
    func forEach(after position: SequenceNumber, _ body: (Entry) -> Bool) {
        var low = 0
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if order[middle].opened <= position { low = middle + 1 } else { high = middle }
        }
        for (_, id) in order[low...] {
            guard let entry = open[id] else { continue }
            guard body(entry) else { return }
        }
    }

    func snapshotItems<Failure>(_ body: (SnapshotItem) throws(Failure) -> Void) throws(Failure) {
        for (opened, id) in order {
            guard let question = open[id]?.question else { continue }
            try body(.question(question, opened: opened))
        }
        for entry in closed {
            try body(.closedQuestion(entry.id, account: entry.account, at: entry.at))
        }
    }
}

extension PaymentQueue {
    mutating func open(_ question: Question, _ record: Record) throws(IllegalRecord) {
        if let id = question.transaction {
            guard let place = locate(id), table.isLive(place) else {
                throw IllegalRecord(
                    "question \(question.id) is not about an unfinished transaction")
            }
        }
        guard questions.insert(question, opened: record.sequence) else {
            throw IllegalRecord("question \(question.id) is asked twice")
        }
        if question.kind == .login, endedSession?.question == nil {
            endedSession?.question = question.id
        }
    }

    /// Loads a question from a snapshot. Without an opening record, the record before the last one
    /// of its transaction is assumed. That is correct unless the snapshot was made between the two
    /// records.
    mutating func load(_ question: Question, opened: SequenceNumber?) throws(IllegalRecord) {
        let newest = question.transaction.flatMap { locate($0) }.map { table[$0].lastEvent } ?? 1
        let opened = opened ?? max(newest, 1) - 1
        guard questions.insert(question, opened: max(questions.newest, opened)) else {
            throw IllegalRecord("question \(question.id) exists twice")
        }
    }

    mutating func close(_ closing: QuestionClosing, _ record: Record) throws(IllegalRecord) {
        guard questions.remove(closing.id) != nil else {
            throw IllegalRecord("question \(closing.id) is not open")
        }
        questions.remember(closing.id, account: closing.account, closedAt: record.time)
        // A value of nil means that there was no answer. The next login agent gets a new question.
        if endedSession?.question == closing.id, closing.value == nil {
            endedSession?.question = nil
        }
    }
}

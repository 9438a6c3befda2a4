internal import PaymentCore
internal import StrictJSON

/// A file of lines that takes items of a queue's state.
protocol ItemSink {
    /// Appends a line.
    ///
    /// - Parameters:
    ///   - word: The type of the item, without characters that need escapes.
    ///   - payload: Appends one JSON object with sorted names.
    func item(_ word: StaticString, payload: (inout JSONWriter) -> Void)
}

extension SnapshotSink: ItemSink {}

extension ItemSink {
    /// Adds an item of a queue's state.
    func add(_ item: SnapshotItem) {
        switch item {
        case .counters(let incarnation, let claimsUnknownUpTo):
            self.item("counters") { writer in
                writer.raw("{")
                if let claimsUnknownUpTo {
                    writer.raw("\"claimsUnknownUpTo\":")
                    writer.integer(claimsUnknownUpTo)
                    writer.raw(",")
                }
                writer.raw("\"incarnation\":")
                writer.integer(incarnation)
                writer.raw("}")
            }
        case .session(let session):
            self.item("session") { writer in
                writer.raw("{\"session\":")
                writer.session(session)
                writer.raw("}")
            }
        case .assumedCountry(let country):
            self.item("assumedCountry") { $0.assumedCountry(country) }
        case .product(let product):
            self.item("product") { $0.recordedProduct(product) }
        case .transaction(let transaction, let key, let newestEvent, let user):
            self.item("transaction") { writer in
                writer.raw("{\"newestEvent\":")
                writer.integer(newestEvent)
                writer.raw(",\"transaction\":")
                writer.transaction(transaction, key: key, snapshot: true)
                if let user {
                    writer.raw(",\"user\":")
                    writer.integer(user)
                }
                writer.raw("}")
            }
        case .finished(let transaction, let key, let finish, let closed):
            self.item("finished") { $0.finished(transaction, key, finish, closed: closed) }
        case .order(let order, let transaction):
            self.item("order") { writer in
                writer.raw("{\"order\":")
                writer.identifier(order.value)
                writer.raw(",\"transaction\":")
                writer.identifier(transaction.value)
                writer.raw("}")
            }
        default: addRare(item)
        }
    }

    /// Adds an item of the less frequent kinds.
    private func addRare(_ item: SnapshotItem) {
        switch item {
        case .endedSession(let ended):
            self.item("endedSession") { $0.endedSession(ended) }
        case .counters, .session, .assumedCountry, .product, .transaction, .finished, .order:
            preconditionFailure("an item of the queue has its place above")
        case .policy(let policy):
            self.item("policy") { $0.policy(policy) }
        case .question(let question, let opened):
            self.item("question") { $0.question(question, opened: opened) }
        case .closedQuestion(let id, let account, let time):
            self.item("closedQuestion") { $0.closedQuestion(id, account: account, at: time) }
        case .restore(let restore, let keys, let user):
            self.item("restore") { $0.restoreItem(restore, keys: keys, user: user) }
        case .endedRestore(let restore, let keys, let outcome, let time):
            self.item("endedRestore") {
                $0.restoreItem(restore, keys: keys, ended: (outcome, time))
            }
        case .lastRestoreEnd(let account, let time):
            self.item("lastRestoreEnd") { writer in
                writer.raw("{\"account\":")
                writer.string(account.string)
                writer.raw(",\"at\":")
                writer.timestamp(time)
                writer.raw("}")
            }
        case .claim(let account, let sequence):
            self.item("claim") { writer in
                writer.raw("{\"account\":")
                writer.string(account.string)
                writer.raw(",\"upTo\":")
                writer.integer(sequence)
                writer.raw("}")
            }
        case .forgotten(let before, let sequence):
            self.item("forgotten") { writer in
                writer.raw("{\"before\":")
                writer.timestamp(before)
                writer.raw(",\"by\":")
                writer.integer(sequence)
                writer.raw("}")
            }
        case .revokedOrder(let order, let revocation):
            self.item("revokedOrder") { $0.revokedOrder(order, revocation) }
        case .productsRevision(let revision):
            self.item("productsRevision") { $0.productsRevision(revision) }
        case .observer(let name, let position, let time, let owner):
            self.item("observer") {
                $0.acknowledged(name, upTo: position, at: time, owner: owner)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func endedSession(_ ended: EndedSession) {
        raw("{\"at\":")
        timestamp(ended.endedAt)
        if let question = ended.question {
            raw(",\"question\":")
            identifier(question.value)
        }
        raw(",\"session\":")
        session(ended.session)
        raw("}")
    }

    fileprivate mutating func finished(
        _ transaction: Transaction, _ key: OpaqueText?, _ finish: Finish,
        closed: SequenceNumber?
    ) {
        raw("{\"at\":")
        timestamp(finish.time)
        if let origin = finish.origin {
            raw(",\"by\":")
            self.origin(origin)
        }
        if let closed {
            raw(",\"closed\":")
            integer(closed)
        }
        raw(",\"transaction\":")
        self.transaction(transaction, key: key, removal: finish.reason, snapshot: true)
        raw("}")
    }
}

extension EventDecoder {
    /// Reads an item of a queue's state; nil for an unknown type.
    mutating func item(_ content: LineContent) throws(PayloadFault) -> SnapshotItem? {
        var members = try MemberCursor(content, object: content.payloadOffset)
        if content.isWord("transaction") {
            let newestEvent = try content.unsigned(members.require("newestEvent"))
            let parts = try parts(content, members.require("transaction"))
            let user = try content.optional(members.take("user"), content.unsigned32)
            return .transaction(
                parts.transaction, key: parts.key, newestEvent: newestEvent,
                user: user)
        }
        if content.isWord("finished") {
            let at = try content.timestamp(members.require("at"))
            let by = try content.optional(members.take("by"), content.origin)
            let closed = try content.optional(members.take("closed"), content.unsigned)
            let parts = try parts(content, members.require("transaction"))
            guard let reason = parts.removal else { throw PayloadFault("'removal' is missing") }
            let finish = Finish(time: at, reason: reason, origin: by)
            return .finished(parts.transaction, key: parts.key, finish, closed: closed)
        } else if content.isWord("order") {
            let order = OrderID(try content.identifier(members.require("order")))
            let transaction = try content.identifier(members.require("transaction"))
            return .order(order, TransactionID(transaction))
        } else if content.isWord("product") {
            let product = try content.recordedProduct(content.payloadOffset)
            try note(product)
            return .product(product)
        } else if content.isWord("counters") {
            let unknown = try content.optional(members.take("claimsUnknownUpTo"), content.unsigned)
            return .counters(
                incarnation: try content.unsigned(members.require("incarnation")),
                claimsUnknownUpTo: unknown)
        } else if content.isWord("session") {
            return .session(try content.session(members.require("session")))
        } else if content.isWord("assumedCountry") {
            return .assumedCountry(try content.assumedCountry())
        }
        return try rareItem(content, &members)
    }

    /// Reads an item of the less frequent kinds.
    private func rareItem(
        _ content: LineContent, _ members: inout MemberCursor
    ) throws(PayloadFault) -> SnapshotItem? {
        if content.isWord("endedSession") {
            let at = try content.timestamp(members.require("at"))
            let question = try content.optional(members.take("question"), content.identifier)
            guard let session = try content.session(members.require("session")) else {
                throw PayloadFault("'session' is null")
            }
            return .endedSession(
                EndedSession(
                    session: session, endedAt: at, question: question.map(QuestionID.init)))
        } else if content.isWord("revokedOrder") {
            return try content.revokedOrder()
        } else if content.isWord("policy") {
            return .policy(try content.policy())
        } else if content.isWord("question") {
            let (question, opened) = try question(content)
            return .question(question, opened: opened)
        } else if content.isWord("closedQuestion") {
            return try content.closedQuestion()
        } else if content.isWord("restore") {
            return try content.restoreItem(hasEnded: false)
        } else if content.isWord("endedRestore") {
            return try content.restoreItem(hasEnded: true)
        } else if content.isWord("lastRestoreEnd") {
            let account = try content.opaque(members.require("account"))
            return .lastRestoreEnd(account, at: try content.timestamp(members.require("at")))
        } else if content.isWord("claim") {
            let account = try content.opaque(members.require("account"))
            return .claim(account, at: try content.unsigned(members.require("upTo")))
        } else if content.isWord("forgotten") {
            let before = try content.timestamp(members.require("before"))
            return .forgotten(before: before, by: try content.unsigned(members.require("by")))
        } else if content.isWord("productsRevision") {
            return .productsRevision(try content.unsigned(members.require("revision")))
        } else if content.isWord("observer") {
            let time = try content.timestamp(members.require("at"))
            let name = try content.opaque(members.require("observer"))
            let position = try content.unsigned(members.require("upTo"))
            let owner = try content.optional(members.take("user"), content.unsigned32)
            return .observer(name, upTo: position, at: time, owner: owner)
        }
        return nil
    }
}

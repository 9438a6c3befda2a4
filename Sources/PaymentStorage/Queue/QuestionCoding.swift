internal import PaymentCore
internal import StrictJSON

extension JSONWriter {
    /// Appends a question. It names the product by number, as a transaction does, and also by
    /// identifier for readability. A snapshot includes the record that opened it.
    mutating func question(_ question: Question, opened: SequenceNumber? = nil) {
        beginObject()
        if let account = question.account {
            name("account")
            string(account.string)
        }
        if let cause = question.cause {
            name("cause")
            string(cause.rawValue)
        }
        if let country = question.country {
            name("country")
            self.country(country)
        }
        if question.fallback {
            name("fallback")
            bool(true)
        }
        name("id")
        identifier(question.id.value)
        name("kind")
        string(question.kind.rawValue)
        if let opened {
            name("opened")
            integer(opened)
        }
        name("openedAt")
        timestamp(question.openedAt)
        if let product = question.product {
            name("p")
            integer(product.number)
        }
        name("patienceMs")
        integer(question.patienceMs)
        if let product = question.product {
            name("product")
            string(product.product.productIdentifier.string)
        }
        if let transaction = question.transaction {
            name("transaction")
            identifier(transaction.value)
        }
        endObject()
    }

    /// Appends the end of a question.
    mutating func closing(_ closing: QuestionClosing) {
        beginObject()
        if let account = closing.account {
            name("account")
            string(account.string)
        }
        name("id")
        identifier(closing.id.value)
        if let note = closing.note {
            name("note")
            string(note.string)
        }
        name("reason")
        string(closing.reason.rawValue)
        if let value = closing.value {
            name("value")
            bool(value)
        }
        endObject()
    }

    /// Appends the gate policy.
    mutating func policy(_ policy: GatePolicy) {
        beginObject()
        name("afterLogin")
        string(policy.afterLogin.rawValue)
        name("fallback")
        bool(policy.fallback)
        name("mode")
        string(policy.mode.rawValue)
        name("timeoutMs")
        integer(policy.timeoutMs)
        endObject()
    }

    /// Appends a remembered question that ended.
    mutating func closedQuestion(_ id: QuestionID, account: AccountName?, at time: Timestamp) {
        beginObject()
        if let account {
            name("account")
            string(account.string)
        }
        name("at")
        timestamp(time)
        name("id")
        identifier(id.value)
        endObject()
    }
}

extension EventDecoder {
    /// Reads the output of `question`.
    func question(
        _ content: LineContent
    ) throws(PayloadFault) -> (question: Question, opened: SequenceNumber?) {
        var members = try MemberCursor(content, object: content.payloadOffset)
        let account = try content.optional(members.take("account"), content.opaque)
        let cause = try content.optional(members.take("cause")) { offset throws(PayloadFault) in
            try content.word(offset, of: Question.Cause.self)
        }
        let country = try content.optional(members.take("country"), content.country)
        let fallback = try content.optional(members.take("fallback"), content.bool) ?? false
        let id = QuestionID(try content.identifier(members.require("id")))
        let kind = try content.word(members.require("kind"), of: Question.Kind.self)
        let opened = try content.optional(members.take("opened"), content.unsigned)
        let openedAt = try content.timestamp(members.require("openedAt"))
        let product = try content.optional(members.take("p")) { offset throws(PayloadFault) in
            try self.product(content, offset)
        }
        let patience = try content.signed(members.require("patienceMs"))
        let transaction = try content.optional(members.take("transaction"), content.identifier)
        let question = Question(
            id: id, kind: kind, account: account,
            transaction: transaction.map(TransactionID.init), cause: cause, product: product,
            country: country, fallback: fallback, patienceMs: patience, openedAt: openedAt)
        return (question, opened)
    }
}

extension LineContent {
    /// Reads the output of `closing`.
    func closing() throws(PayloadFault) -> QuestionClosing {
        var members = try MemberCursor(self, object: payloadOffset)
        let account = try optional(members.take("account"), opaque)
        let id = QuestionID(try identifier(members.require("id")))
        let note = try optional(members.take("note"), opaque)
        let reason = try word(members.require("reason"), of: QuestionClosing.Reason.self)
        let value = try optional(members.take("value"), bool)
        return QuestionClosing(id: id, account: account, value: value, reason: reason, note: note)
    }

    /// Reads the output of `policy`.
    func policy() throws(PayloadFault) -> GatePolicy {
        var members = try MemberCursor(self, object: payloadOffset)
        let afterLogin = try word(
            members.require("afterLogin"), of: GatePolicy.AfterLogin.self)
        let fallback = try bool(members.require("fallback"))
        let mode = try word(members.require("mode"), of: GatePolicy.Mode.self)
        return GatePolicy(
            mode: mode, timeoutMs: try signed(members.require("timeoutMs")), fallback: fallback,
            afterLogin: afterLogin)
    }

    /// Reads the output of `closedQuestion`.
    func closedQuestion() throws(PayloadFault) -> SnapshotItem {
        var members = try MemberCursor(self, object: payloadOffset)
        let account = try optional(members.take("account"), opaque)
        let time = try timestamp(members.require("at"))
        let id = QuestionID(try identifier(members.require("id")))
        return .closedQuestion(id, account: account, at: time)
    }
}

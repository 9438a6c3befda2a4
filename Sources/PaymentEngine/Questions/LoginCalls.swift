import PaymentCore

/// The identifier of a call that waits for a person, by which the call can be cancelled.
public struct WaitTicket: Sendable, Hashable {
    let number: UInt64
}

/// The calls that wait for a login, and those that wait for an answer after the login that they caused.
/// They end with the process.
struct LoginCalls {
    /// The work to do once the question has ended.
    enum Work {
        case add(AddRequest, @Sendable (Result<AddReply, EngineRefusal>) -> Void)
        case other(@Sendable (Result<Void, EngineRefusal>) -> Void)
        case logIn(@Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void)
    }

    /// One call.
    struct Caller {
        var ticket: WaitTicket
        var origin: Origin
        var work: Work

        /// The payment of an `add`; nil for other calls.
        var payment: AddRequest? {
            if case .add(let request, _) = work { request } else { nil }
        }

        /// Refuses the call.
        func refuse(_ refusal: EngineRefusal) {
            switch work {
            case .add(_, let answer): answer(.failure(refusal))
            case .other(let answer): answer(.failure(refusal))
            case .logIn(let answer): answer(.failure(refusal))
            }
        }
    }

    /// The login question that is open, if one is.
    private(set) var question: QuestionID?
    private var callers: [Caller] = []
    private var undecided: [QuestionID: [Caller]] = [:]
    private var lastTicket: UInt64 = 0

    /// Issues a ticket.
    mutating func issue() -> WaitTicket {
        lastTicket += 1
        return WaitTicket(number: lastTicket)
    }

    /// Adds a call that waits for a login.
    ///
    /// - Returns: Whether the login question must be opened.
    mutating func wait(_ caller: Caller) -> Bool {
        callers.append(caller)
        return question == nil
    }

    /// Notes that the login question was opened.
    mutating func opened(_ question: QuestionID) {
        self.question = question
    }

    /// Adds a call that waits for the answer to a question after the login.
    mutating func wait(_ caller: Caller, forAnswerTo question: QuestionID) {
        undecided[question, default: []].append(caller)
    }

    /// The question after a login that another call of this `add`, with the same key, waits for; nil if there is
    /// none. Such calls are one purchase, so one answer decides them.
    func question(sharing request: AddRequest) -> QuestionID? {
        guard request.key != nil else { return nil }
        return undecided.first { _, callers in
            callers.contains { $0.payment?.asNew == request.asNew }
        }?.key
    }

    /// Removes a call. The login question closes when no call waits for it any more.
    ///
    /// - Parameters:
    ///   - ticket: The call.
    ///   - kept: A login question that stays open without calls.
    /// - Returns: The questions to be withdrawn.
    mutating func cancel(_ ticket: WaitTicket, keeping kept: QuestionID?) -> [QuestionID] {
        var withdrawn: [QuestionID] = []
        callers.removeAll { $0.ticket == ticket }
        if let question, callers.isEmpty, question != kept {
            self.question = nil
            withdrawn.append(question)
        }
        for (question, callers) in undecided {
            let rest = callers.filter { $0.ticket != ticket }
            undecided[question] = rest.isEmpty ? nil : rest
            if rest.isEmpty { withdrawn.append(question) }
        }
        return withdrawn
    }

    /// Returns and clears the callers of the login question. The list is emptied first, because an
    /// answer may add a caller.
    mutating func close() -> [Caller] {
        defer { (callers, question) = ([], nil) }
        return callers
    }

    /// The questions after the login that calls wait for.
    var undecidedQuestions: [QuestionID] { Array(undecided.keys) }

    /// Removes and returns the calls that wait for the answer to a question after the login, the oldest first.
    mutating func takeCallers(of question: QuestionID) -> [Caller] {
        undecided.removeValue(forKey: question) ?? []
    }
}

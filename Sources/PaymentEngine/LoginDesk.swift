import PaymentCore

/// Names a call that waits for a person, so that it can be given up.
public struct WaitTicket: Sendable, Hashable {
    let number: UInt64
}

/// The calls that wait for somebody to log in, and those that wait to hear whether they may go on
/// after a login that they caused. They end with the process.
struct LoginDesk {
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
    }

    /// The login question that is open, if one is.
    var question: QuestionID?
    /// The calls that wait for it, in the order in which they came.
    var callers: [Caller] = []
    /// The calls that wait for an answer after the login, by question.
    var undecided: [QuestionID: Caller] = [:]
    /// The account that logged in last, and the record of it.
    var lastLogin: (origin: Origin?, sequence: SequenceNumber) = (nil, 0)
    private var lastTicket: UInt64 = 0

    mutating func issue() -> WaitTicket {
        lastTicket += 1
        return WaitTicket(number: lastTicket)
    }

    /// Takes everybody who waits for the login question; whoever is told may ask again at once.
    mutating func close() -> [Caller] {
        defer {
            callers = []
            question = nil
        }
        return callers
    }
}

extension LoginDesk.Caller {
    /// Turns the call down.
    func refuse(_ refusal: EngineRefusal) {
        switch work {
        case .add(_, let answer): answer(.failure(refusal))
        case .other(let answer): answer(.failure(refusal))
        case .logIn(let answer): answer(.failure(refusal))
        }
    }
}

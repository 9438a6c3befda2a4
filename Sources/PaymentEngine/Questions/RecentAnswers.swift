import PaymentCore

/// The answers given last, so that a client that lost the reply may repeat its own.
struct RecentAnswers {
    /// The maximum number of remembered answers.
    static let limit = 256

    private struct Answer {
        var id: QuestionID
        var value: Bool
        var connection: UInt64
        var sequence: SequenceNumber
    }

    private var answers: [Answer] = []
    private var next = 0

    /// Adds an answer, in place of the oldest one if there are too many.
    mutating func add(
        _ id: QuestionID, _ value: Bool, by connection: UInt64, _ sequence: SequenceNumber
    ) {
        let answer = Answer(id: id, value: value, connection: connection, sequence: sequence)
        if answers.count < Self.limit {
            answers.append(answer)
        } else {
            answers[next] = answer
            next = (next + 1) % Self.limit
        }
    }

    /// The record of an answer; nil if this connection did not give it.
    func sequence(of id: QuestionID, _ value: Bool, by connection: UInt64) -> SequenceNumber? {
        answers.first { $0.id == id && $0.value == value && $0.connection == connection }?.sequence
    }
}

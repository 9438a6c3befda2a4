import StrictJSON

/// The meaning of an answer to `wait`.
enum WaitVerdict: Equatable {
    /// The wait has reached its goal.
    case reached
    /// The restore ended without success.
    case failed
    /// The transaction left the queue in this way and can never reach the goal.
    case left(String)
    /// The daemon waited for the full requested time. Only this verdict permits another call.
    case notYet
    /// The daemon did not wait; a repeated call could run in a busy loop.
    case unasked

    /// Evaluates an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer of the daemon.
    ///   - waited: The duration of the call.
    ///   - asked: The requested wait.
    init(_ answer: JSONValue, waited: Duration, asked: Duration) {
        if answer["restore"]?["state"]?.stringValue == "failed" {
            self = .failed
        } else if answer["reached"]?.boolValue == true {
            self = .reached
        } else if let ending = answer["transaction"].flatMap(TransactionText.ending) {
            self = .left(ending)
        } else {
            // The tolerance allows for a coarser clock of the daemon.
            self = waited < asked / 2 ? .unasked : .notYet
        }
    }
}

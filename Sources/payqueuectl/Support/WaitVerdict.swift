import StrictJSON

/// The meaning of an answer to `wait`.
enum WaitVerdict: Equatable {
    /// The wait has reached its goal.
    case reached
    /// The restore ended without success.
    case failed
    /// The transaction left the queue in this way, and never comes to what was waited for.
    case left(String)
    /// The daemon waited as long as it was asked to. The only one after which to ask again.
    case notYet
    /// The daemon did not wait; asking again could repeat at full speed.
    case unasked

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - answer: What the daemon said.
    ///   - waited: How long that took.
    ///   - asked: How long it was asked to wait.
    init(_ answer: JSONValue, waited: Duration, asked: Duration) {
        if answer["restore"]?["state"]?.stringValue == "failed" {
            self = .failed
        } else if answer["reached"]?.boolValue == true {
            self = .reached
        } else if let ending = answer["transaction"].flatMap(TransactionText.ending) {
            self = .left(ending)
        } else {
            // Its clock need not be as fine as this one.
            self = waited < asked / 2 ? .unasked : .notYet
        }
    }
}

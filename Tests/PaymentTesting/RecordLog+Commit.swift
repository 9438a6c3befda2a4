public import PaymentCore

extension RecordLog {
    /// Commits the running batch of a log that answers at once, as local files do.
    ///
    /// - Throws: What the log answers instead.
    public func commit() throws(JournalFailure) {
        switch submit({ _ in }) {
        case .committed: break
        case .failed(let failure): throw failure
        case .fenced(let term):
            throw JournalFailure("another owner, of term \(term), has taken over the log")
        case nil: preconditionFailure("the log answers later")
        }
    }
}

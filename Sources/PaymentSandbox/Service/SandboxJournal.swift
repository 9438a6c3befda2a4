public import PaymentCore

/// The journal of the sandbox's events, in order.
///
/// Only one sandbox calls it, on its executor. A failure of ``commit()`` is final: nothing is appended
/// after it, and listeners do not receive the changes of that batch.
public protocol SandboxJournal: AnyObject {
    /// Adds an event to the running batch. It is durable once ``commit()`` returns.
    func append(_ event: SandboxEvent, time: Timestamp)

    /// Writes the running batch, and returns when it is on stable storage.
    func commit() throws(JournalFailure)

    /// Receives the state after each commit. It is exactly the state in the journal, so a snapshot may be
    /// taken.
    func didCommit(_ state: SandboxState)

    /// Closes the journal. It is not used afterwards.
    func close() throws(JournalFailure)
}

extension SandboxJournal {
    /// The default takes no snapshot.
    public func didCommit(_ state: SandboxState) {}

    /// The default does nothing.
    public func close() throws(JournalFailure) {}
}

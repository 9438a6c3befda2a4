public import PaymentCore

/// A durable journal of the sandbox's events, in order.
///
/// The sandbox alone calls it, from its executor only. A failure of ``commit()`` is final: nothing
/// is appended after it, and no listener is told about the events of that batch.
public protocol SandboxJournal: AnyObject {
    /// Adds an event to the current batch. It is durable when ``commit()`` returns.
    func append(_ event: SandboxEvent, time: Timestamp)

    /// Writes the current batch and returns when it is on stable storage.
    func commit() throws(JournalFailure)

    /// Called right after each commit with exactly the state that the journal now holds. The
    /// journal can take a due snapshot then.
    func didCommit(_ state: SandboxState)

    /// Closes the journal cleanly. It is the last call.
    func close() throws(JournalFailure)
}

extension SandboxJournal {
    /// The default takes no snapshot.
    public func didCommit(_ state: SandboxState) {}

    /// The default does nothing.
    public func close() throws(JournalFailure) {}
}

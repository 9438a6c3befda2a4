public import PaymentCore

/// Keeps the events of the sandbox, in order and for good.
///
/// The sandbox alone calls it, from its executor only. A failure of ``commit()`` is final: nothing
/// is appended after it, and no listener is told about the events of that batch.
public protocol SandboxJournal: AnyObject {
    /// Adds an event to the running batch. Not durable until ``commit()`` returns.
    func append(_ event: SandboxEvent, time: Timestamp)

    /// Writes the running batch and returns when it is on stable storage.
    func commit() throws(JournalFailure)

    /// Called right after each commit with the state that the journal now holds, neither more nor
    /// less: the moment to take a snapshot, if one is due.
    func didCommit(_ state: SandboxState)

    /// Ends the journal cleanly. Nothing is called afterwards.
    func close() throws(JournalFailure)
}

extension SandboxJournal {
    /// Takes no snapshot.
    public func didCommit(_ state: SandboxState) {}

    /// Needs no ending.
    public func close() throws(JournalFailure) {}
}

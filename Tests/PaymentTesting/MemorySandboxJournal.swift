public import PaymentCore
public import PaymentSandbox
import Synchronization

/// A journal of the sandbox in memory that can be told to fail.
///
/// Events that were appended but not committed are lost in a crash: a new sandbox would replay
/// ``durableEvents``.
public final class MemorySandboxJournal: SandboxJournal, Sendable {
    private struct Contents {
        var durable: [SandboxEvent] = []
        var batch: [SandboxEvent] = []
        var commits = 0
        var commitToFail: Int?
        var isClosed = false
        var lastState = SandboxState()
    }

    private let contents: Mutex<Contents>

    /// Creates a journal that holds these events already.
    public init(events: [SandboxEvent] = []) {
        contents = Mutex(Contents(durable: events))
    }

    /// The events that a crash would leave.
    public var durableEvents: [SandboxEvent] { contents.withLock(\.durable) }

    /// How often a batch was committed, failures included.
    public var commitCount: Int { contents.withLock(\.commits) }

    /// Whether the journal was ended.
    public var isClosed: Bool { contents.withLock(\.isClosed) }

    /// The state that came with the last commit.
    public var lastState: SandboxState { contents.withLock(\.lastState) }

    /// Makes one commit fail; the first is number 1.
    public func failCommit(_ number: Int) {
        contents.withLock { $0.commitToFail = number }
    }

    /// Adds an event to the batch.
    public func append(_ event: SandboxEvent, time: Timestamp) {
        contents.withLock { contents in
            precondition(!contents.isClosed, "an event was appended to a closed journal")
            contents.batch.append(event)
        }
    }

    /// Makes the batch durable, or fails as told.
    public func commit() throws(JournalFailure) {
        let isFailing = contents.withLock { contents in
            precondition(!contents.isClosed, "a closed journal was committed")
            contents.commits += 1
            if contents.commits == contents.commitToFail { return true }
            contents.durable += contents.batch
            contents.batch = []
            return false
        }
        if isFailing { throw JournalFailure("cannot sync: told to fail", errno: 5) }
    }

    /// Keeps the state.
    public func didCommit(_ state: SandboxState) {
        contents.withLock { $0.lastState = state }
    }

    /// Notes the end.
    public func close() throws(JournalFailure) {
        contents.withLock { $0.isClosed = true }
    }
}

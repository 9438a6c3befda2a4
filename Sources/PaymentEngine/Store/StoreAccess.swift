import Logging
public import PaymentCore

/// A change of session that the store's answers have brought.
enum SessionNews {
    /// A login has opened a session, by a record of a client's call.
    case opened(origin: Origin?, sequence: SequenceNumber)
    /// The account in session has moved to another country, or has no session any more.
    case changed
    /// The account in session has logged in again; the store serves it again.
    case confirmed
}

/// Hears what the store's controllers find out; the engine, which routes it to other parts.
protocol StoreObserver: AnyObject {
    /// The session has changed in the running turn, or is good again.
    func sessionDidChange(_ news: SessionNews)
    /// The store went down or is back.
    func storeHealthDidChange()
}

/// The store as the engine's controllers ask it: sends requests, and draws from the answers what they
/// say about the store's health and about the session.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class StoreAccess: @unchecked Sendable {
    let writer: QueueWriter
    let gateway: any StoreGateway
    let deadlines: Deadlines
    /// The store's health.
    public private(set) var health: StoreHealth
    weak var observer: (any StoreObserver)?

    init(writer: QueueWriter, gateway: any StoreGateway, deadlines: Deadlines) {
        self.deadlines = deadlines
        self.writer = writer
        self.gateway = gateway
        health = StoreHealth(name: gateway.name, since: writer.time)
    }

    /// Sends a request to the store.
    func send(_ request: StoreRequest) {
        writer.loop.preconditionOnLoop()
        gateway.send(request)
    }

    // MARK: Health

    /// When the store is asked next while it does not answer, if that is known.
    public var nextTry: Timestamp? {
        guard !health.isUp else { return nil }
        return health.nextTryAt ?? gateway.timeUntilProbe.map(writer.time(after:))
    }

    /// Notes an answer of the store, or its absence.
    func note(_ failure: StoreFailure?) {
        if health.note(failure, at: writer.time) { reportHealth() }
    }

    /// Notes the store's own message that it is down or, with nil, back.
    func announce(_ failure: StoreFailure?) {
        if health.announce(failure, at: writer.time) { reportHealth() }
    }

    /// Notes that an order is asked for again after a delay.
    func planRetry(after delay: Duration) {
        health.planRetry(at: writer.time(after: delay))
    }

    /// Stops for good when the embedded store cannot keep what it is told: going on would take money
    /// that no file knows of.
    ///
    /// - Returns: Whether it had to.
    func stopIfFatal(_ failure: StoreFailure) -> Bool {
        guard failure.kind == .storageFailed else { return false }
        writer.fail(JournalFailure(failure.description))
        return true
    }

    private func reportHealth() {
        observer?.storeHealthDidChange()
        let state: Logger.Metadata = ["store": "\(gateway.name)"]
        if health.isUp {
            writer.logger.notice("store answers again", metadata: state)
        } else {
            writer.logger.warning(
                "store does not answer; orders wait and are retried", metadata: state)
        }
    }

    // MARK: Session

    /// Wraps the taker of an answer about an account, so that the session ends if the answer says that
    /// the store has ended it, or does not know the account any more. A node that follows has sessions of its own
    /// at the store, and their end is not that of the queue's.
    ///
    /// - Parameters:
    ///   - account: The account that the request is about.
    ///   - answer: Called once, after the session has ended if it does; then with `sessionRevoked`.
    /// - Returns: The taker to send with the request.
    func inSession<Value>(
        of account: AccountName, _ answer: @escaping StoreAnswer<Value>
    ) -> StoreAnswer<Value> {
        let opened = writer.facts.session.sessionsOpened
        return { [self] result in
            if case .failure(let failure) = result, failure.endsSession, writer.mayRecord,
                opened == writer.facts.session.sessionsOpened,
                account == writer.queue.session?.account
            {
                endSession(failure)
                return answer(.failure(StoreFailure(.sessionRevoked, failure.description)))
            }
            answer(result)
        }
    }

    /// Ends the session like a logout, at the first answer that says so.
    private func endSession(_ failure: StoreFailure) {
        note(failure)
        writer.facts.session.sessionEnded()
        writer.logger.warning("store ended the session; its work waits for a login")
        writer.write { queue, _, events in queue.decideSessionEnd(events: &events) }
        observer?.sessionDidChange(.changed)
    }
}

extension QueueWriter {
    /// How many records the running turn has.
    var recordsOfTurn: Int { pipeline.running.records.count }

    /// The time of day that it is after a while.
    func time(after delay: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + delay.wholeMilliseconds)
    }
}

import Logging
public import PaymentCore

/// A change of session, caused by an answer of the store.
enum SessionNews {
    /// A login has opened a session, by a record of a client's call.
    case opened(origin: Origin?, sequence: SequenceNumber)
    /// The account in session has moved to another country, or has no session any more.
    case changed
    /// The account in session has logged in again; the store serves it again.
    case confirmed
}

/// Receives the events of the store's controllers. The engine implements it, and passes them to other
/// parts.
protocol StoreObserver: AnyObject {
    /// The session has changed in the running turn, or is valid at the store again.
    func sessionDidChange(_ news: SessionNews)
    /// The store went down or is back.
    func storeHealthDidChange()
}

/// The access of the engine's controllers to the store. It sends requests, and derives the store's
/// health and the end of a session from the answers.
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

    /// The time of the next request while the store does not answer; nil if it answers or the time is
    /// unknown.
    public var nextTry: Timestamp? {
        guard !health.isUp else { return nil }
        return health.nextTryAt ?? gateway.timeUntilProbe.map(writer.time(after:))
    }

    /// Notes the result of a request: nil for a success.
    func note(_ failure: StoreFailure?) {
        if health.note(failure, at: writer.time) { reportHealth() }
    }

    /// Notes the store's own message that it is down or, with nil, back.
    func announce(_ failure: StoreFailure?) {
        if health.announce(failure, at: writer.time) { reportHealth() }
    }

    /// Notes that an order is requested again after a delay.
    func planRetry(after delay: Duration) {
        health.planRetry(at: writer.time(after: delay))
    }

    /// Stops the engine for good if the embedded store cannot record its changes. Otherwise it would
    /// charge orders that are in no file.
    ///
    /// - Returns: Whether the engine was stopped.
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

    /// Wraps the handler of an answer about an account. If the answer shows that the store has ended
    /// the session, or does not know the account any more, the session of the queue ends.
    ///
    /// A follower has its own sessions at the store, and their end does not end the session of the
    /// queue.
    ///
    /// - Parameters:
    ///   - account: The account that the request is about.
    ///   - answer: Called once. If the session ends, it is called after that, with `sessionRevoked`.
    /// - Returns: The handler to send with the request.
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

    /// Ends the session like a logout, at the first answer that shows its end at the store.
    private func endSession(_ failure: StoreFailure) {
        note(failure)
        writer.facts.session.sessionEnded()
        writer.logger.warning("store ended the session; its work waits for a login")
        writer.write { queue, _, events in queue.decideSessionEnd(events: &events) }
        observer?.sessionDidChange(.changed)
    }
}

extension QueueWriter {
    /// The number of records of the running turn.
    var recordsOfTurn: Int { pipeline.running.records.count }

    /// The time of day after a delay.
    func time(after delay: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + delay.wholeMilliseconds)
    }
}

import Logging
import PaymentCore

/// How a subscription comes from its place in the log to live records: page by page, everybody in
/// turn, and the sockets between, so that a reader who is far behind holds up nobody.
extension PaymentEngine {
    /// Most records read from the log at a time for one subscription.
    static let pageOfRecords = 128
    /// Most transactions of one redelivery.
    static let pageOfTransactions = 50
    /// About how many bytes one redelivery has at most, unless a single transaction has more.
    static let redeliveryBytes = 64 * 1024
    /// How long one slice of catching up takes, give or take a page.
    static let sliceOfWork = Duration.milliseconds(1)

    /// Goes on with a subscription whose connection has room again.
    public func resume(_ subscription: Subscription) {
        catchUpLater(subscription)
    }

    /// Lines a subscription up for its next page, unless it has no room: then ``resume(_:)`` will.
    func catchUpLater(_ subscription: Subscription) {
        guard !subscription.isLinedUp, !subscription.isEnded, subscription.sink.hasRoom else {
            return
        }
        subscription.isLinedUp = true
        backlog.append(subscription)
        scheduleCatchUp()
    }

    /// Starts the subscriptions that were made in the turn that has just become durable.
    func advanceNewSubscriptions() {
        for subscription in subscriptions {
            if case .replaying = subscription.phase { catchUpLater(subscription) }
        }
    }

    /// The turn is over; who could not go on because of it goes on now.
    func catchUpAfterTurn() {
        guard backlog.state == .heldUp else { return }
        catchUp()
    }

    private func scheduleCatchUp() {
        guard backlog.state == .idle else { return }
        backlog.state = .scheduled
        loop.executeAfterInput { [self] in catchUp() }
    }

    /// Moves everybody on by a page who was lined up when it began, or fewer if that takes long.
    ///
    /// Only between turns: what the running one changed may not be seen yet, and a subscription
    /// made in it has no reply yet. The end of the turn comes back to both.
    private func catchUp() {
        guard pipeline.mayShowState else {
            backlog.state = .heldUp
            return
        }
        // Whoever lines up meanwhile starts the next slice by the line below.
        backlog.state = .scheduled
        let began = loop.now
        for _ in 0..<backlog.count {
            guard let subscription = backlog.next() else { break }
            subscription.isLinedUp = false
            advance(subscription)
            if loop.now - began >= Self.sliceOfWork { break }
        }
        backlog.state = .idle
        if backlog.count > 0 { scheduleCatchUp() }
    }

    /// Moves one subscription on by a page of the log or a page of redelivery.
    private func advance(_ subscription: Subscription) {
        guard !subscription.isEnded, subscription.turn <= pipeline.committed,
            subscription.sink.hasRoom
        else {
            return
        }
        let wasReady = isReady(subscription)
        if replayPage(subscription) { redeliverPage(subscription) }
        subscription.sink.flushDeliveries()
        // A live one that has read on to where everybody else is.
        if !wasReady, isReady(subscription), subscription.observes { observersDidCatchUp() }
        if subscription.isLive, subscription.scanned >= durableHead { return }
        catchUpLater(subscription)
    }

    /// Sends a page of records from the log.
    ///
    /// - Returns: Whether the subscription has seen the whole log.
    private func replayPage(_ subscription: Subscription) -> Bool {
        guard subscription.scanned < durableHead else { return true }
        guard subscription.scanned + 1 >= journal.oldest else {
            passGap(subscription)
            return false
        }
        let page: [Record]
        do throws(JournalFailure) {
            page = try journal.records(after: subscription.scanned, count: Self.pageOfRecords)
        } catch {
            logger.error(
                "cannot read the log for a subscriber; ending its subscription",
                metadata: ["reason": "\(error)"])
            end(subscription, because: .unreadable)
            return false
        }
        for record in page {
            guard subscription.sink.hasRoom else { return false }
            subscription.scanned = record.sequence
            guard let kind = EventKind(of: record.event), isVisible(record) else { continue }
            send(record, kind, to: subscription)
        }
        if page.isEmpty { subscription.scanned = durableHead }
        return subscription.scanned >= durableHead && subscription.sink.hasRoom
    }

    /// Sends a page of what is unfinished, or says that everything was sent.
    private func redeliverPage(_ subscription: Subscription) {
        var position: UInt64 = 0
        switch subscription.phase {
        case .live: return
        case .replaying: break
        case .redelivering(let reached): position = reached
        }
        guard !subscription.skipsRedelivery,
            subscription.request.kinds?.contains(.transactionsUpdated) ?? true
        else { return finishRedelivery(subscription) }
        var batch: [Transaction] = []
        var bytes = 0
        var isComplete = true
        queue.forEachUnfinished(after: position) { transaction, place, newest in
            guard batch.count < Self.pageOfTransactions, bytes < Self.redeliveryBytes else {
                isComplete = false
                return false
            }
            position = place
            guard newest <= subscription.baseline, transaction.state != .completing,
                subscription.admits(transaction)
            else { return true }
            batch.append(transaction)
            bytes += transaction.approximateBytes
            return true
        }
        if !batch.isEmpty {
            tell(.redelivery(batch, position: subscription.previous), to: subscription)
        }
        subscription.phase = .redelivering(position: position)
        if isComplete { finishRedelivery(subscription) }
    }

    /// Sends a page of open questions, or says that everything was sent.
    private func finishRedelivery(_ subscription: Subscription) {
        if redeliverQuestions(to: subscription) { becomeLive(subscription) }
    }

    private func becomeLive(_ subscription: Subscription) {
        guard !subscription.isEnded else { return }
        subscription.phase = .live
        tell(.caughtUp(position: subscription.previous), to: subscription)
        guard subscription.observes else { return }
        observersDidCatchUp()
    }

    /// The records behind the cursor were trimmed: says which, and goes on with the oldest that is
    /// kept. What was unfinished before that is redelivered when the log has been read.
    private func passGap(_ subscription: Subscription) {
        guard subscription.request.onGap == .snapshot else {
            return end(subscription, because: .trimmed)
        }
        let last = min(max(journal.oldest, 1) - 1, durableHead)
        tell(.gap(from: subscription.scanned + 1, to: last), to: subscription)
        subscription.scanned = last
        subscription.previous = last
        subscription.baseline = last
        subscription.skipsRedelivery = false
        subscription.questionsShown = 0
        subscription.phase = .replaying
    }
}

/// The subscriptions that are owed something and have room for it, in the order of lining up.
struct Backlog {
    /// Whether a slice of work is coming.
    enum State {
        /// Nothing is lined up.
        case idle
        /// A slice is coming, or running.
        case scheduled
        /// The slice came in the middle of a turn and waits for its end.
        case heldUp
    }

    var state = State.idle
    private var line: [Subscription] = []
    private var first = 0

    /// How many are lined up.
    var count: Int { line.count - first }

    mutating func append(_ subscription: Subscription) {
        line.append(subscription)
    }

    mutating func next() -> Subscription? {
        guard first < line.count else { return nil }
        let subscription = line[first]
        first += 1
        if first == line.count {
            line.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 1024 {
            line.removeFirst(first)
            first = 0
        }
        return subscription
    }
}

import Logging
import PaymentCore

/// Brings subscriptions from their place in the log to live records: page by page, users in turn, with the
/// sockets polled between slices, so that a reader far behind delays no other client.
///
/// Proof: see ``QueueWriter``; slices of work name it.
public final class SubscriptionCatchUp: @unchecked Sendable {
    /// The maximum number of records read from the log at a time for one subscription.
    static let pageOfRecords = 128
    /// The maximum number of transactions or questions of one redelivery.
    static let pageOfTransactions = 50
    /// The maximum number of transactions or questions that are examined for one redelivery: a filter may
    /// admit none.
    static let looksOfRedelivery = 4000
    /// The maximum number of pages of one slice, if fewer subscriptions than that wait. A reader must
    /// progress faster than the log grows under load.
    static let pagesOfSlice = 16
    /// The approximate maximum size of one redelivery, in bytes; a single transaction may be larger.
    static let redeliveryBytes = 64 * 1024
    /// The time of one slice of work. One page may exceed it.
    static let slice = Duration.milliseconds(1)

    private let writer: QueueWriter
    private let hub: SubscriptionHub
    private let clocks: QuestionClocks
    private var queue = CatchUpQueue()
    private var recent = RecentRecords()

    init(hub: SubscriptionHub, clocks: QuestionClocks) {
        writer = hub.writer
        self.hub = hub
        self.clocks = clocks
    }

    /// Whether subscriptions of another user have something to read and room for it. They have their slice when
    /// the turn is over.
    public func isAwaited(besidesBy user: UInt32) -> Bool {
        queue.hasSubscriptions(besidesThoseOf: user)
    }

    /// Continues a subscription whose connection has room again.
    public func resume(_ subscription: Subscription) {
        enqueue(subscription)
    }

    /// Continues a subscription of an earlier process. It receives the records since its last delivery,
    /// with an unbroken chain of positions. A live subscription gets no redelivery.
    ///
    /// - Parameters:
    ///   - place: Its place; see ``SubscriptionHub/canResume(_:epoch:)``.
    ///   - target: Its connection.
    /// - Returns: The subscription.
    public func resume(_ place: SubscriptionPlace, target: any DeliveryTarget) -> Subscription {
        let subscription = hub.resume(place, target: target)
        enqueue(subscription)
        return subscription
    }

    /// Keeps the records of a batch for subscriptions that are a little behind, if there are subscriptions.
    ///
    /// - Parameters:
    ///   - records: The records of a batch that is committed.
    ///   - position: The last record before it.
    func keep(_ records: [Record], after position: SequenceNumber) {
        if hub.all.isEmpty { recent.removeAll() } else { recent.append(records, after: position) }
    }

    /// Whether a subscription waits for a slice.
    var hasQueued: Bool { queue.state != .idle }

    /// Queues a subscription for its next page. One without room is queued again when it has some.
    func enqueue(_ subscription: Subscription) {
        if queue.append(subscription) { scheduleSlice() }
    }

    /// Queues the subscriptions that are not live yet, such as those that began in the committed turn,
    /// and the agents whose turn has come.
    func advanceNew() {
        for subscription in hub.all where !subscription.isLive { enqueue(subscription) }
        for subscription in clocks.takeCalled() { enqueue(subscription) }
    }

    /// Runs the slice that was held up by the turn that has just ended.
    func turnEnded() {
        if queue.state == .heldUp { runSlice() }
    }

    /// Sends a record to a subscription if its filters admit the record.
    ///
    /// - Parameters:
    ///   - record: A record that the session sees.
    ///   - kind: Its kind.
    ///   - subscription: The subscription.
    /// - Returns: Whether it was sent, and whether it is a change of session. After such a change, the
    ///   unfinished transactions are sent first.
    func send(
        _ record: Record, _ kind: EventKind, to subscription: Subscription
    ) -> SendResult {
        var result = SendResult.skipped
        if isMeant(record, kind, for: subscription) {
            if case .questionOpened(let question) = record.event {
                clocks.isShown(question, to: subscription)
            }
            hub.tell(.record(record, previous: subscription.previous), to: subscription)
            subscription.previous = record.sequence
            result = .sent
        }
        // A change before the beginning of the subscription is history: the subscription was never live
        // in that session.
        if kind == .storefrontChanged, record.sequence > subscription.began {
            subscription.redeliver(from: record.sequence)
            result = .changesSession
        }
        return result
    }

    /// Whether a record is sent to a subscription. Of all agents, only the one whose turn it is receives
    /// an open question. A question that has ended is history, and only the filters decide.
    private func isMeant(
        _ record: Record, _ kind: EventKind, for subscription: Subscription
    ) -> Bool {
        if case .questionOpened(let question) = record.event,
            let isTurn = clocks.isTurn(of: subscription, at: question)
        {
            return isTurn
        }
        return subscription.admits(kind, record)
    }

    /// The result of ``send(_:_:to:)``.
    enum SendResult {
        case skipped
        case sent
        case changesSession
    }

    /// Changes the rights of a subscription's peer. A question counts as asked once it has reached a peer
    /// that may answer. A peer that gains this right receives the open questions.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - mayAnswer: Whether its peer may answer questions.
    ///   - agents: The questions that its peer may ask a person, if it offered to.
    public func allow(
        _ subscription: Subscription, toAnswer mayAnswer: Bool, asAgents agents: Set<AgentKind>
    ) {
        let agents = subscription.offered.intersection(agents)
        let isNew = mayAnswer && !subscription.request.mayAnswer
        guard
            mayAnswer != subscription.request.mayAnswer
                || agents != subscription.request.agents
        else { return }
        subscription.request.mayAnswer = mayAnswer
        subscription.request.agents = agents
        hub.observersChanged()
        if isNew, subscription.showQuestionsAgain() { enqueue(subscription) }
    }

    private func scheduleSlice() {
        writer.loop.executeAfterInput { [self] in runSlice() }
    }

    /// Advances each queued subscription by a page. It advances fewer if that takes long, and by more
    /// pages if few wait. Users take turns.
    ///
    /// It runs only between turns: changes of the running turn must not be visible yet, and the reply to
    /// a subscription of that turn comes first. ``turnEnded()`` continues in both cases.
    private func runSlice() {
        guard writer.pipeline.mayShowState else {
            queue.state = .heldUp
            return
        }
        // A subscription that is queued meanwhile may have its turn in this slice.
        queue.state = .scheduled
        let began = writer.loop.now
        for _ in 0..<max(queue.count, Self.pagesOfSlice) {
            guard let subscription = queue.next() else { break }
            advance(subscription)
            if writer.loop.now - began >= Self.slice { break }
        }
        if queue.endSlice() { scheduleSlice() }
    }

    /// Advances one subscription by a page of the log or a page of redelivery.
    private func advance(_ subscription: Subscription) {
        guard !subscription.isEnded, subscription.turn <= writer.pipeline.committed,
            subscription.target.hasRoom
        else { return }
        let wasReady = hub.isReady(subscription)
        sendPage(to: subscription)
        subscription.target.flushDeliveries()
        if !wasReady, hub.isReady(subscription), subscription.observes { hub.readinessChanged() }
        if subscription.isLive, subscription.scanned >= writer.durableHead,
            !clocks.isCalled(subscription)
        {
            return
        }
        enqueue(subscription)
    }

    /// Sends the next page. Unfinished transactions come before the records that follow them, and
    /// `caughtUp` comes behind both. A change of session comes before what the new session sees.
    private func sendPage(to subscription: Subscription) {
        if case .redelivering(let position) = subscription.phase,
            subscription.scanned >= hub.lastSessionChange,
            !redeliverTransactions(to: subscription, from: position) || !subscription.target.hasRoom
        {
            return
        }
        guard replayPage(to: subscription) else { return }
        redeliverPage(to: subscription)
        ask(subscription)
    }

    /// Sends an agent that has caught up a page of questions: those at which its turn came after it had
    /// read past their records.
    private func ask(_ subscription: Subscription) {
        var count = 0
        while count < Self.pageOfTransactions, subscription.isLive, !subscription.isEnded,
            subscription.target.hasRoom, let question = clocks.nextQuestion(for: subscription)
        {
            tell(question, to: subscription)
            count += 1
        }
    }

    private func tell(_ question: Question, to subscription: Subscription) {
        clocks.isShown(question, to: subscription)
        let open = OpenQuestion(
            question: question, deadline: clocks.deadline(of: question, for: subscription))
        hub.tell(.question(open, position: subscription.previous), to: subscription)
    }

    /// Sends a page of records from the log, at most up to a change of session since the subscription
    /// began.
    ///
    /// - Returns: Whether the subscription has seen the whole log and has room for more.
    private func replayPage(to subscription: Subscription) -> Bool {
        let head = writer.durableHead
        guard subscription.scanned < head else { return true }
        let oldest = writer.journal.oldest
        guard subscription.scanned + 1 >= oldest else {
            let last = min(max(oldest, 1) - 1, head)
            pass(subscription.scanned + 1...last, of: subscription, because: .trimmed)
            return false
        }
        let page: RecordPage
        do throws(JournalFailure) {
            page = try self.page(after: subscription.scanned)
        } catch {
            if let gap = error.unreadable {
                pass(gap, of: subscription, because: .damaged)
                return false
            }
            writer.logger.error(
                "cannot read the log for a subscriber; ending its subscription",
                metadata: ["reason": "\(error)"])
            hub.end(subscription, because: .unreadable)
            return false
        }
        for record in page.records {
            guard subscription.target.hasRoom else { return false }
            subscription.scanned = record.sequence
            guard let kind = EventKind(of: record.event), writer.isVisible(record) else { continue }
            if send(record, kind, to: subscription) == .changesSession { return false }
        }
        let isAtEnd = page.records.isEmpty && page.position <= subscription.scanned
        subscription.scanned = isAtEnd ? head : max(subscription.scanned, page.position)
        return subscription.scanned >= head && subscription.target.hasRoom
    }

    private func page(after position: SequenceNumber) throws(JournalFailure) -> RecordPage {
        if let page = recent.page(after: position, count: Self.pageOfRecords) { return page }
        return try writer.journal.page(after: position, count: Self.pageOfRecords)
    }

    /// Skips records after the cursor that are missing, and continues with the next readable one.
    /// Unfinished transactions without a later record are redelivered at the end of the log. If the
    /// request permits no gap, the subscription ends.
    private func pass(
        _ gap: ClosedRange<SequenceNumber>, of subscription: Subscription, because cause: GapCause
    ) {
        guard subscription.request.onGap == .snapshot else {
            return hub.end(subscription, because: cause == .trimmed ? .trimmed : .unreadable)
        }
        let last = gap.upperBound
        hub.tell(.gap(gap, because: cause), to: subscription)
        subscription.scanned = last
        subscription.previous = last
        subscription.redeliver(from: last)
        subscription.phase = .replaying
    }

    /// Sends a page of unfinished transactions, or, when all were sent, of open questions; then
    /// `caughtUp`.
    private func redeliverPage(to subscription: Subscription) {
        var position: UInt64 = 0
        switch subscription.phase {
        case .live: return
        case .replaying: break
        case .redelivering(let reached): position = reached
        }
        guard redeliverTransactions(to: subscription, from: position),
            redeliverQuestions(to: subscription), !subscription.isEnded
        else { return }
        subscription.phase = .live
        hub.tell(.caughtUp(position: subscription.previous), to: subscription)
        if subscription.observes { hub.readinessChanged() }
    }

    /// - Returns: Whether that was the last page.
    private func redeliverTransactions(
        to subscription: Subscription, from start: UInt64
    ) -> Bool {
        guard !subscription.skipsRedelivery,
            subscription.request.kinds?.contains(.transactionsUpdated) ?? true
        else { return true }
        var position = start
        var batch: [Transaction] = []
        var bytes = 0
        var looks = 0
        var isComplete = true
        let baseline = subscription.baseline
        // Most transactions follow one of the same product.
        var lastProduct: (number: UInt32, isAdmitted: Bool) = (0, false)
        writer.queue.forEachUnfinished(after: position) { glance, unpacked in
            guard batch.count < Self.pageOfTransactions, bytes < Self.redeliveryBytes,
                looks < Self.looksOfRedelivery
            else {
                isComplete = false
                return false
            }
            looks += 1
            position = glance.position
            if glance.product.number != lastProduct.number {
                lastProduct = (glance.product.number, subscription.admits(glance.product))
            }
            guard lastProduct.isAdmitted, glance.newestEvent <= baseline, !glance.isCompleting
            else { return true }
            let transaction = unpacked()
            batch.append(transaction)
            bytes += transaction.approximateBytes
            return true
        }
        if !batch.isEmpty {
            hub.tell(.redelivery(batch, position: subscription.previous), to: subscription)
        }
        subscription.phase = .redelivering(position: position)
        return isComplete
    }

    /// - Returns: Whether that was the last page.
    private func redeliverQuestions(to subscription: Subscription) -> Bool {
        guard !subscription.skipsRedelivery || !subscription.request.agents.isEmpty else {
            return true
        }
        var page: [Question] = []
        var looks = 0
        var isComplete = true
        // The page is collected first, because a target that fails ends its subscriptions, which changes
        // the queue.
        writer.queue.forEachVisibleQuestion(after: subscription.questionsShown) {
            question, opened in
            guard opened <= subscription.baseline else { return false }
            guard page.count < Self.pageOfTransactions, looks < Self.looksOfRedelivery else {
                isComplete = false
                return false
            }
            looks += 1
            subscription.questionsShown = opened
            if isShownAgain(question, to: subscription) { page.append(question) }
            return true
        }
        for question in page where !subscription.isEnded { tell(question, to: subscription) }
        return isComplete
    }

    /// Whether an open question is part of a redelivery.
    private func isShownAgain(_ question: Question, to subscription: Subscription) -> Bool {
        clocks.isTurn(of: subscription, at: question)
            ?? (subscription.request.mayAnswer && subscription.admits(question))
    }
}

public import PaymentCore

/// Where a subscription stands: enough to go on from there in another process, with nothing lost and
/// nothing sent twice.
public struct SubscriptionPlace: Sendable {
    /// How far the subscriber has come.
    public enum Stage: UInt8, Sendable, Hashable, CaseIterable {
        /// It reads the log.
        case replaying = 0
        /// It is being told again what is unfinished. Places in the queue do not outlive a process, so
        /// that starts again; told twice is what a redelivery may be.
        case redelivering = 1
        /// It has been told everything.
        case live = 2
    }

    /// Names the subscription on the wire.
    public var number: UInt64
    /// The subscriber's request.
    public var request: SubscriptionRequest
    /// The last record when it was made.
    public var began: SequenceNumber
    /// How far the log was scanned.
    public var scanned: SequenceNumber
    /// The last record sent, or where the subscription began.
    public var previous: SequenceNumber
    /// Records behind it are sent; unfinished transactions without one there are redelivered.
    public var baseline: SequenceNumber
    /// The record of the last open question that was shown again.
    public var questionsShown: SequenceNumber
    /// Whether nothing is redelivered.
    public var skipsRedelivery: Bool
    /// How far it has come.
    public var stage: Stage

    /// Names a place.
    public init(
        number: UInt64, request: SubscriptionRequest, began: SequenceNumber,
        scanned: SequenceNumber, previous: SequenceNumber, baseline: SequenceNumber,
        questionsShown: SequenceNumber, skipsRedelivery: Bool, stage: Stage
    ) {
        self.number = number
        self.request = request
        self.began = began
        self.scanned = scanned
        self.previous = previous
        self.baseline = baseline
        self.questionsShown = questionsShown
        self.skipsRedelivery = skipsRedelivery
        self.stage = stage
    }
}

extension Subscription {
    /// Where it stands now. What was delivered counts as sent.
    public var place: SubscriptionPlace {
        SubscriptionPlace(
            number: number, request: request, began: began, scanned: scanned, previous: previous,
            baseline: baseline, questionsShown: questionsShown, skipsRedelivery: skipsRedelivery,
            stage: stage)
    }

    /// How far it has come.
    public var stage: SubscriptionPlace.Stage {
        switch phase {
        case .replaying: .replaying
        case .redelivering: .redelivering
        case .live: .live
        }
    }

    /// Goes on where another one of the same number stood.
    convenience init(_ place: SubscriptionPlace, turn: UInt64, sink: any SubscriptionSink) {
        self.init(
            number: place.number, request: place.request, head: place.began, turn: turn, sink: sink)
        scanned = place.scanned
        previous = place.previous
        baseline = place.baseline
        questionsShown = place.questionsShown
        skipsRedelivery = place.skipsRedelivery
        switch place.stage {
        case .replaying: phase = .replaying
        case .redelivering: phase = .redelivering(position: 0)
        case .live: phase = .live
        }
    }
}

extension PaymentEngine {
    /// Whether a subscription could go on from a place: it is about this log, and nobody has taken its
    /// name or number.
    public func canResume(_ place: SubscriptionPlace, epoch: String) -> Bool {
        let isHere =
            epoch == journal.epoch
            && max(place.scanned, place.previous, place.began) <= journal.head
        let isFree = subscriptions.allSatisfy { $0.number != place.number }
        return isHere && isFree && !(place.request.name.map(isNameInUse) ?? false)
    }

    /// Goes on with a subscription of an earlier process. What was recorded since it was sent anything
    /// comes as records with an unbroken chain of positions; nothing is redelivered to a live one.
    ///
    /// - Parameters:
    ///   - place: Where it stood; see ``canResume(_:epoch:)``.
    ///   - sink: Its connection.
    /// - Returns: The subscription.
    public func resume(
        _ place: SubscriptionPlace, sink: any SubscriptionSink
    ) -> Subscription {
        loop.preconditionOnLoop()
        // There is no reply that it would have to wait for.
        let subscription = Subscription(place, turn: pipeline.committed, sink: sink)
        subscription.lastTold = loop.now
        nextSubscription = max(nextSubscription, place.number + 1)
        subscriptions.append(subscription)
        subscriptions.sort { $0.number < $1.number }
        observersDidChange()
        askAgain(subscription)
        armHeartbeat(subscription)
        scheduleTurnEnd()
        catchUpLater(subscription)
        return subscription
    }

    /// Its earlier questions are still open, and their time to answer begins again.
    private func askAgain(_ subscription: Subscription) {
        guard subscription.isLive else { return }
        queue.forEachVisibleQuestion(after: 0) { question, opened in
            guard opened <= subscription.scanned else { return false }
            if subscription.admits(question) { noteAsked(question, subscription) }
            return true
        }
    }
}

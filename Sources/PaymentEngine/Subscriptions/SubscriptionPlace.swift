public import PaymentCore

/// The place of a subscription in the log: enough to continue in another process, with nothing lost and
/// nothing sent twice.
public struct SubscriptionPlace: Sendable {
    /// The phases on the way to live records.
    public enum Stage: UInt8, Sendable, Hashable, CaseIterable {
        /// It reads the log.
        case replaying = 0
        /// It receives a redelivery. Positions in the queue do not outlive a process, so the
        /// redelivery begins again, and may repeat transactions.
        case redelivering = 1
        /// It has caught up.
        case live = 2
    }

    /// The number of the subscription on the wire.
    public var number: UInt64
    /// The subscriber's request.
    public var request: SubscriptionRequest
    /// The last record when it was made.
    public var began: SequenceNumber
    /// The position up to which the log was scanned.
    public var scanned: SequenceNumber
    /// The last record sent, or where the subscription began.
    public var previous: SequenceNumber
    /// Later records are sent as records. Unfinished transactions without a later record are
    /// redelivered.
    public var baseline: SequenceNumber
    /// The record of the last open question that was shown again.
    public var questionsShown: SequenceNumber
    /// Whether nothing is redelivered.
    public var skipsRedelivery: Bool
    /// Its stage.
    public var stage: Stage

    /// Creates a place.
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
    /// Its place now. A delivery counts as sent.
    public var place: SubscriptionPlace {
        SubscriptionPlace(
            number: number, request: request, began: began, scanned: scanned, previous: previous,
            baseline: baseline, questionsShown: questionsShown, skipsRedelivery: skipsRedelivery,
            stage: stage)
    }

    /// Its stage.
    public var stage: SubscriptionPlace.Stage {
        switch phase {
        case .replaying: .replaying
        case .redelivering: .redelivering
        case .live: .live
        }
    }

    /// Continues at the place of another one of the same number.
    convenience init(_ place: SubscriptionPlace, turn: UInt64, target: any DeliveryTarget) {
        self.init(
            number: place.number, request: place.request, head: place.began, turn: turn,
            target: target)
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

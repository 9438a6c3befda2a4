public import PaymentCore
public import PaymentEngine

/// Follows what one subscription is sent and says what breaks the promises made to it: an
/// unbroken chain, nothing twice, every transaction forwards only, nothing
/// after its removal, one redelivery and one `caughtUp` per beginning and per change of session.
public struct StreamChecker {
    /// What was found, a sentence each.
    public private(set) var findings: [String] = []
    /// The last position told.
    public private(set) var last: SequenceNumber
    /// Whether the subscription has caught up since it began or the session changed.
    public private(set) var isCaughtUp = false
    /// Whether it was ended from the other side.
    public private(set) var isEnded = false
    /// How often it has caught up.
    public private(set) var catchUps = 0
    /// What the subscriber knows of each transaction that it was told of and that was not removed.
    public private(set) var known: [TransactionID: Transaction] = [:]

    private let request: SubscriptionRequest
    private let began: SequenceNumber
    private var scanned: SequenceNumber
    private var removed: Set<TransactionID> = []
    private var redelivered: Set<TransactionID> = []
    private var sent: Set<TransactionID> = []
    private var shownQuestions: Set<QuestionID> = []
    private var sentQuestions: Set<QuestionID> = []
    private var isFirstRound = true

    /// Begins to follow.
    ///
    /// - Parameters:
    ///   - request: What the subscriber asked for.
    ///   - head: The last record when it subscribed.
    public init(request: SubscriptionRequest, head: SequenceNumber) {
        self.request = request
        began = head
        last = request.after ?? head
        scanned = last
    }

    /// Takes the next delivery.
    public mutating func take(_ delivery: Delivery) {
        if isEnded { findings.append("something came after the end") }
        switch delivery {
        case .record(let record, let previous): take(record, previous)
        case .redelivery(let batch, let position): take(batch, position)
        case .question(let open, let position): take(open.question, position)
        case .caughtUp(let position):
            if position != last { findings.append("caughtUp says \(position) after \(last)") }
            if isCaughtUp, seesSessions { findings.append("caughtUp came twice") }
            isCaughtUp = true
            catchUps += 1
        case .heartbeat(let position):
            if position < scanned {
                findings.append("the heartbeat went back from \(scanned) to \(position)")
            }
            scanned = max(scanned, position)
        case .gap(let gap, _):
            if gap.lowerBound <= last { findings.append("a gap \(gap) after \(last)") }
            if request.onGap != .snapshot { findings.append("a gap was told to who wanted an end") }
            last = gap.upperBound
            beginRound()
        case .ended(let position, _):
            if position != last { findings.append("the end says \(position) after \(last)") }
            isEnded = true
        }
    }

    private mutating func take(_ record: Record, _ previous: SequenceNumber) {
        if previous != last {
            findings.append("record \(record.sequence) links to \(previous), not to \(last)")
        }
        if record.sequence <= last {
            findings.append("record \(record.sequence) came after \(last)")
        }
        last = record.sequence
        guard let kind = EventKind(of: record.event) else {
            return findings.append("record \(record.sequence) is nobody's business")
        }
        let isForAgents =
            !request.agents.isEmpty && (kind == .questionOpened || kind == .questionClosed)
        if !isForAgents, !(request.kinds?.contains(kind) ?? true) {
            findings.append("a kind that was not asked for: \(kind)")
        }
        if kind == .storefrontChanged, record.sequence > began { beginRound() }
        if case .questionOpened(let question) = record.event { sentQuestions.insert(question.id) }
        guard case .transaction(let change, let transaction) = record.event else { return }
        checkProduct(transaction)
        let id = transaction.id
        if removed.contains(id) { findings.append("\(id) was named after its removal") }
        if let known = known[id], transaction.revision <= known.revision {
            findings.append("\(id) went back to an old revision")
        }
        sent.insert(id)
        known[id] = transaction
        if case .removed = change {
            removed.insert(id)
            known[id] = nil
        }
    }

    private mutating func take(_ batch: [Transaction], _ position: SequenceNumber) {
        if position != last { findings.append("a redelivery says \(position) after \(last)") }
        if batch.isEmpty || batch.count > 50 {
            findings.append("a redelivery of \(batch.count)")
        }
        if !seesSessions { beginRound() }
        if isCaughtUp { findings.append("a redelivery came after caughtUp") }
        if isFirstRound && request.isPassive && request.after != nil {
            findings.append("who only looks on from a cursor was redelivered to")
        }
        if !(request.kinds?.contains(.transactionsUpdated) ?? true) {
            findings.append("an unwanted redelivery")
        }
        for transaction in batch {
            let id = transaction.id
            checkProduct(transaction)
            if removed.contains(id) { findings.append("\(id) was redelivered after its removal") }
            if !redelivered.insert(id).inserted { findings.append("\(id) was redelivered twice") }
            if sent.contains(id) {
                findings.append("\(id) was redelivered although its record was sent")
            }
            if transaction.state == .completing {
                findings.append("\(id) was redelivered while completing")
            }
            if let known = known[id], transaction.revision < known.revision {
                findings.append("\(id) was redelivered as it was")
            }
            known[id] = transaction
        }
    }

    private mutating func take(_ question: Question, _ position: SequenceNumber) {
        if position != last { findings.append("a question says \(position) after \(last)") }
        if !seesSessions { beginRound() }
        let isForAgents =
            question.kind == .login && request.agents.contains(.login)
            || question.kind == .payment && request.agents.contains(.payment)
        if isCaughtUp, !isForAgents { findings.append("a question came after caughtUp") }
        if sentQuestions.contains(question.id) {
            findings.append("\(question.id) was shown again although its record was sent")
        }
        if !shownQuestions.insert(question.id).inserted {
            findings.append("\(question.id) was shown again twice")
        }
    }

    /// Whether changes of session are told to the subscriber. Who is not told of them cannot tell a
    /// redelivery that is due to one from a redelivery that is one too many.
    private var seesSessions: Bool { request.kinds?.contains(.storefrontChanged) ?? true }

    private mutating func beginRound() {
        isCaughtUp = false
        isFirstRound = false
        redelivered = []
        sent = []
        shownQuestions = []
        sentQuestions = []
    }

    private mutating func checkProduct(_ transaction: Transaction) {
        let product = transaction.payment.product.product.productIdentifier
        if !(request.products?.contains(product) ?? true) {
            findings.append("a product that was not asked for")
        }
    }
}

/// A subscriber that keeps what it is sent and has room when the test says so.
public final class RecordingTarget: DeliveryTarget {
    /// What was delivered, oldest first.
    public private(set) var deliveries: [Delivery] = []
    /// How often it was flushed.
    public private(set) var flushes = 0
    /// Whether there is room; counts down with each delivery if ``roomFor`` is set.
    public var hasRoom: Bool { roomFor != 0 }
    /// How many more deliveries fit; nil for any number.
    public var roomFor: Int?
    /// The user of the subscriber.
    public var user: UInt32 = 1000
    /// Hears of each delivery.
    public var onDelivery: (Delivery) -> Void = { _ in }

    /// Creates a subscriber with room.
    public init() {}

    /// Keeps a delivery.
    public func deliver(_ delivery: Delivery, to subscription: Subscription) {
        deliveries.append(delivery)
        if let room = roomFor, room > 0 { roomFor = room - 1 }
        onDelivery(delivery)
    }

    /// Counts the flush.
    public func flushDeliveries() {
        flushes += 1
    }

    /// Forgets what was delivered.
    public func clear() {
        deliveries = []
    }

    /// The deliveries in a few words each, for tests to compare.
    public var words: [String] { deliveries.map(\.words) }
}

extension Delivery {
    /// The delivery in a few words: `record 5 after 3`, `redelivery of 2 at 5`.
    public var words: String {
        switch self {
        case .record(let record, let previous): "record \(record.sequence) after \(previous)"
        case .redelivery(let batch, let position): "redelivery of \(batch.count) at \(position)"
        case .question(let open, let position): "question \(open.question.kind) at \(position)"
        case .caughtUp(let position): "caughtUp \(position)"
        case .heartbeat(let position): "heartbeat \(position)"
        case .gap(let gap, let cause): cause == .trimmed ? "gap \(gap)" : "gap \(gap), \(cause)"
        case .ended(let last, let reason): "ended \(last), \(reason)"
        }
    }
}

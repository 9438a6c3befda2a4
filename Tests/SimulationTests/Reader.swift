import PaymentCore
import PaymentEngine
import PaymentTesting

/// A client with a subscription: reads at its own pace, checks what it gets, remembers how far it
/// came.
final class Reader: DeliveryTarget {
    let request: SubscriptionRequest
    private(set) var checker: StreamChecker
    var subscription: Subscription?
    /// The user, one of two.
    let user: UInt32
    /// How many more deliveries fit; nil for any number.
    var room: Int?
    /// Whether the reply to subscribe has left.
    var isAcknowledged = false
    /// How often the session had changed when something was delivered last.
    var sessionMark = 0
    /// Asked about each delivery; a planted defect when it says no.
    var arrives: (Delivery) -> Bool = { _ in true }
    /// A planted defect: a record that is none of its business.
    var strays: () -> Record? = { nil }
    var onDelivery: (Delivery, Reader) -> Void = { _, _ in }

    init(_ request: SubscriptionRequest, head: SequenceNumber, user: UInt32) {
        self.request = request
        self.user = user
        checker = StreamChecker(request: request, head: head)
    }

    var hasRoom: Bool { room != 0 }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        if let left = room, left > 0 { room = left - 1 }
        guard arrives(delivery) else { return }
        checker.take(delivery)
        onDelivery(delivery, self)
        if let stray = strays() { onDelivery(.record(stray, previous: checker.last), self) }
    }

    func flushDeliveries() {}

    /// Whether orders may leave because of it: somebody is there to be told, and has been told what
    /// was there already.
    func watches(_ product: ProductIdentifier) -> Bool {
        !checker.isEnded && !request.isPassive && checker.catchUps > 0
            && request.kinds?.contains(.transactionsUpdated) ?? true
            && request.products?.contains(product) ?? true
    }

    /// Whether it is an observer: somebody who is told of purchases and is not only looking on.
    var observes: Bool {
        !checker.isEnded && !request.isPassive
            && request.kinds?.contains(.transactionsUpdated) ?? true
    }

    /// Whether a transaction would be shown to it if it were there, as `waitingFor` says.
    func isShown(_ product: ProductIdentifier) -> Bool {
        !checker.isEnded && !request.isPassive
            && request.kinds?.contains(.transactionsUpdated) ?? true
            && request.products?.contains(product) ?? true
    }

    /// Whether it is asked a question when its turn comes.
    func isAgent(for question: Question) -> Bool {
        switch question.kind {
        case .login: request.agents.contains(.login)
        case .payment: request.agents.contains(.payment)
        case .shouldContinue, .afterLogin: false
        }
    }

    /// Whether it is promised to know everything unfinished of its products once it has caught up.
    var isPromisedAll: Bool {
        request.kinds?.contains(.transactionsUpdated) ?? true
            && !(request.isPassive && request.after != nil)
    }
}

/// A reply that waits for the end of its turn.
final class HeldReply: Barrier {
    private let onRelease: () -> Void

    init(_ onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    func turnIsCommitted() {
        onRelease()
    }
}

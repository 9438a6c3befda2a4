import PaymentCore

/// One run of a restore, with all its attempts. A new run begins after a restart, and with the next
/// observer after a time without observers.
struct RestoreRun {
    /// The work that follows a page.
    enum Next: Equatable {
        /// The next page must be requested.
        case ask(page: OpaqueText)
        /// The list is complete; its purchases are returned next.
        case giveBack
        /// The list is too long.
        case endless
    }

    /// The maximum number of purchases from all pages of one list.
    static let purchasesPerAnswer = 10_000

    let number: UInt64
    let restore: Restore
    /// Failed attempts.
    private var failures = 0
    private var lastFailure: StoreFailure.Kind?
    private var pages = 0
    /// The purchases that the store lists, oldest first. Once the list is complete, only those that
    /// were not returned yet.
    private(set) var purchases: ArraySlice<StorePurchase> = []
    private var count = 0
    /// Whether a purchase found no room on the disk.
    private(set) var isShort = false

    init(number: UInt64, restore: Restore) {
        self.number = number
        self.restore = restore
    }

    /// Clears the list, before it is requested again.
    mutating func beginList() {
        (purchases, pages, count, isShort) = ([], 0, 0, false)
    }

    /// Takes a page of the list.
    mutating func received(_ page: PurchasePage) -> Next {
        let token = restore.appAccountToken
        purchases += page.purchases.filter { token == nil || $0.appAccountToken == token }
        pages += 1
        guard purchases.count <= Self.purchasesPerAnswer, pages < Reconciliation.pagesPerAnswer
        else { return .endless }
        if let next = page.next { return .ask(page: next) }
        purchases = Array(purchases).newestOfChains[...]
        return .giveBack
    }

    /// Removes and returns the next purchase of the list.
    mutating func next() -> StorePurchase? {
        purchases.popFirst()
    }

    /// Counts a purchase that was returned.
    mutating func gaveBack() {
        count += 1
    }

    /// Notes that a purchase found no room.
    mutating func foundNoRoom() {
        isShort = true
    }

    /// The outcome after the last purchase.
    var outcome: RestoreOutcome {
        isShort ? .failed(.internalError) : .completed(count: count)
    }

    /// Notes an attempt that failed and will be repeated.
    ///
    /// - Returns: The delay before the next attempt.
    mutating func fail(_ failure: StoreFailure) -> Duration {
        lastFailure = failure.kind
        defer { failures += 1 }
        return Backoff.delay(after: failures)
    }

    /// The outcome of a restore that a failure ends; nil for a temporary failure.
    static func outcome(of failure: StoreFailure) -> RestoreOutcome? {
        switch failure.kind {
        case .connectionError, .serviceUnavailable: nil
        case .appNotRegistered: .failed(.appNotRegistered)
        case .unknownAccount, .badCredential, .sessionRevoked, .storageFailed, .internalError:
            .failed(.internalError)
        }
    }

    /// The outcome at the time limit: `serviceUnavailable` if that was the last failure, otherwise
    /// `connectionError`.
    var outcomeOfTimeout: RestoreOutcome {
        .failed(lastFailure == .serviceUnavailable ? .serviceUnavailable : .connectionError)
    }
}

extension [StorePurchase] {
    /// The last purchase of each chain, in the order of the list.
    var newestOfChains: [StorePurchase] {
        var newest: [OrderID: OrderID] = [:]
        for purchase in self { newest[purchase.original] = purchase.order }
        return filter { newest[$0.original] == $0.order }
    }
}

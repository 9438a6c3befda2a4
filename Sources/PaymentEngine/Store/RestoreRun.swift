import PaymentCore

/// One attempt to bring a restore to its end. It begins anew after a restart, and with the next
/// observer after there was none.
struct RestoreRun {
    /// The work that follows a page.
    enum Next: Equatable {
        /// The next page is to be asked for.
        case ask(page: OpaqueText)
        /// The list is complete; its purchases are to be given back.
        case giveBack
        /// The list is too long.
        case endless
    }

    /// Most purchases that are gathered from the pages of one answer.
    static let purchasesPerAnswer = 10_000

    let number: UInt64
    let restore: Restore
    /// Failed attempts.
    private var failures = 0
    private var lastFailure: StoreFailure.Kind?
    private var pages = 0
    /// The purchases that the store lists, oldest first; those that are still to be given back once the
    /// list is complete.
    private(set) var purchases: ArraySlice<StorePurchase> = []
    private var count = 0
    /// Whether a purchase found no room on the disk.
    private(set) var isShort = false

    init(number: UInt64, restore: Restore) {
        self.number = number
        self.restore = restore
    }

    /// Begins to gather the list anew.
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

    /// Takes the next purchase to give back.
    mutating func next() -> StorePurchase? {
        purchases.popFirst()
    }

    /// Counts a purchase that was given back.
    mutating func gaveBack() {
        count += 1
    }

    /// Notes that a purchase found no room.
    mutating func foundNoRoom() {
        isShort = true
    }

    /// The outcome once everything was given back.
    var outcome: RestoreOutcome {
        isShort ? .failed(.internalError) : .completed(count: count)
    }

    /// Notes an attempt that failed for the moment.
    ///
    /// - Returns: When to make the next.
    mutating func fail(_ failure: StoreFailure) -> Duration {
        lastFailure = failure.kind
        defer { failures += 1 }
        return Backoff.delay(after: failures)
    }

    /// The outcome of a restore that a failure ends; nil for one that may pass.
    static func outcome(of failure: StoreFailure) -> RestoreOutcome? {
        switch failure.kind {
        case .connectionError, .serviceUnavailable: nil
        case .appNotRegistered: .failed(.appNotRegistered)
        case .unknownAccount, .badCredential, .sessionRevoked, .storageFailed, .internalError:
            .failed(.internalError)
        }
    }

    /// The outcome when the time is up. A store that said nothing at all cannot be reached.
    var outcomeOfTimeout: RestoreOutcome {
        .failed(lastFailure == .serviceUnavailable ? .serviceUnavailable : .connectionError)
    }
}

extension [StorePurchase] {
    /// The last of each chain, in the order of the list.
    var newestOfChains: [StorePurchase] {
        var newest: [OrderID: OrderID] = [:]
        for purchase in self { newest[purchase.original] = purchase.order }
        return filter { newest[$0.original] == $0.order }
    }
}

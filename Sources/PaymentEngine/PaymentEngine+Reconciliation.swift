import Logging
import PaymentCore

/// Reconciliation: at start, login and the first observer, on the store's feed
/// and every now and then. It needs an account in session and nobody who watches.
///
/// Only one runs at a time. It asks for page after page and takes each in by turns of bounded size,
/// so that an account with thousands of purchases holds nobody up.
extension PaymentEngine {
    /// Most records that one turn takes in of an answer of the store.
    static let recordsPerTurn = 200
    /// Most purchases that one turn looks at, those that come to nothing included.
    static let purchasesPerTurn = 1000

    /// Asks the store for purchases that the queue does not know. Several wishes at a time are one.
    ///
    /// - Parameter whenDone: Called once when a run that began after this call has come to a good
    ///   end, within the turn of its last record, or when the session is over. What fails is tried
    ///   again for as long as the account is in session.
    public func reconcile(whenDone: (@Sendable () -> Void)? = nil) {
        loop.preconditionOnLoop()
        if let whenDone { reconciliation.add(caller: whenDone) }
        wantReconciliation()
    }

    /// Asks for a reconciliation and is told how the next one ends, well or badly.
    func reconcile(attempt: @escaping @Sendable (StoreFailure?) -> Void) {
        reconciliation.add(listener: attempt)
        wantReconciliation()
    }

    private func wantReconciliation() {
        guard !hasStopped, !hasFailed else { return }
        let account = queue.session?.account
        for caller in reconciliation.abandon(unless: account) { caller() }
        guard let account, let number = reconciliation.begin(for: account) else { return }
        reconciliationTimer?.cancel()
        askForUnfinished(page: nil, run: number)
    }

    private func isRunning(_ number: UInt64) -> Bool {
        !hasStopped && !hasFailed
            && reconciliation.isRunning(number, for: queue.session?.account)
    }

    private func askForUnfinished(page: OpaqueText?, run number: UInt64) {
        guard isRunning(number), let account = reconciliation.run?.account else { return }
        let answer = inSession(of: account) { [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRunning(number) else { return }
            switch result {
            case .failure(let failure): reconciliationFailed(failure)
            case .success(let page):
                noteStoreAnswer(nil)
                reconciliation.received(page.revoked.filter { !queue.isRevoked($0.order) })
                remove(page.deleted)
                importPurchases(page.purchases[...], next: page.next, run: number)
            }
        }
        gateway.purchases(.unfinished, of: account, page: page, answer: answer)
    }

    /// Imports as much of a page as one turn has room for, then the rest, then the next page.
    private func importPurchases(
        _ purchases: ArraySlice<StorePurchase>, next: OpaqueText?, run number: UInt64
    ) {
        guard isRunning(number), let run = reconciliation.run else { return }
        let before = pipeline.running.records.count
        var rest = purchases
        while pipeline.running.records.count - before < Self.recordsPerTurn,
            purchases.count - rest.count < Self.purchasesPerTurn, let purchase = rest.popFirst()
        {
            let context = context(nil)
            let isDone = queue.decide(
                purchase, of: run.account, context, mayAdd: !journal.isShortOfSpace,
                events: &events)
            if !isDone { reconciliation.foundNoRoom() }
            recordEvents(origin: nil, time: context.now)
        }
        guard rest.isEmpty else {
            return loop.execute { [self, rest] in importPurchases(rest, next: next, run: number) }
        }
        announceRevoked(atLeast: Self.recordsPerTurn)
        guard let next else { return reconciliationEnded() }
        guard !reconciliation.isEndless else {
            return reconciliationFailed(
                StoreFailure(.internalError, "the store's list of purchases has no end"))
        }
        askForUnfinished(page: next, run: number)
    }

    private func remove(_ deleted: [DeletedOrder]) {
        guard let account = reconciliation.run?.account, !deleted.isEmpty else { return }
        let context = context(nil)
        queue.decideDeleted(deleted, of: account, context, events: &events)
        recordEvents(origin: nil, time: context.now)
    }

    private func announceRevoked(atLeast count: Int = 1) {
        guard let account = reconciliation.run?.account else { return }
        let revoked = reconciliation.takeRevoked(atLeast: count)
        guard !revoked.isEmpty else { return }
        let context = context(nil)
        queue.decideRevoked(revoked, of: account, context, events: &events)
        recordEvents(origin: nil, time: context.now)
    }

    private func reconciliationEnded() {
        announceRevoked()
        guard let (run, isWantedAgain) = reconciliation.end() else { return }
        if run.isShort {
            logger.warning("purchases wait at the store: no disk space to record them")
        }
        reconcileLater(after: timeouts.reconciliation)
        for listener in run.listeners { listener(nil) }
        for caller in run.callers { caller() }
        scheduleTurnEnd()
        if isWantedAgain { wantReconciliation() }
    }

    private func reconciliationFailed(_ failure: StoreFailure) {
        noteStoreAnswer(failure)
        announceRevoked()
        guard !stopIfFatal(failure), let (delay, listeners) = reconciliation.fail() else { return }
        reconcileLater(after: delay)
        for listener in listeners { listener(failure) }
    }

    private func reconcileLater(after delay: Duration) {
        reconciliationTimer?.cancel()
        reconciliationTimer = loop.schedule(after: delay) { [self] in
            guard queue.session != nil else { return }
            askAboutApprovals()
            wantReconciliation()
        }
    }
}

import Logging
import PaymentCore

/// The reconciliation between queue and store about purchases that the queue may not know.
struct Reconciliation {
    /// One walk through the pages of what is paid and not completed.
    struct Run {
        let number: UInt64
        let account: AccountName
        var pages = 0
        /// Orders that were taken back and are not announced yet.
        var revoked: [RevokedOrder] = []
        /// Whether something found no room.
        var isShort = false
        var listeners: [@Sendable (StoreFailure?) -> Void]
        var callers: [@Sendable () -> Void]
    }

    var run: Run?
    var runs: UInt64 = 0
    /// Whether somebody asked for one while one was running that may have begun too early.
    var isWantedAgain = false
    /// To be told how the next run ends.
    var listeners: [@Sendable (StoreFailure?) -> Void] = []
    /// To be told when one has come to a good end.
    var callers: [@Sendable () -> Void] = []
    var failures = 0
    /// The next run, after a failure sooner than otherwise.
    var timer: (any EngineTimer)?
    /// Whether somebody watched when the last turn ended.
    var wasObserved = false
}

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
    /// Most pages of one answer; a store that has more names pages in a circle.
    static let pagesPerAnswer = 10_000

    /// Asks the store for purchases that the queue does not know. Several wishes at a time are one.
    ///
    /// - Parameter whenDone: Called once when a run that began after this call has come to a good
    ///   end, within the turn of its last record, or when the session is over. What fails is tried
    ///   again for as long as the account is in session.
    public func reconcile(whenDone: (@Sendable () -> Void)? = nil) {
        loop.preconditionOnLoop()
        if let whenDone { reconciliation.callers.append(whenDone) }
        wantReconciliation()
    }

    /// Asks for a reconciliation and is told how the next one ends, well or badly.
    func reconcile(attempt: @escaping @Sendable (StoreFailure?) -> Void) {
        reconciliation.listeners.append(attempt)
        wantReconciliation()
    }

    /// Another account is in session, or nobody: what was asked about the one before is void.
    func abandonReconciliation() {
        guard let run = reconciliation.run, run.account != queue.session?.account else { return }
        reconciliation.run = nil
        reconciliation.failures = 0
        for caller in run.callers { caller() }
    }

    private func wantReconciliation() {
        guard !hasStopped, !hasFailed else { return }
        abandonReconciliation()
        guard let account = queue.session?.account else {
            let callers = reconciliation.callers
            reconciliation.callers = []
            reconciliation.listeners = []
            for caller in callers { caller() }
            return
        }
        guard reconciliation.run == nil else {
            reconciliation.isWantedAgain = true
            return
        }
        reconciliation.timer?.cancel()
        reconciliation.isWantedAgain = false
        reconciliation.runs += 1
        let run = Reconciliation.Run(
            number: reconciliation.runs, account: account, listeners: reconciliation.listeners,
            callers: reconciliation.callers)
        reconciliation.run = run
        reconciliation.listeners = []
        reconciliation.callers = []
        askForUnfinished(page: nil, run: run.number)
    }

    private func isRunning(_ number: UInt64) -> Bool {
        !hasStopped && !hasFailed && reconciliation.run?.number == number
            && reconciliation.run?.account == queue.session?.account
    }

    private func askForUnfinished(page: OpaqueText?, run number: UInt64) {
        guard isRunning(number), let account = reconciliation.run?.account else { return }
        let answer = inSession(of: account) { [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRunning(number) else { return }
            switch result {
            case .failure(let failure): reconciliationFailed(failure)
            case .success(let page):
                noteStoreAnswer(nil)
                reconciliation.run?.pages += 1
                reconciliation.run?.revoked += page.revoked.filter { !queue.isRevoked($0.order) }
                takeOut(page.deleted)
                takeIn(page.purchases[...], next: page.next, run: number)
            }
        }
        gateway.purchases(.unfinished, of: account, page: page, answer: answer)
    }

    /// Takes in as much of a page as one turn has room for, then the rest, then the next page.
    private func takeIn(
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
            if !isDone { reconciliation.run?.isShort = true }
            recordEvents(origin: nil, time: context.now)
        }
        guard rest.isEmpty else {
            return loop.execute { [self, rest] in takeIn(rest, next: next, run: number) }
        }
        if run.revoked.count >= Self.recordsPerTurn { announceRevoked() }
        guard let next else { return reconciliationEnded() }
        guard run.pages < Self.pagesPerAnswer else {
            return reconciliationFailed(
                StoreFailure(.internalError, "the store's list of purchases has no end"))
        }
        askForUnfinished(page: next, run: number)
    }

    private func takeOut(_ deleted: [DeletedOrder]) {
        guard let account = reconciliation.run?.account, !deleted.isEmpty else { return }
        let context = context(nil)
        queue.decideDeleted(deleted, of: account, context, events: &events)
        recordEvents(origin: nil, time: context.now)
    }

    private func announceRevoked() {
        guard let run = reconciliation.run else { return }
        reconciliation.run?.revoked = []
        let context = context(nil)
        queue.decideRevoked(run.revoked, of: run.account, context, events: &events)
        recordEvents(origin: nil, time: context.now)
    }

    private func reconciliationEnded() {
        announceRevoked()
        guard let run = reconciliation.run else { return }
        reconciliation.run = nil
        reconciliation.failures = 0
        if run.isShort {
            logger.warning("purchases wait at the store: no disk space to record them")
        }
        reconcileLater(after: timeouts.reconciliation)
        for listener in run.listeners { listener(nil) }
        for caller in run.callers { caller() }
        scheduleTurnEnd()
        if reconciliation.isWantedAgain { wantReconciliation() }
    }

    private func reconciliationFailed(_ failure: StoreFailure) {
        noteStoreAnswer(failure)
        announceRevoked()
        guard !stopIfFatal(failure), let run = reconciliation.run else { return }
        reconciliation.run = nil
        // Whoever wants to hear of a good end waits on.
        reconciliation.callers = run.callers + reconciliation.callers
        let delay = Backoff.delay(after: reconciliation.failures)
        reconciliation.failures += 1
        reconcileLater(after: delay)
        for listener in run.listeners { listener(failure) }
    }

    private func reconcileLater(after delay: Duration) {
        reconciliation.timer?.cancel()
        reconciliation.timer = loop.schedule(after: delay) { [self] in
            guard queue.session != nil else { return }
            askAboutApprovals()
            wantReconciliation()
        }
    }

    /// Stops for good when the embedded store cannot keep what it is told.
    ///
    /// - Returns: Whether it had to.
    func stopIfFatal(_ failure: StoreFailure) -> Bool {
        guard failure.kind == .storageFailed else { return false }
        fail(JournalFailure(failure.description))
        return true
    }
}

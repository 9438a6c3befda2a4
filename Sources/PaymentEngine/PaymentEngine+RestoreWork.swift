import Logging
import PaymentCore

/// The restore that is being worked at. Restores of an account run one after another, and only one
/// account is in session.
struct RestoreWork {
    /// One attempt to bring a restore to its end. It begins anew after a restart, and when somebody
    /// watches again after nobody did.
    struct Run {
        let number: UInt64
        let restore: Restore
        let deadline: any EngineTimer
        var retry: (any EngineTimer)?
        var failures = 0
        var lastFailure: StoreFailure.Kind?
        var pages = 0
        /// The purchases that the store lists, oldest first.
        var purchases: [StorePurchase] = []
        var count = 0
        /// Whether something found no room.
        var isShort = false
    }

    var run: Run?
    var runs: UInt64 = 0
}

/// How a restore is worked at: reconcile, ask for what may be restored, give it back by turns of
/// bounded size, and record the end. Every step may be repeated: what was given back is unfinished
/// then, and is shown again instead of being multiplied.
extension PaymentEngine {
    /// Most purchases that are gathered from the pages of one answer.
    static let purchasesPerAnswer = 10_000

    /// Begins what may begin. Called when a turn is durable, so that nothing is asked for a restore
    /// that a crash could undo.
    func tendRestores() {
        if !queue.activeObservers.isEmpty, !reconciliation.wasObserved {
            reconciliation.wasObserved = true
            if queue.session != nil { reconcile() }
        }
        guard !queue.hasNoRestores, restoring.run == nil, !hasStopped, !pipeline.changesSession,
            !subscriptionHub.readyObservers.isEmpty, let restore = queue.nextRestore
        else { return }
        restoring.runs += 1
        let number = restoring.runs
        let deadline = loop.schedule(after: timeouts.restore) { [self] in
            restoreTimedOut(number)
        }
        restoring.run = RestoreWork.Run(number: number, restore: restore, deadline: deadline)
        attemptRestore(number)
    }

    /// Lets go of a restore that a change of session has ended.
    func dropEndedRestore() {
        guard let run = restoring.run, queue.restore(run.restore.id)?.outcome != nil else { return }
        stopRestoreRun()
    }

    private func isRestoring(_ number: UInt64) -> Bool {
        guard !hasStopped, !hasFailed, let run = restoring.run, run.number == number else {
            return false
        }
        return run.restore.account == queue.session?.account
    }

    private func stopRestoreRun() {
        restoring.run?.deadline.cancel()
        restoring.run?.retry?.cancel()
        restoring.run = nil
    }

    private func attemptRestore(_ number: UInt64) {
        guard isRestoring(number) else { return }
        // Nobody would hear of the end: it is tried again when somebody watches.
        guard !queue.activeObservers.isEmpty else { return stopRestoreRun() }
        restoring.run?.purchases = []
        restoring.run?.pages = 0
        // The engine itself keeps the listener.
        reconcile { [unowned self] failure in
            guard isRestoring(number) else { return }
            if let failure {
                restoreAttemptFailed(failure, number)
            } else {
                askForRestorable(page: nil, number)
            }
        }
    }

    private func askForRestorable(page: OpaqueText?, _ number: UInt64) {
        guard isRestoring(number), let account = restoring.run?.restore.account else { return }
        let answer = inSession(of: account) { [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRestoring(number) else { return }
            switch result {
            case .failure(let failure):
                noteStoreAnswer(failure)
                guard !stopIfFatal(failure) else { return }
                restoreAttemptFailed(failure, number)
            case .success(let page):
                noteStoreAnswer(nil)
                gather(page, number)
            }
        }
        gateway.purchases(.restorable, of: account, page: page, answer: answer)
    }

    private func gather(_ page: PurchasePage, _ number: UInt64) {
        guard var run = restoring.run else { return }
        let token = run.restore.appAccountToken
        run.purchases += page.purchases.filter { token == nil || $0.appAccountToken == token }
        run.pages += 1
        restoring.run = run
        guard run.purchases.count <= Self.purchasesPerAnswer, run.pages < Self.pagesPerAnswer else {
            logger.error("restore failed: the store's list of purchases is too long")
            return endRestore(.failed(.internalError))
        }
        if let next = page.next { return askForRestorable(page: next, number) }
        // The store has answered; what is left takes no time of its own.
        run.deadline.cancel()
        restoring.run?.purchases = run.purchases.newestOfChains
        giveBack(from: 0, number)
    }

    /// Gives back as much as one turn has room for, then the rest, then records the end.
    private func giveBack(from start: Int, _ number: UInt64) {
        guard isRestoring(number), let run = restoring.run else { return }
        let before = pipeline.running.records.count
        var index = start
        while index < run.purchases.count,
            pipeline.running.records.count - before < Self.recordsPerTurn,
            index - start < Self.purchasesPerTurn
        {
            let context = context(nil)
            let step = queue.decide(
                run.purchases[index], restoring: run.restore.id, context,
                mayAdd: !journal.isShortOfSpace, events: &events)
            recordEvents(origin: nil, time: context.now)
            switch step {
            case .given: restoring.run?.count += 1
            case .full: restoring.run?.isShort = true
            case .ended: return stopRestoreRun()
            }
            index += 1
        }
        guard index == run.purchases.count, let run = restoring.run else {
            return loop.execute { [self, index] in giveBack(from: index, number) }
        }
        if run.isShort { logger.error("restore failed: no disk space to record its purchases") }
        endRestore(run.isShort ? .failed(.internalError) : .completed(count: run.count))
    }

    /// Records the end while somebody is subscribed who can hear of it; otherwise it is worked at
    /// again when somebody is.
    private func endRestore(_ outcome: RestoreOutcome) {
        guard let run = restoring.run else { return }
        stopRestoreRun()
        scheduleTurnEnd()
        guard !queue.activeObservers.isEmpty else { return }
        queue.decideEnd(run.restore.id, outcome, events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
    }

    private func restoreAttemptFailed(_ failure: StoreFailure, _ number: UInt64) {
        guard let run = restoring.run else { return }
        switch failure.kind {
        case .connectionError, .serviceUnavailable:
            restoring.run?.failures += 1
            restoring.run?.lastFailure = failure.kind
            restoring.run?.retry = loop.schedule(after: Backoff.delay(after: run.failures)) {
                [self] in attemptRestore(number)
            }
        case .appNotRegistered: endRestore(.failed(.appNotRegistered))
        case .unknownAccount, .badCredential, .sessionRevoked, .storageFailed, .internalError:
            endRestore(.failed(.internalError))
        }
    }

    /// The time is up. A store that said nothing at all is one that cannot be reached.
    private func restoreTimedOut(_ number: UInt64) {
        guard isRestoring(number) else { return }
        let isBusy = restoring.run?.lastFailure == .serviceUnavailable
        endRestore(.failed(isBusy ? .serviceUnavailable : .connectionError))
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

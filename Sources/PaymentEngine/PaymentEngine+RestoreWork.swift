import Logging
import PaymentCore

/// The work at a restore: reconcile, ask for what may be restored, give it back by turns of bounded
/// size, and record the end. Every step may be repeated: what was given back is unfinished then, and is
/// shown again instead of being multiplied.
extension PaymentEngine {
    /// Begins the next restore, if it can be worked at. Called when a turn is durable, so that the store
    /// is asked nothing for a restore that a crash could undo.
    func startNextRestore() {
        if subscriptionHub.wasUnobserved, !queue.activeObservers.isEmpty {
            subscriptionHub.wasUnobserved = false
            if queue.session != nil { reconcile() }
        }
        guard !queue.hasNoRestores, restoreRun == nil, !hasStopped, !pipeline.changesSession,
            !subscriptionHub.readyObservers.isEmpty, let restore = queue.nextRestore
        else { return }
        restoreRuns += 1
        let number = restoreRuns
        restoreDeadline = loop.schedule(after: timeouts.restore) { [self] in
            guard isRestoring(number), let run = restoreRun else { return }
            endRestore(run.outcomeOfTimeout)
        }
        restoreRun = RestoreRun(number: number, restore: restore)
        attemptRestore(number)
    }

    /// Stops work at a restore that a change of session has ended.
    func dropEndedRestore() {
        guard let run = restoreRun, queue.restore(run.restore.id)?.outcome != nil else { return }
        stopRestoreRun()
    }

    private func isRestoring(_ number: UInt64) -> Bool {
        guard !hasStopped, !hasFailed, let restoreRun else { return false }
        return restoreRun.number == number && restoreRun.restore.account == queue.session?.account
    }

    private func stopRestoreRun() {
        restoreDeadline?.cancel()
        restoreRetry?.cancel()
        restoreRun = nil
    }

    private func attemptRestore(_ number: UInt64) {
        guard isRestoring(number) else { return }
        // Without an observer the end would reach no client: the next observer starts another run.
        guard !queue.activeObservers.isEmpty else { return stopRestoreRun() }
        restoreRun?.beginList()
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
        guard isRestoring(number), let account = restoreRun?.restore.account else { return }
        let answer = inSession(of: account) { [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRestoring(number) else { return }
            switch result {
            case .failure(let failure):
                noteStoreAnswer(failure)
                guard !stopIfFatal(failure) else { return }
                restoreAttemptFailed(failure, number)
            case .success(let page):
                noteStoreAnswer(nil)
                switch restoreRun?.received(page) {
                case .ask(let next): askForRestorable(page: next, number)
                case .giveBack:
                    // The store has answered; giving back does not depend on it.
                    restoreDeadline?.cancel()
                    giveBack(number)
                case .endless:
                    logger.error("restore failed: the store's list of purchases is too long")
                    endRestore(.failed(.internalError))
                case nil: break
                }
            }
        }
        gateway.purchases(.restorable, of: account, page: page, answer: answer)
    }

    /// Gives back as much as one turn has room for, then the rest, then records the end.
    private func giveBack(_ number: UInt64) {
        guard isRestoring(number), let id = restoreRun?.restore.id else { return }
        let before = pipeline.running.records.count
        for _ in 0..<Self.purchasesPerTurn {
            guard pipeline.running.records.count - before < Self.recordsPerTurn,
                let purchase = restoreRun?.next()
            else { break }
            let context = context(nil)
            let step = queue.decide(
                purchase, restoring: id, context, mayAdd: !journal.isShortOfSpace, events: &events)
            recordEvents(origin: nil, time: context.now)
            switch step {
            case .given: restoreRun?.gaveBack()
            case .full: restoreRun?.foundNoRoom()
            case .ended: return stopRestoreRun()
            }
        }
        guard let run = restoreRun else { return }
        guard run.purchases.isEmpty else { return loop.execute { [self] in giveBack(number) } }
        if run.isShort { logger.error("restore failed: no disk space to record its purchases") }
        endRestore(run.outcome)
    }

    /// Records the end while an observer is subscribed; otherwise the next observer starts another run.
    private func endRestore(_ outcome: RestoreOutcome) {
        guard let run = restoreRun else { return }
        stopRestoreRun()
        scheduleTurnEnd()
        guard !queue.activeObservers.isEmpty else { return }
        queue.decideEnd(run.restore.id, outcome, events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
    }

    private func restoreAttemptFailed(_ failure: StoreFailure, _ number: UInt64) {
        if let outcome = RestoreRun.outcome(of: failure) { return endRestore(outcome) }
        guard let delay = restoreRun?.fail(failure) else { return }
        restoreRetry = loop.schedule(after: delay) { [self] in attemptRestore(number) }
    }
}

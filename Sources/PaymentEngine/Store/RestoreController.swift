import Logging
import PaymentCore

/// Processes restores one after another, users in turn. It reconciles, requests the restorable
/// purchases, returns them in turns of bounded size, and records the end. Every step may be repeated: a
/// purchase that was already returned has an unfinished transaction, which is delivered again instead
/// of a second one.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
final class RestoreController: @unchecked Sendable {
    private let access: StoreAccess
    private let writer: QueueWriter
    private let reconciliation: ReconciliationController
    /// The time that a restore may take.
    private let patience: Duration
    private var run: RestoreRun?
    private var runs: UInt64 = 0
    /// The turn of the user whose restore began last.
    private var lastTurn: UInt64 = 0

    init(
        _ access: StoreAccess, _ reconciliation: ReconciliationController, patience: Duration
    ) {
        self.access = access
        self.reconciliation = reconciliation
        self.patience = patience
        writer = access.writer
    }

    /// Begins the next restore unless one is in progress. Called after a commit while an observer is
    /// ready, so that no request is sent for a restore that a crash could undo.
    func startNext() {
        guard !writer.queue.hasNoRestores, run == nil, writer.isRunning,
            !writer.pipeline.changesSession,
            let (restore, turn) = writer.queue.nextRestore(after: lastTurn)
        else { return }
        lastTurn = turn
        runs += 1
        run = RestoreRun(number: runs, restore: restore)
        access.deadlines.set(.restoreEnd, after: patience)
        attempt()
    }

    /// Ends the restore, because its time is up.
    func endIsDue() {
        if let run, isRunning(run.number) { end(run.outcomeOfTimeout) }
    }

    /// Stops the run of a restore that a change of session has ended.
    func dropEnded() {
        guard let run, writer.queue.restore(run.restore.id)?.outcome != nil else { return }
        stop()
    }

    private func isRunning(_ number: UInt64) -> Bool {
        guard writer.isRunning, let run else { return false }
        return run.number == number && run.restore.account == writer.queue.session?.account
    }

    private func stop() {
        access.deadlines.cancel(.restoreEnd)
        access.deadlines.cancel(.restoreAttempt)
        run = nil
    }

    /// Attempts the restore, for the first time or after a failure.
    func attempt() {
        guard let number = run?.number, isRunning(number) else { return }
        // Without an observer the end would reach no client: the next observer starts another run.
        guard !writer.queue.activeObservers.isEmpty else { return stop() }
        run?.beginList()
        reconciliation.want(listener: { [weak self] failure in
            guard let self, isRunning(number) else { return }
            if let failure { attemptFailed(failure) } else { ask(page: nil, number) }
        })
    }

    private func ask(page: OpaqueText?, _ number: UInt64) {
        guard isRunning(number), let account = run?.restore.account else { return }
        let answer = access.inSession(of: account) {
            [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRunning(number) else { return }
            switch result {
            case .failure(let failure):
                access.note(failure)
                if !access.stopIfFatal(failure) { attemptFailed(failure) }
            case .success(let page):
                access.note(nil)
                received(page, number)
            }
        }
        access.send(.purchases(.restorable, account, page: page, answer))
    }

    private func received(_ page: PurchasePage, _ number: UInt64) {
        switch run?.received(page) {
        case .ask(let next): ask(page: next, number)
        case .giveBack:
            // The list is complete, and the rest does not depend on the store.
            access.deadlines.cancel(.restoreEnd)
            giveBack(number)
        case .endless:
            writer.logger.error("restore failed: the store's list of purchases is too long")
            end(.failed(.internalError))
        case nil: break
        }
    }

    /// Returns as many purchases as one turn permits, then the rest in later turns, then records the
    /// end.
    private func giveBack(_ number: UInt64) {
        guard isRunning(number), let id = run?.restore.id else { return }
        let before = writer.recordsOfTurn
        let began = writer.loop.now
        for _ in 0..<ReconciliationController.purchasesPerTurn {
            guard writer.recordsOfTurn - before < ReconciliationController.recordsPerTurn,
                writer.loop.now - began < ReconciliationController.timePerTurn,
                let purchase = run?.next()
            else { break }
            let closed: ClosedFacts
            do throws(StoreFailure) {
                closed = try writer.closedForStore(purchase.closedKeys)
            } catch {
                return attemptFailed(error)
            }
            let mayAdd = writer.mayAdd
            let step = writer.write(closed: closed) { queue, context, events in
                queue.decide(purchase, restoring: id, context, mayAdd: mayAdd, events: &events)
            }
            switch step {
            case .given: run?.gaveBack()
            case .full: run?.foundNoRoom()
            case .ended: return stop()
            }
        }
        guard let run else { return }
        guard run.purchases.isEmpty else {
            return writer.loop.executeAfterInput { [self] in giveBack(number) }
        }
        if run.isShort {
            writer.logger.error("restore failed: no disk space to record its purchases")
        }
        end(run.outcome)
    }

    /// Records the end while an observer is subscribed; otherwise the next observer starts another run.
    private func end(_ outcome: RestoreOutcome) {
        guard let run else { return }
        stop()
        writer.scheduleTurnEnd()
        guard !writer.queue.activeObservers.isEmpty else { return }
        writer.write { queue, _, events in
            queue.decideEnd(run.restore.id, outcome, events: &events)
        }
    }

    private func attemptFailed(_ failure: StoreFailure) {
        if let outcome = RestoreRun.outcome(of: failure) { return end(outcome) }
        guard let delay = run?.fail(failure) else { return }
        access.deadlines.set(.restoreAttempt, after: delay)
    }
}

import Logging
import PaymentCore

/// Asks the store for purchases that the queue does not know: at a start, a login and the first
/// observer, after changes that the store reports, and at regular intervals. It needs an account in
/// session, but no observer.
///
/// The pages of an answer are imported by turns of bounded size, so that an account with thousands of
/// purchases delays no client.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class ReconciliationController: @unchecked Sendable {
    /// The maximum number of records that one turn imports from an answer of the store.
    static let recordsPerTurn = 200
    /// The maximum number of purchases that one turn examines, including those without effect.
    static let purchasesPerTurn = 1000
    /// The maximum time that one turn examines purchases, because a lookup of closed things may read the
    /// disk.
    static let timePerTurn = Duration.milliseconds(2)

    private let access: StoreAccess
    private let writer: QueueWriter
    private let orders: StoreOrders
    private let interval: Duration
    private var walk = Reconciliation()

    init(_ access: StoreAccess, _ orders: StoreOrders, every interval: Duration) {
        self.access = access
        self.orders = orders
        self.interval = interval
        writer = access.writer
    }

    /// Whether the last run failed.
    var hasFailed: Bool { walk.failures > 0 }

    /// Asks the store for purchases that the queue does not know: begins a run, or schedules one after
    /// the current run. A failed run is repeated while the account is in session.
    ///
    /// - Parameter caller: Called once: when a run that began after this call has succeeded, within the
    ///   turn of its last record, or when the session has ended.
    public func want(caller: (@Sendable () -> Void)? = nil) {
        if let caller { walk.add(caller: caller) }
        guard writer.isRunning else { return }
        let account = writer.queue.session?.account
        for caller in walk.abandon(unless: account) { caller() }
        guard let account, let number = walk.begin(for: account) else { return }
        access.deadlines.cancel(.reconciliation)
        ask(page: nil, run: number)
    }

    /// As ``want(caller:)``.
    ///
    /// - Parameter listener: Receives the result of the run: nil for a success, or the failure.
    func want(listener: @escaping Reconciliation.Listener) {
        walk.add(listener: listener)
        want()
    }

    /// Begins the next run, because its time has come, and asks for the outcome of orders that wait for
    /// an approval.
    func isDue() {
        guard writer.queue.session != nil else { return }
        orders.askAboutApprovals()
        want()
    }

    private func isRunning(_ number: UInt64) -> Bool {
        writer.isRunning && walk.isRunning(number, for: writer.queue.session?.account)
    }

    private func ask(page: OpaqueText?, run number: UInt64) {
        guard isRunning(number), let account = walk.run?.account else { return }
        let answer = access.inSession(of: account) {
            [self] (result: Result<PurchasePage, StoreFailure>) in
            guard isRunning(number) else { return }
            switch result {
            case .failure(let failure): fail(failure)
            case .success(let page):
                access.note(nil)
                do throws(StoreFailure) {
                    let known = try writer.closedForStore(page.revoked.map(\.closedKey))
                    walk.received(page.revoked.filter { known[$0.closedKey] == nil })
                } catch {
                    return repeatLater(because: error)
                }
                writer.write { queue, context, events in
                    queue.decideDeleted(page.deleted, of: account, context, events: &events)
                }
                importPurchases(page.purchases[...], of: account, next: page.next, run: number)
            }
        }
        access.send(.purchases(.unfinished, account, page: page, answer))
    }

    /// Imports as much of a page as one turn permits, then the rest in later turns, then the next page.
    private func importPurchases(
        _ purchases: ArraySlice<StorePurchase>, of account: AccountName, next: OpaqueText?,
        run number: UInt64
    ) {
        guard isRunning(number) else { return }
        let before = writer.recordsOfTurn
        let began = writer.loop.now
        var rest = purchases
        while writer.recordsOfTurn - before < Self.recordsPerTurn,
            purchases.count - rest.count < Self.purchasesPerTurn,
            writer.loop.now - began < Self.timePerTurn, let purchase = rest.popFirst()
        {
            let closed: ClosedFacts
            do throws(StoreFailure) {
                closed = try writer.closedForStore(purchase.closedKeys)
            } catch {
                return repeatLater(because: error)
            }
            let mayAdd = writer.mayAdd
            let isDone = writer.write(closed: closed) { queue, context, events in
                queue.decide(purchase, of: account, context, mayAdd: mayAdd, events: &events)
            }
            if !isDone { walk.foundNoRoom() }
        }
        guard rest.isEmpty else {
            return writer.loop.executeAfterInput { [self, rest] in
                importPurchases(rest, of: account, next: next, run: number)
            }
        }
        announceRevoked(atLeast: Self.recordsPerTurn)
        guard let next else { return end() }
        guard !walk.isEndless else {
            return fail(StoreFailure(.internalError, "the store's list of purchases has no end"))
        }
        ask(page: next, run: number)
    }

    private func announceRevoked(atLeast count: Int = 1) {
        guard let account = walk.run?.account else { return }
        let revoked = walk.takeRevoked(atLeast: count)
        // Revocations that cannot be announced now are found again by the next run.
        guard !revoked.isEmpty,
            let closed = try? writer.closedForStore(revoked.map(\.closedKey))
        else { return }
        // A revoked order needs no completion at the store. The completions are recorded first, so that
        // no cut batch has the announcement without them.
        for id in writer.ask({ $0.transactions(completingOrdersOf: revoked, of: account) }) {
            orders.completed(id)
        }
        writer.write(closed: closed) { queue, context, events in
            queue.decideRevoked(revoked, of: account, context, events: &events)
        }
    }

    private func end() {
        announceRevoked()
        guard let run = walk.end() else { return }
        if run.isShort {
            writer.logger.warning("purchases wait at the store: no disk space to record them")
        }
        access.deadlines.set(.reconciliation, after: interval)
        for listener in run.listeners { listener(nil) }
        for caller in run.callers { caller() }
        writer.scheduleTurnEnd()
        // A caller may have begun that run already.
        if walk.isWantedAgain { want() }
    }

    private func fail(_ failure: StoreFailure) {
        access.note(failure)
        announceRevoked()
        guard !access.stopIfFatal(failure) else { return }
        repeatLater(because: failure)
    }

    private func repeatLater(because failure: StoreFailure) {
        guard let (delay, listeners) = walk.fail() else { return }
        access.deadlines.set(.reconciliation, after: delay)
        for listener in listeners { listener(failure) }
    }
}

import Dispatch
import PaymentCore
import PaymentSandbox
import PaymentTesting
import SandboxControl
import Synchronization
import Testing

@Suite struct SandboxDurabilityTests {
    @Test func `calls that arrive together share one commit`() async throws {
        let journal = MemorySandboxJournal()
        let executor = SteppedExecutor()
        let sandbox = try StoreSamples.sandbox(journal: journal, executor: executor)
        let outcomes = try await withThrowingTaskGroup(of: OrderOutcome.self) { group in
            for number: UInt64 in 1...50 {
                let request = try StoreSamples.request(number)
                group.addTask { try await sandbox.submit(request) }
            }
            await executor.waitForJobs(50)
            executor.start()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(outcomes.count == 50)
        #expect(journal.commitCount == 1)
        #expect(journal.durableEvents.count == 50)
    }

    @Test func `calls one after the other commit each, and reading commits nothing`() async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(journal: journal)
        for number: UInt64 in 1...3 {
            _ = try await sandbox.submit(try StoreSamples.request(number))
        }
        _ = try await sandbox.submit(try StoreSamples.request(1))
        _ = try await sandbox.catalogue(of: StoreSamples.germany)
        _ = await sandbox.testOrders()
        _ = try await sandbox.applyTestSettings(StoreTestSettingsChange())
        #expect(journal.commitCount == 3)
    }

    @Test func `an answer is given only when its order is durable`() async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(journal: journal)
        for number: UInt64 in 1...20 {
            guard
                let order = try await sandbox.submit(StoreSamples.request(number)).paidOrders.first
            else { continue }
            let durable = journal.durableEvents.contains {
                if case .orderPlaced(let placed, _) = $0 {
                    placed.order.order == order
                } else {
                    false
                }
            }
            #expect(durable)
        }
    }

    @Test func `somebody who asks for an order that is being committed waits too`() async throws {
        let journal = MemorySandboxJournal()
        journal.failCommit(1)
        let executor = SteppedExecutor()
        let sandbox = try StoreSamples.sandbox(journal: journal, executor: executor)
        let request = try StoreSamples.request(1)
        let kinds = await withTaskGroup(of: StoreFailure.Kind?.self) { group in
            for _ in 1...4 {
                group.addTask {
                    await failure { () async throws(StoreFailure) in
                        try await sandbox.submit(request)
                    }
                }
            }
            await executor.waitForJobs(4)
            executor.start()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds == Array(repeating: .storageFailed, count: 4))
    }

    @Test func `after a failed commit every call fails and nothing is committed again`()
        async throws
    {
        let journal = MemorySandboxJournal()
        journal.failCommit(2)
        let sandbox = try StoreSamples.sandbox(journal: journal)
        _ = try await sandbox.submit(try StoreSamples.request(1))
        let second = try StoreSamples.request(2)
        var kinds = [
            await failure { () async throws(StoreFailure) in try await sandbox.submit(second) },
            await failure { () async throws(StoreFailure) in try await sandbox.submit(second) },
        ]
        kinds.append(
            await failure { () async throws(StoreFailure) in
                try await sandbox.logIn(account: "demo", credential: nil)
            })
        kinds.append(
            await failure { () async throws(StoreFailure) in
                try await sandbox.applyTestSettings(StoreSamples.change { $0.storeDown = true })
            })
        kinds.append(
            await failure { () async throws(StoreFailure) in try await sandbox.defaultCountry() })
        #expect(kinds == Array(repeating: .storageFailed, count: 5))
        #expect(journal.commitCount == 2)
        #expect(journal.durableEvents.count == 1)
    }

    @Test func `settings, orders and completions survive a crash`() async throws {
        let journal = MemorySandboxJournal()
        let first = try StoreSamples.sandbox(journal: journal)
        let request = try StoreSamples.request(1)
        guard let order = try await first.submit(request).paidOrders.first else { return }
        try await first.complete(order: order, account: "demo")
        let changed = try await first.applyTestSettings(
            StoreSamples.change {
                $0.failureError = "cancelled"
                $0.paymentsAllowed = false
                $0.storefront = StoreSamples.japan
            })
        let orders = await first.testOrders()
        let second = try StoreSamples.sandbox(
            journal: MemorySandboxJournal(events: journal.durableEvents), seed: 2)
        #expect(await second.testSettings() == changed)
        #expect(await second.testOrders() == orders)
        #expect(try await second.submit(request).paidOrders == [order, order])
        let state = try await first.durableState()
        #expect(journal.lastState == state)
    }

    @Test func `a closed sandbox has committed everything and serves no more`() async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(journal: journal)
        _ = try await sandbox.submit(try StoreSamples.request(1))
        try await sandbox.close()
        #expect(journal.isClosed)
        let kind = await failure { () async throws(StoreFailure) in
            try await sandbox.defaultCountry()
        }
        #expect(kind == .serviceUnavailable)
    }

    @Test(arguments: 1...20)
    func `closing amid calls loses no order that was answered`(round: Int) async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(journal: journal)
        let requests = try (1...20).map { try StoreSamples.request($0) }
        let answered = try await withThrowingTaskGroup(of: OrderOutcome?.self) { group in
            for request in requests { group.addTask { try? await sandbox.submit(request) } }
            try await sandbox.close()
            return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(journal.durableEvents.count == answered)
        #expect(journal.lastState.orders.count == answered)
    }

    @Test func `a deferred order is decided durably`() async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(journal: journal)
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.askToBuyEnabled = true })
        let request = try StoreSamples.request(1)
        guard case .deferred(let order) = try await sandbox.submit(request) else { return }
        let decided = try await sandbox.run(
            .decide(.transaction(request.transaction), approved: true), account: nil)
        #expect(decided?.order == order)
        guard case .orderPaid(order, _)? = journal.durableEvents.last else {
            Issue.record("the approval is not in the journal")
            return
        }
        #expect(try await sandbox.submit(request).paidOrders == [order, order])
    }
}

/// Keeps jobs until it is started, then runs them in order: so a test knows who came together.
private final class SteppedExecutor: SerialExecutor {
    private struct Contents {
        var count = 0
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let contents = Mutex(Contents())
    private let queue = DispatchQueue(label: "stepped", attributes: .initiallyInactive)

    func enqueue(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        let waiter = contents.withLock { contents in
            contents.count += 1
            guard let waiter = contents.waiter, contents.count >= waiter.count else {
                return CheckedContinuation<Void, Never>?.none
            }
            contents.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    /// Returns when so many jobs are waiting for the start.
    func waitForJobs(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = contents.withLock { contents in
                if contents.count >= count { return true }
                contents.waiter = (count, continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Runs what was kept and everything that comes.
    func start() {
        queue.activate()
    }
}

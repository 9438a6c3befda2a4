import PaymentCore
import PaymentEngine
import PaymentStorage
import PaymentTesting
import SandboxControl
import Testing

@testable import PaymentSandbox

/// The embedded store in the turns of the engine, on a log of files.
@Suite("One log for queue and store")
struct OneLogTests {
    private static let coins: ProductIdentifier = "coins.100"

    /// The types of the lines behind a position, by batches.
    private func batches(_ world: MemoryDiskWorld, after position: SequenceNumber) throws
        -> [[String]]
    {
        var batches: [(SequenceNumber, [String])] = []
        _ = try JournalDump.lines(
            MemoryDisk(world: world), after: position, includesInternal: false
        ) { line in
            if batches.last?.0 != line.batch { batches.append((line.batch, [])) }
            batches[batches.count - 1].1.append(line.content.word)
        }
        return batches.map(\.1)
    }

    @Test("A whole purchase takes two syncs, one batch each")
    func twoSyncs() throws {
        let rig = OneLogRig(world: MemoryDiskWorld())
        let process = try rig.start()
        process.begin()
        _ = try process.add(Self.coins, key: "the product is recorded")
        let before = rig.world.calls(.syncData)
        let position = process.journal.log.nextSequence - 1
        let id = try process.add(Self.coins, key: "key")
        #expect(rig.world.calls(.syncData) == before + 1)
        #expect(process.engine.queue.transaction(id)?.state == .purchased)
        let reply = try process.engine.commands.finish(id, origin: Samples.origin)
        #expect(reply.disposition == .completing)
        process.loop.runUntilIdle()
        #expect(rig.world.calls(.syncData) == before + 2)
        #expect(
            try batches(rig.world, after: position) == [
                ["added", "submitted", "store.orderPlaced", "purchased"],
                ["completing", "store.orderCompleted", "removed"],
            ])
        #expect(process.orders.count == 2)
        #expect(process.orders.last?.order.completed == true)
    }

    @Test("The sockets are read between orders and between restores that follow one another")
    func inputBetween() throws {
        let process = try OneLogRig(world: MemoryDiskWorld()).start()
        process.begin()
        for number in 1...40 {
            let name = OpaqueText("\(number)")
            _ = try process.engine.commands.add(
                AddRequest(productIdentifier: Self.coins, key: name), origin: Samples.origin)
            _ = try process.engine.commands.restore(
                RestoreRequest(appAccountToken: name), origin: Samples.origin)
        }
        process.loop.mostWithoutInput = 0
        process.loop.runUntilIdle()
        #expect(process.loop.mostWithoutInput < 40)
        #expect(process.engine.queue.hasNoRestores)
        #expect(process.orders.count == 40)
    }

    @Test("A late answer finds its order on disk, and a kill before it charges once")
    func latency() throws {
        let rig = OneLogRig(world: MemoryDiskWorld())
        var process = try rig.start()
        process.begin()
        process.set { $0.latencyMs = 500 }
        let id = try process.add(Self.coins, key: "key")
        #expect(process.engine.queue.transaction(id)?.state == .submitted)
        let placed = try #require(process.orders.last)
        #expect(placed.order.transaction == id)
        #expect(try batches(rig.world, after: 0).last?.last == "store.orderPlaced")

        process = try OneLogRig(world: rig.world.afterKill(), seed: 2).start()
        process.begin()
        #expect(process.engine.queue.transaction(id)?.state == .submitted)
        process.loop.advance(by: .milliseconds(499))
        #expect(process.engine.queue.transaction(id)?.state == .submitted)
        process.loop.advance(by: .milliseconds(1))
        #expect(process.engine.queue.transaction(id)?.state == .purchased)
        #expect(process.engine.queue.transaction(id)?.order == placed.order.order)
        #expect(process.orders.count == 1)
    }

    @Test("An outage is waited for, and a simulated failure of a completion is repeated")
    func outage() throws {
        let process = try OneLogRig(world: MemoryDiskWorld()).start()
        process.begin()
        process.set { $0.storeDown = true }
        let id = try process.add(Self.coins, key: "key")
        #expect(process.engine.queue.transaction(id)?.state == .submitted)
        #expect(!process.engine.store.access.health.isUp)
        process.set {
            $0.storeDown = false
            $0.simulatedErrors = [.completion: .serviceUnavailable]
        }
        process.loop.advance(by: .seconds(1))
        #expect(process.engine.queue.transaction(id)?.state == .purchased)
        _ = try process.engine.commands.finish(id, origin: Samples.origin)
        process.loop.runUntilIdle()
        #expect(process.engine.queue.transaction(id)?.state == .completing)
        process.set { $0.simulatedErrors = [.completion: nil] }
        process.loop.advance(by: .seconds(2))
        #expect(process.engine.queue.finish(of: id) != nil)
        #expect(process.orders.last?.order.completed == true)
    }

    @Test("Renewals happen by the store's own clock, also those that were due while nobody ran")
    func renewals() throws {
        let rig = OneLogRig(world: MemoryDiskWorld())
        var process = try rig.start()
        process.begin()
        process.set { $0.timeRate = .monthSeconds(5) }
        _ = try process.add("pro.monthly", key: "key")
        #expect(process.orders.count == 1)
        process.loop.advance(by: .seconds(6))
        #expect(process.orders.count == 2)
        let renewed = try #require(process.orders.last?.order.order)
        #expect(process.engine.queue.transactions.contains { $0.order == renewed })
        process.loop.advance(by: .seconds(10))
        let count = process.orders.count
        #expect(count >= 4)

        process = try OneLogRig(world: rig.world.afterKill(), seed: 2).start()
        #expect(process.orders.count >= count)
    }

    @Test("Renewals and controls wait for room on a full disk, and purchases are finished on it")
    func fullDisk() throws {
        let world = MemoryDiskWorld()
        let process = try OneLogRig(world: world).start()
        process.begin()
        process.set { $0.timeRate = .monthSeconds(5) }
        let id = try process.add("pro.monthly", key: "key")
        func measure(_ free: Int) {
            world.setFreeBytes(free)
            let now = process.loop.now + .seconds(10)
            process.journal.log.checkSpace(
                monotonicMilliseconds: now.wholeMilliseconds,
                beside: process.engine.queue.spaceClaims)
        }
        measure(0)
        process.loop.advance(by: .seconds(60))
        #expect(process.orders.count == 1)
        process.set { $0.askToBuyEnabled = true }
        #expect(!process.sandbox.store.settings.askToBuyEnabled)
        let reply = try process.engine.commands.finish(id, origin: Samples.origin)
        #expect(reply.disposition == .completing)
        process.loop.runUntilIdle()
        #expect(process.orders.first?.order.completed == true)
        measure(1 << 30)
        process.loop.advance(by: .seconds(2))
        #expect(process.orders.count > 10)
        process.set { $0.askToBuyEnabled = true }
        #expect(process.sandbox.store.settings.askToBuyEnabled)
        #expect(!process.hasFailed)
    }

    @Test("A control answers when its change is on disk")
    func control() async throws {
        let rig = OneLogRig(world: MemoryDiskWorld())
        let process = try rig.start()
        process.begin()
        let control = LocalSandboxControl(of: process.sandbox, in: process.engine)
        async let answer = control.run(
            .buy(Self.coins, appAccountToken: nil), account: "demo")
        while process.orders.isEmpty {
            process.loop.runUntilIdle()
            await Task.yield()
        }
        process.loop.runUntilIdle()
        let order = try #require(try await answer)
        let again = try OneLogRig(world: rig.world.afterKill(), seed: 2).start()
        #expect(again.orders.map(\.order.order) == [order.order])
        #expect(process.engine.queue.transactions.contains { $0.order == order.order })
    }

    /// The acknowledgements that a client has before the power fails.
    private struct Told {
        var added: [TransactionID] = []
        var finished: [TransactionID] = []
    }

    /// Buys twice and finishes once, until the power fails.
    private func shop(_ rig: OneLogRig) -> Told {
        var told = Told()
        guard let process = try? rig.start() else { return told }
        process.begin()
        for key in ["first", "second"] as [OpaqueText] {
            guard let id = try? process.add(Self.coins, key: key), !process.hasFailed else {
                return told
            }
            told.added.append(id)
        }
        _ = try? process.engine.commands.finish(told.added[0], origin: Samples.origin)
        process.loop.runUntilIdle()
        if !process.hasFailed { told.finished.append(told.added[0]) }
        try? process.journal.markIdle()
        return told
    }

    @Test("Wherever the power fails, a purchase is neither lost nor doubled")
    func powerCuts() throws {
        let whole = MemoryDiskWorld()
        _ = shop(OneLogRig(world: whole))
        for cut in 1...whole.callCount {
            let world = MemoryDiskWorld()
            world.cutPower(atCall: cut)
            let told = shop(OneLogRig(world: world))
            var dice = SeededGenerator(seed: UInt64(cut))
            let process = try OneLogRig(
                world: world.afterPowerCut { dice.chance(50) }, seed: 99
            ).start()
            process.begin()
            process.loop.advance(by: .seconds(2))
            let queue = process.engine.queue
            for id in told.added where queue.transaction(id) == nil {
                Issue.record("\(id) is lost, cut \(cut)")
            }
            for id in told.finished where queue.finish(of: id) == nil {
                Issue.record("the finish of \(id) is lost, cut \(cut)")
            }
            let bought = process.orders.compactMap(\.order.transaction)
            #expect(Set(bought).count == bought.count, "cut \(cut)")
            for transaction in queue.transactions {
                #expect(transaction.state == .purchased, "cut \(cut)")
                #expect(bought.contains(transaction.id), "cut \(cut)")
            }
            for order in process.orders where order.order.completed {
                let id = try #require(order.order.transaction)
                #expect(queue.finish(of: id) != nil, "cut \(cut)")
            }
        }
    }
}

extension PaymentQueue {
    /// The unfinished transactions.
    fileprivate var transactions: [Transaction] {
        var found: [Transaction] = []
        forEachUnfinished { transaction, _, _ in
            found.append(transaction)
            return true
        }
        return found
    }
}

import PaymentCore
import PaymentTesting
import Testing

@Suite("Facts about closed things") struct ClosedFactsTests {
    @Test("An absent thing is known to be absent")
    func absent() {
        #expect(ClosedFacts(of: [.key("a")])[.key("a")] == nil)
    }

    @Test("A decision that reads what was not looked up ends the process")
    func notLookedUp() async {
        await #expect(processExitsWith: .failure) {
            var events: [Event] = []
            let request = AddRequest(productIdentifier: Samples.coins, key: "a")
            _ = try PaymentQueue().decide(request, Bench().context, events: &events)
        }
    }

    @Test("The history is asked only for what memory does not have")
    func memoryFirst() throws {
        var bench = Bench.busy()
        let history = MemoryHistory()
        let open = bench.add(key: "open")
        let closed = bench.add(key: "closed")
        try bench.finish(closed)
        let keys: [ClosedKey] = [.key("open"), .key("closed"), .transaction(open), .key("new")]
        let facts = try bench.queue.closedFacts(keys, in: history)
        #expect(history.lookups == [.key("new")])
        #expect(facts[.key("closed")]?.transaction?.id == closed)
        #expect(keys.filter { facts[$0] != nil } == [.key("closed")])
    }

    @Test("A closed thing is found in memory and in the history alike")
    func found() throws {
        var (bench, id) = Stage.removed.bench()
        let restore = bench.restore(key: "restore")
        bench.end(restore, .completed(count: 0))
        let keys: [ClosedKey] = [
            .transaction(id), .key("the key"), .order(Samples.order(1)),
            .restoredOrder(Samples.order(1)), .revokedOrder(Samples.order(1)), .restore(restore),
            .key("restore"),
        ]
        let history = MemoryHistory()
        let open = try bench.queue.archived(to: history)
        let inMemory = bench.queue.closedFacts(keys)
        let onDisk = try open.closedFacts(keys, in: history)
        for key in keys[..<2] {
            #expect(inMemory[key]?.transaction?.id == id && inMemory[key] == onDisk[key])
        }
        #expect(keys.filter { onDisk[$0] == nil } == [keys[3], keys[4]])
        #expect(keys.filter { inMemory[$0] == nil } == [keys[3], keys[4]])
    }

    @Test("A lookup that fails answers nothing")
    func failing() {
        let history = MemoryHistory()
        history.isFailing = true
        #expect(throws: ClosedHistoryFailure.self) {
            try PaymentQueue().closedFacts([.key("a")], in: history)
        }
    }
}

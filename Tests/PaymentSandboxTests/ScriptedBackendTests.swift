import PaymentCore
import PaymentTesting
import Testing

@Suite struct ScriptedBackendTests {
    @Test func `a held call waits for the test and then tells the truth`() async throws {
        let backend = ScriptedBackend()
        backend.hold([.submit])
        let request = try StoreSamples.request(1)
        async let outcome = backend.submit(request)
        await backend.waitForHeldCalls(1)
        #expect(backend.heldCalls.map(\.call) == [.submit(request)])
        #expect(backend.orders.isEmpty)
        backend.releaseAll()
        let order = try await outcome
        #expect(backend.orders.map { [$0.order, $0.order] } == [order.paidOrders])
    }

    @Test func `held calls can be released in any order`() async throws {
        let backend = ScriptedBackend()
        backend.hold([.submit])
        let requests = [try StoreSamples.request(1), try StoreSamples.request(2)]
        async let first = backend.submit(requests[0])
        await backend.waitForHeldCalls(1)
        async let second = backend.submit(requests[1])
        await backend.waitForHeldCalls(2)
        backend.release(backend.heldCalls[1].id)
        _ = try await second
        #expect(backend.orders.map(\.transaction) == [requests[1].transaction])
        backend.release(backend.heldCalls[0].id)
        _ = try await first
        #expect(backend.orders.count == 2)
    }

    @Test func `a lost answer leaves an order, a lost request leaves none`() async throws {
        let backend = ScriptedBackend()
        backend.hold([.submit])
        let down = StoreFailure(.connectionError, "gone")
        for (ending, count) in [
            (ScriptedBackend.Ending.failure(down), 0), (.answerLost, 1),
        ] {
            let request = try StoreSamples.request(1)
            async let kind = failure { () async throws(StoreFailure) in
                try await backend.submit(request)
            }
            await backend.waitForHeldCalls(1)
            backend.releaseAll(as: ending)
            #expect(await kind == .connectionError)
            #expect(backend.orders.count == count)
        }
    }

    @Test func `scripted answers come in their order, before the truth`() async throws {
        let backend = ScriptedBackend()
        backend.script(.submit, .success(.outcome(.notSold)))
        backend.script(.submit, .failure(StoreFailure(.serviceUnavailable, "busy")))
        let request = try StoreSamples.request(1)
        #expect(try await backend.submit(request) == .notSold)
        let kind = await failure { () async throws(StoreFailure) in
            try await backend.submit(request)
        }
        #expect(kind == .serviceUnavailable)
        guard case .purchased = try await backend.submit(request) else {
            Issue.record("the script is over")
            return
        }
        #expect(backend.submissions == [request, request, request])
    }

    @Test func `the same seed draws the same faults, another one others`() throws {
        let faults = ScriptedBackend.Faults(lostRequests: 20, lostAnswers: 20, unavailable: 20)
        let run = { (seed: UInt64) in
            let backend = ScriptedBackend(seed: seed, faults: faults)
            return try (1...50).map { backend.perform(.submit(try StoreSamples.request($0))) }
        }
        #expect(try run(3) == run(3))
        #expect(try run(3) != run(4))
    }

    @Test func `faults never place two orders for one transaction`() throws {
        let backend = ScriptedBackend(
            seed: 5, faults: ScriptedBackend.Faults(lostRequests: 30, lostAnswers: 40))
        for number: UInt64 in (1...200).map({ $0 % 20 }) {
            _ = backend.perform(.submit(try StoreSamples.request(number)))
        }
        #expect(Set(backend.orders.map(\.transaction)).count == backend.orders.count)
        #expect(backend.calls.count == 200)
    }
}

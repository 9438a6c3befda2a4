import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

@Suite struct SandboxLatencyTests {
    @Test func `an answer comes when the latency is over, the order was placed before`()
        async throws
    {
        let clock = StandingClock()
        let sandbox = try StoreSamples.sandbox(clock: clock)
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.latencyMs = 2000 })
        let request = try StoreSamples.request(1)
        async let outcome = sandbox.submit(request)
        await clock.waitForSleepers(1)
        let order = try #require(await sandbox.testOrders().first?.order)
        clock.advance(by: .milliseconds(1999))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1))
        #expect(try await outcome.paidOrders == [order, order])
    }

    @Test func `a store that is down takes its time to say so`() async throws {
        let clock = StandingClock()
        let sandbox = try StoreSamples.sandbox(clock: clock)
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change {
                $0.latencyMs = 500
                $0.storeDown = true
            })
        async let kind = failure { () async throws(StoreFailure) in
            try await sandbox.defaultCountry()
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        #expect(await kind == .connectionError)
    }

    @Test func `controls do not wait for the latency they set`() async throws {
        let sandbox = try StoreSamples.sandbox()
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.latencyMs = 600_000 })
        let settings = try await sandbox.applyTestSettings(StoreSamples.change { $0.latencyMs = 0 })
        #expect(settings.latencyMs == 0)
        #expect(try await sandbox.defaultCountry() == StoreSamples.germany)
    }

    @Test func `a call that is given up while it waits ends without an answer`() async throws {
        let clock = StandingClock()
        let sandbox = try StoreSamples.sandbox(clock: clock)
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.latencyMs = 1000 })
        let request = try StoreSamples.request(1)
        let call = Task {
            await failure { () async throws(StoreFailure) in try await sandbox.submit(request) }
        }
        await clock.waitForSleepers(1)
        call.cancel()
        #expect(await call.value == .connectionError)
        #expect(await sandbox.testOrders().count == 1)
    }
}

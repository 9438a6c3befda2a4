import PaymentCore
import PaymentTesting
import StoreTesting
import Testing

@testable import payqueue_store

/// What one device of an account hears of another.
@Suite struct FeedTests {
    @Test func `an order that one device has paid is news for the others, and not for itself`()
        async throws
    {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let (one, two) = (try served.client(), try served.client())
        let (first, second) = (try await ToldChanges(of: one), try await ToldChanges(of: two))
        _ = try await one.submit(try StoreSamples.request(1))
        await second.hears([.orders("demo")])
        let change = StoreSamples.change { $0.paymentsAllowed = false }
        _ = try await served.shop.sandbox.applyTestSettings(change)
        // This and nothing before it.
        await first.hears([.account(nil)])
        await second.hears([.account(nil)])
        _ = try await served.shop.sandbox.applyTestSettings(
            StoreSamples.change { $0.paymentsAllowed = true })
        await first.hears([.account(nil)])
        _ = try await two.submit(try StoreSamples.request(2))
        await first.hears([.orders("demo")])
        await one.close()
        await two.close()
        try await served.stop()
    }
}

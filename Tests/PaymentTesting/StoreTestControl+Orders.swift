import PaymentCore
public import SandboxControl
import Testing

extension StoreTestControl {
    /// Every order that the store knows, page by page.
    public func testOrders() async -> [StoreOrder] {
        var orders: [StoreOrder] = []
        var page: OpaqueText?
        repeat {
            guard let next = try? await testOrders(page: page, limit: 1000) else { return orders }
            orders += next.orders
            page = next.next
        } while page != nil
        return orders
    }

    /// Lets so many events fall due, one after the other.
    public func advance(events count: Int) async throws {
        for _ in 0..<count {
            let due = try #require(await testClock().nextEventAt)
            _ = try await advanceTestClock(to: due)
        }
    }

    /// Changes settings.
    public func set(_ edit: (inout StoreTestSettingsChange) -> Void) async throws {
        _ = try await applyTestSettings(StoreSamples.change(edit))
    }
}

import PaymentSandbox
import StoreClient
import StoreMessages
import StoreTesting

/// A sandbox that is served over HTTP in this process, and the queue's client of it. The sandbox
/// itself stays within reach: a store server has no controls that a queue could ask for.
struct RemoteStore: Sendable {
    let client: HTTPStore
    private let served: ServedShop

    /// Begins to serve.
    init(serving sandbox: SandboxService) async throws {
        served = try await ServedShop(sandbox)
        client = try served.client()
    }

    /// Ends the connections, then the server.
    func close() async throws {
        await client.close()
        try await served.stop()
    }
}

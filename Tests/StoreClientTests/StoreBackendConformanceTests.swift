import PaymentCore
import PaymentTesting
import StoreTesting
import Testing

@Suite(.ownThreads) struct StoreBackendConformanceTests {
    static let backends = [
        BackendUnderTest(testDescription: "sandbox") {
            let sandbox = try StoreSamples.sandbox()
            return .init(store: sandbox, control: sandbox)
        },
        BackendUnderTest(testDescription: "scripted back end of the tests") {
            let scripted = ScriptedBackend()
            return .init(store: scripted, control: scripted)
        },
        BackendUnderTest(testDescription: "store server over HTTP") {
            let served = try await ServedShop(try StoreSamples.sandbox())
            let store = try served.client {
                // The machine may be busy; what is asked here is not how long an answer takes.
                $0.requestTimeout = .seconds(60)
                $0.callTimeout = .seconds(120)
            }
            return .init(store: store, control: served.sandbox) {
                await store.close()
                try await served.stop()
            }
        },
    ]

    @Test(arguments: backends, BackendCheck.all)
    func `every store back end does`(backend: BackendUnderTest, what: BackendCheck) async throws {
        try await check(backend, what)
    }

    @Test(
        arguments: backends.filter { !$0.testDescription.hasPrefix("scripted") },
        BackendCheck.histories)
    func `every store back end that signs does`(
        backend: BackendUnderTest, what: BackendCheck
    ) async throws {
        try await check(backend, what)
    }

    private func check(_ backend: BackendUnderTest, _ what: BackendCheck) async throws {
        let parts = try await backend.make()
        do {
            try await what.run(parts)
        } catch {
            try? await parts.close()
            throw error
        }
        try await parts.close()
    }
}

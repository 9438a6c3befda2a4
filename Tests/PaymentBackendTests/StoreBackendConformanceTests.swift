import PaymentCore
import PaymentTesting
import Testing

@Suite struct StoreBackendConformanceTests {
    static let backends = [
        BackendUnderTest(testDescription: "sandbox") {
            let sandbox = try Sample.sandbox()
            return (sandbox, sandbox)
        },
        BackendUnderTest(testDescription: "scripted back end of the tests") {
            let scripted = ScriptedBackend()
            return (scripted, scripted)
        },
    ]

    @Test(arguments: backends, BackendCheck.all)
    func `every store back end does`(backend: BackendUnderTest, what: BackendCheck) async throws {
        try await what.run(try await backend.make())
    }
}

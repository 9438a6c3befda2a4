import Testing

@testable import payqueued

/// What a build says that has no client of store servers, such as the one of `make demo`.
@Suite("A build without the client of store servers")
struct StoreServerClientTests {
    private func configuration(_ words: String...) throws -> DaemonConfiguration {
        try DaemonConfiguration(
            options: try DaemonOptions.parse(words), environment: [:], reachesStores: false)
    }

    @Test("A store server is refused with the way to a build that can reach it")
    func server() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try configuration("--store", "http://127.0.0.1:8080")
        }
        #expect(
            problem?.description
                == "cannot use store 'http://127.0.0.1:8080' [flag --store]: this payqueued was "
                + "built without the client of store servers; build it with 'make build'")
        #expect(problem?.place == "/store")
    }

    @Test("What is no address is refused for that, as in any build")
    func nonsense() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try configuration("--store", "nowhere")
        }
        #expect(problem?.description.contains("expected sandbox") == true)
    }

    @Test("The embedded store is used as in any build")
    func embedded() throws {
        #expect(try configuration("--store", "sandbox").storeAddress == nil)
        #expect(try configuration().storeAddress == nil)
    }
}

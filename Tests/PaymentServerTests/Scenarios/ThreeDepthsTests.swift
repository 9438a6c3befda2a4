import Testing

/// The same promises at three depths: whatever a layer adds, it must not change what was promised.
@Suite struct ThreeDepthsTests {
    @Test(arguments: Scenario.ofTheQueue)
    func `the engine alone holds`(_ scenario: Scenario) async throws {
        try await scenario.play(EngineStage())
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the server in the process holds`(_ scenario: Scenario) async throws {
        try await LiveServer.run { try await scenario.play(ServerStage($0)) }
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the server on a real socket and a real disk holds`(_ scenario: Scenario) async throws {
        var plan = ServerPlan()
        plan.door = .path
        plan.isDurable = true
        try await LiveServer.run(plan) { try await scenario.play(ServerStage($0)) }
    }
}

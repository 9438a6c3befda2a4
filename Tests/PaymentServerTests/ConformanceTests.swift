import PaymentTesting
import Testing

/// The same promises at several depths: whatever a layer adds, it must not change what was promised.
@Suite struct ConformanceTests {
    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTime)
    func `the engine alone holds`(_ scenario: Scenario) async throws {
        try await scenario.play(EngineStage())
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the server in the process holds`(_ scenario: Scenario) async throws {
        try await ServerStage.run(ServerPlan(), scenario)
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the server holds when commits take their time`(_ scenario: Scenario) async throws {
        var plan = ServerPlan()
        plan.commitsLate = true
        try await ServerStage.run(plan, scenario)
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the server on a real socket and a real disk holds`(_ scenario: Scenario) async throws {
        var plan = ServerPlan()
        plan.door = .path
        plan.isDurable = true
        try await ServerStage.run(plan, scenario)
    }

    @Test(arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the program holds`(_ scenario: Scenario) async throws {
        try await ProgramStage.run(scenario)
    }

    @Test(
        .enabled(if: EtcdServer.program != nil, "skipped: etcd is not installed"),
        arguments: Scenario.ofTheQueue + Scenario.ofTheServer)
    func `the program with its journal in etcd holds`(_ scenario: Scenario) async throws {
        try await ProgramStage.run(scenario, overEtcd: true)
    }
}

import PaymentCore
import PaymentTesting
import Testing

/// The engine between faulty parts, from seeds: the same seed is the same run.
@Suite("Simulation", .ownThreads)
struct SimulationTests {
    /// The seeds, case by case.
    static let shares = SimulationSeeds.shares(of: 1000, each: 100)

    /// Commits of every other seed answer later, as those of a log on other machines do.
    private static func world(_ seed: UInt64) -> World {
        var settings = World.Settings()
        if seed / 2 % 2 == 1 { settings.lateness = 50 }
        return World(seed: seed, settings: settings)
    }

    @Test("No seed breaks a promise", arguments: shares)
    func promises(seeds: Range<UInt64>) {
        for seed in seeds {
            let world = Self.world(seed)
            world.run()
            if let finding = world.findings.first {
                print("PAYQUEUED_SIMULATION_SEED=\(seed) make simulate")
                Issue.record("step \(world.stepCount) of seed \(seed): \(finding)")
                return
            }
        }
    }

    /// The store runs in the turns of the engine: its records are in the engine's log, and a start
    /// finds the store as it was. Half of the worlds have a disk, and half commit late.
    @Test("No seed breaks a promise with the store in the log", arguments: shares)
    func embedded(seeds: Range<UInt64>) {
        for seed in seeds where seed.isMultiple(of: 4) || seeds.count == 1 {
            var settings = World.Settings()
            settings.isEmbedded = true
            if seed / 8 % 2 == 1 { settings.lateness = 50 }
            let world = World(seed: seed / 4, settings: settings)
            world.run()
            if let finding = world.findings.first {
                Issue.record("step \(world.stepCount) of embedded seed \(seed): \(finding)")
                return
            }
        }
    }

    @Test("A start without one record of the store is found")
    func lostStoreRecord() {
        let isFound = (1...20 as ClosedRange<UInt64>).contains { seed in
            var settings = World.Settings()
            settings.isEmbedded = true
            let medium = RecordingMedium(limits: settings.limits, seed: seed)
            medium.corruptStore = { $0.dropLast() }
            let world = World(seed: seed, settings: settings, medium: medium)
            world.run()
            return !world.findings.isEmpty
        }
        #expect(isFound)
    }

    @Test("Runs have enough faults to be worth their time")
    func faultsPerRun() {
        var faults = 0
        var lives = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            let world = World(seed: seed)
            world.run()
            faults += world.faults + world.store.faults
            lives += world.lives
            #expect(world.lives >= 5, "seed \(seed)")
        }
        #expect(lives >= 50 * 15)
        #expect(faults >= 50 * 20)
    }

    /// 12261: a snapshot between a question and its transaction's record forgot which record had asked
    /// it. 702, 850: what was finished while its order was still asked for was never completed.
    @Test(
        "Seeds that found a defect stay clean",
        arguments: [702, 850, 12_261, 32_617, 71_818] as [UInt64])
    func regressions(seed: UInt64) {
        let world = World(seed: seed)
        world.run()
        #expect(world.findings.first == nil)
    }

    @Test("The same seed is the same run")
    func determinism() {
        let first = World(seed: 42)
        let second = World(seed: 42)
        first.run()
        second.run()
        #expect(first.log == second.log)
        #expect(first.faults == second.faults)
        #expect(first.store.charges == second.store.charges)
    }

    @Test("Every planted defect is found within a few seeds", arguments: Defect.allCases)
    func teeth(defect: Defect) {
        let isFound = (1...60 as ClosedRange<UInt64>).contains { seed in
            var settings = World.Settings()
            settings.defect = defect
            let world = World(seed: seed, settings: settings)
            world.run()
            if let finding = world.findings.first { print("\(defect.rawValue): \(finding)") }
            return !world.findings.isEmpty
        }
        #expect(isFound, "\(defect.rawValue)")
    }
}

import PaymentTesting
import Testing

/// Nodes over a simulated etcd, from seeds: the same seed is the same run.
@Suite("Simulation of a cluster", .ownThreads)
struct ClusterSimulationTests {
    static let shares = SimulationSeeds.shares(of: 100, each: 100)

    @Test("No seed breaks a promise", arguments: shares)
    func promises(seeds: Range<UInt64>) {
        for seed in seeds {
            let world = ClusterWorld(seed: seed)
            world.run()
            if let finding = world.finding {
                print("PAYQUEUED_SIMULATION_SEED=\(seed) make simulate")
                Issue.record("at \(world.stage.now) of seed \(seed): \(finding)")
                return
            }
        }
    }

    @Test("The same seed is the same run")
    func determinism() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let first = ClusterWorld(seed: seed)
            let second = ClusterWorld(seed: seed)
            first.run()
            second.run()
            #expect(first.stage.trace == second.stage.trace)
            #expect(first.ledger.bytes == second.ledger.bytes)
            #expect(first.network.requests == second.network.requests)
        }
    }

    @Test("Runs have enough of everything to be worth their time")
    func faultsPerRun() {
        var (commits, terms, lives, faults, requests) = (0, 0, 0, 0, 0)
        for seed in 1...20 as ClosedRange<UInt64> {
            let world = ClusterWorld(seed: seed)
            world.run()
            commits += world.commits
            terms += world.terms.count
            lives += world.nodes.reduce(0) { $0 + $1.lives }
            faults += world.network.faults
            requests += world.network.requests
            #expect(world.terms == world.terms.sorted())
        }
        print("of 20 seeds: \(commits) \(terms) \(lives) \(faults) \(requests)")
        #expect(commits > 20 * 10)
        #expect(terms > 20 * 2)
        #expect(lives > 20 * 4)
        #expect(faults > 20 * 20)
    }

    @Test(
        "Every planted defect is found within some seeds", .serialized,
        arguments: ClusterDefect.allCases)
    func teeth(defect: ClusterDefect) {
        let isFound = (1...100 as ClosedRange<UInt64>).contains { seed in
            let world = ClusterWorld(seed: seed, defect: defect)
            world.run()
            if let finding = world.finding { print("\(defect.rawValue), \(seed): \(finding)") }
            return world.finding != nil
        }
        #expect(isFound, "\(defect.rawValue)")
    }
}

import PaymentTesting
import Testing

/// Whatever the moment, `kill -9` loses and doubles nothing.
@Suite("Killed and started again", .ownThreads)
struct KillTests {
    @Test("After any kill -9 under load nothing is lost, doubled or brought back")
    func rounds() throws {
        let rounds = Built.number("PAYQUEUED_KILL_ROUNDS", default: 15)
        let seed = UInt64(Built.number("PAYQUEUED_KILL_SEED", default: .random(in: 1...1_000_000)))
        print("kill rounds: \(rounds), PAYQUEUED_KILL_SEED=\(seed)")
        var done = 0
        var world: KillWorld?
        while done < rounds {
            if done.isMultiple(of: 10) || world == nil {
                try world?.close()
                world = try KillWorld(seed: seed &+ UInt64(done))
            }
            // A kill that hit too little work is checked as well, but does not count.
            let hit = try world?.round() ?? 0
            if hit >= 16 { done += 1 }
            if world?.isHopeless == true { Issue.record("no kill hits enough work"); break }
        }
        try world?.close()
    }
}

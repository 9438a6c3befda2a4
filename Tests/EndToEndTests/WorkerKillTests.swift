import PaymentTesting
import Testing

/// Workers outlive a daemon that dies all the time, and deliver everything once.
@Suite("Workers beside a daemon that dies every second", .ownThreads)
struct WorkerKillTests {
    @Test(
        "Every purchase is unlocked once and nothing stays unfinished",
        arguments: ClientLanguage.named)
    func worker(language: ClientLanguage) throws {
        if let missing = language.missing {
            return Skip.because("\(missing) is not installed", "worker in \(language)")
        }
        try language.build()
        let purchases = Built.number("PAYQUEUED_WORKER_PURCHASES", default: 40)
        let world = try WorkerWorld(language, purchases: purchases)
        try world.start()
        while !world.isDone {
            try world.second()
            if let trouble = world.trouble {
                Issue.record("\(language): \(trouble)")
                break
            }
        }
        try world.finish()
        print("\(language): \(purchases) purchases over \(world.kills) kills")
    }
}

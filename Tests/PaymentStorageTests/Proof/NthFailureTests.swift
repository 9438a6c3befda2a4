import Foundation
import PaymentStorage
import PaymentTesting
import Testing

/// Every call to the disk fails once, and for ever, with every error that it can meet. `make nth-failures`
/// runs the same optimized, over more lives.
@Suite("A call to the disk that fails", .ownThreads)
struct NthFailureTests {
    /// How many drawn scripts are run beside the one with every kind of work.
    static let scripts =
        ProcessInfo.processInfo.environment["PAYQUEUED_FAILURE_SCRIPTS"].flatMap { UInt64($0) } ?? 0

    /// All failures of the lives of a script.
    private func failures(of scenes: [NthFailure.Scene]) -> [NthFailure] {
        var all: [NthFailure] = []
        for (index, scene) in scenes.enumerated() {
            let world = MemoryDiskWorld(scene.disk)
            var ledger = scene.ledger
            _ = try? {
                var shop = try Shop(on: world)
                try shop.begin(&ledger)
                for step in scene.life.steps { try shop.run(step, &ledger) }
            }()
            for call in MemoryDiskFault.Call.allCases {
                for number in 0..<world.calls(call) {
                    for effect in NthFailure.effects(of: call) {
                        for isLasting in [false, true] {
                            all.append(
                                NthFailure(
                                    scene: index, call: call, number: number + 1, effect: effect,
                                    isLasting: isLasting))
                        }
                    }
                }
            }
        }
        return all
    }

    @Test("costs nothing that was acknowledged, is named, and leaves a directory that starts")
    func everyCall() throws {
        var count = 0
        var fatal = 0
        var reported = 0
        let scripts =
            [ShopScript.everything]
            + (0..<Self.scripts).map { ShopScript(seed: $0 + 1, lives: 3, steps: 8) }
        for (index, script) in scripts.enumerated() {
            let scenes = try script.scenes()
            for failure in failures(of: scenes) {
                let result = failure.run(scenes[failure.scene])
                count += 1
                if result.fatal != nil { fatal += 1 }
                if result.fatal == nil, !result.others.isEmpty { reported += 1 }
                guard let fault = result.fault else { continue }
                Issue.record("script \(index), \(failure): \(fault)")
            }
        }
        print("\(count) failures: \(fatal) ended the process, \(reported) were reported")
        #expect(count > 7000)
        #expect(fatal > count / 10 && fatal < count * 9 / 10)
    }

    @Test(
        "is found out if its error is ignored",
        arguments: [MemoryDiskFault.Call.syncData, .sync, .syncDirectory, .write])
    func ignored(call: MemoryDiskFault.Call) throws {
        let scenes = try ShopScript.everything.scenes()
        let found = failures(of: scenes).filter { $0.call == call && $0.isLasting }.contains {
            $0.run(scenes[$0.scene], spoil: .ignore).fault != nil
        }
        #expect(found)
    }
}

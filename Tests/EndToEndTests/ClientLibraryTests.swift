import Foundation
import PaymentTesting
import Testing

/// The client libraries and every one of their examples, against the real daemon.
@Suite("Client libraries", .ownThreads)
struct ClientLibraryTests {
    @Test("Each library passes its own tests", arguments: ClientLanguage.libraries)
    func ownTests(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            let tests = try program.run(language.ownTests)
            #expect(tests.ending == .exit(0), "\(tests.output) \(tests.errors)")
        }
    }

    @Test(
        "What is bought once by key is unlocked and finished once",
        arguments: ClientLanguage.libraries)
    func buy(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            let bought = try program.run(language.buy, "order-1", "coins.100", "player-12")
            #expect(bought.ending == .exit(0), "\(bought.errors)")
            #expect(bought.output.contains("coins.100 purchased"))
            #expect(program.goods.contains("coins.100"))
            let again = try program.run(language.buy, "order-1", "coins.100", "player-12")
            #expect(again.ending == .exit(0), "\(again.errors)")
            let refused = try program.run(language.buy, "order-2", "nope")
            #expect(refused.ending == .exit(1))
            let line = try program.daemon.connect()
            let orders = try line.call("test.orders")["orders"]?.array ?? []
            #expect(orders.count == 1)
            #expect(orders.first?["appAccountToken"]?.string == "player-12")
            #expect(try line.call("transactions")["transactions"]?.array?.isEmpty == true)
        }
    }

    @Test(
        "An observer unlocks and finishes what others buy, over a restart of the daemon",
        arguments: ClientLanguage.libraries)
    func observer(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            let daemon = program.daemon
            // Left over from an earlier launch.
            try daemon.connect().call("add", #"{"product":"remove-ads"}"#)
            let observer = try program.start("observer")
            try expectNothingUnfinished(daemon)
            #expect(program.goods.contains("remove-ads"))
            try daemon.stop()
            try daemon.start()
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let isUnlocked = eventually(within: 60) {
                program.goods.contains("coins.100") ? true : nil
            }
            #expect(isUnlocked == true, "\(observer.standardError)")
            try expectNothingUnfinished(daemon)
            observer.send(SIGTERM)
            _ = try observer.wait(seconds: 60)
        }
    }

    @Test(
        "A second purchase of what is owned unlocks nothing twice; what was refunded is taken back",
        arguments: ClientLanguage.libraries)
    func ownership(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            let line = try program.daemon.connect()
            for order in ["order-1", "order-2"] {
                let bought = try program.run(language.buy, order, "remove-ads")
                #expect(bought.ending == .exit(0), "\(bought.errors)")
                #expect(bought.output.contains("alreadyOwned") == (order == "order-2"))
            }
            #expect(program.goods.ranges(of: "remove-ads").count == 1)
            let orders = try line.everyOrder()
            #expect(orders.count == 1)
            // Refunded before any worker has seen it.
            let refunded = try line.buyAndRefund("coins.100")
            let observer = try program.start("observer")
            try expectNothingUnfinished(program.daemon)
            #expect(!program.goods.contains("coins.100"), "\(program.goods)")
            let again = try program.run(language.buy, "order-1", "remove-ads")
            #expect(again.ending == .exit(0), "\(again.errors)")
            let order = try #require(orders.first?["order"]?.string)
            #expect(order != refunded)
            // Refunded after it was unlocked and finished.
            try line.call("test.refund", #"{"order":"\#(order)"}"#)
            let isTakenBack = eventually(within: 60) {
                program.goods.contains("remove-ads") ? nil : true
            }
            #expect(isTakenBack == true, "\(program.goods) \(observer.standardError)")
            observer.send(SIGTERM)
            _ = try observer.wait(seconds: 60)
        }
    }

    @Test("In Python what is left over is finished, and finishing again is harmless")
    func finish() throws {
        try ClientProgram.run(.python) { program in
            let line = try program.daemon.connect()
            try line.call("subscribe")
            let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string ?? ""
            try line.call("wait", #"{"transaction":"\#(id)"}"#)
            let finished = try program.run("finish")
            #expect(finished.ending == .exit(0), "\(finished.errors)")
            #expect(finished.output.contains("coins.100 purchased -> completing then"))
            try expectNothingUnfinished(program.daemon)
        }
    }

    @Test("shellcheck finds nothing in the shell library")
    func shell() throws {
        guard Built.has("shellcheck") else { return Skip.because("shellcheck is not installed") }
        try ClientProgram.run(.shell) { program in
            let found = try program.run([
                "sh", "-c",
                "shellcheck -x -P ../.. payqueued.sh examples/*.sh tests/*.sh",
            ])
            #expect(found.ending == .exit(0), "\(found.output)")
        }
    }

    private func expectNothingUnfinished(_ daemon: Daemon) throws {
        let line = try daemon.connect()
        let isEmpty = try eventually(within: 60) {
            try line.call("transactions")["transactions"]?.array?.isEmpty == true ? true : nil
        }
        #expect(isEmpty == true)
    }
}

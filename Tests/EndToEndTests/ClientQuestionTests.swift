import Foundation
import PaymentTesting
import Testing

/// The examples of the client libraries in which somebody else has a say: restores, approvals and
/// gates.
@Suite("Client libraries: restores and questions", .ownThreads)
struct ClientQuestionTests {
    @Test("In Python what the account owns is restored, unlocked again and finished")
    func restore() throws {
        try ClientProgram.run(.python) { program in
            #expect(try program.run("purchase", "order-1", "remove-ads").ending == .exit(0))
            try FileManager.default.removeItem(atPath: program.daemon.place("goods"))
            let restored = try program.run("restore")
            #expect(restored.ending == .exit(0), "\(restored.errors)")
            #expect(restored.output.contains("unlocked remove-ads restored"))
            #expect(restored.output.contains("restore completed: 1"))
            #expect(program.goods.contains("remove-ads"))
        }
    }

    @Test("In Python a deferred purchase is delivered after somebody approved it")
    func deferred() throws {
        try ClientProgram.run(.python) { program in
            let line = try program.daemon.connect()
            try line.call("test.set", #"{"askToBuyEnabled":true}"#)
            let bought = try program.run("deferred", "coins.100", "--approve")
            #expect(bought.ending == .exit(0), "\(bought.output) \(bought.errors)")
            #expect(bought.output.contains("deferred: waits for an approval"))
            #expect(bought.output.contains("coins.100 purchased"))
            #expect(program.goods.contains("coins.100"))
        }
    }

    @Test(
        "A gate goes on up to a price and stops above it",
        arguments: ClientLanguage.libraries, ["100", "0.01"])
    func gate(language: ClientLanguage, highest: String) throws {
        try ClientProgram.run(language) { program in
            let daemon = program.daemon
            let gate = try program.start("gate", highest, "--once")
            let line = try daemon.connect()
            // Accepted in one country while nobody observes, to be charged in another.
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            let id = added["transaction"]?.string ?? ""
            try line.call("test.set", #"{"storefront":"FR"}"#)
            try line.call("subscribe", #"{"kinds":["transactionsUpdated"]}"#)
            #expect(try gate.wait(seconds: 60) == .exit(0), "\(gate.standardError)")
            #expect(gate.standardOutput.contains("shouldContinue"))
            let ended = try line.call("wait", #"{"transaction":"\#(id)"}"#)
            let state = ended["transaction"]?["transactionState"]?.string
            #expect(state == (highest == "100" ? "purchased" : "purchasing"))
            let orders = try line.call("test.orders")["orders"]?.array ?? []
            #expect(orders.count == (highest == "100" ? 1 : 0))
        }
    }
}

import Foundation
import PaymentTesting
import Testing

/// How the examples behave on a person's machine: what they print, where they write, how they end.
@Suite("Client examples: output, files, Ctrl-C", .ownThreads)
struct ClientMannersTests {
    @Test("Ctrl-C ends a worker and a gate quietly", arguments: ClientLanguage.libraries)
    func interrupted(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            for (name, arguments) in [("observer", []), ("gate", ["5.00"])] {
                let example = try program.start(name, arguments)
                example.send(SIGINT)
                let ending = try example.wait(seconds: 60)
                #expect(Self.isQuiet(ending), "\(name) ended with \(ending)")
                #expect(example.standardError.isEmpty, "\(example.standardError)")
            }
        }
    }

    @Test("Ctrl-C ends a purchase that waits for an approval", arguments: ClientLanguage.libraries)
    func interruptedPurchase(language: ClientLanguage) throws {
        try ClientProgram.run(language) { program in
            let line = try program.daemon.connect()
            try line.call("test.set", #"{"askToBuyEnabled":true}"#)
            let buying = try program.begin(language.buy, ["order-1", "coins.100"])
            let isWaiting = try eventually(within: 60) {
                let all = try line.call("transactions")["transactions"]?.array ?? []
                return all.first?["waitingFor"]?.string == "approval" ? true : nil
            }
            #expect(isWaiting == true, "\(buying.standardError)")
            buying.send(SIGINT)
            let ending = try buying.wait(seconds: 60)
            #expect(Self.isQuiet(ending), "it ended with \(ending)")
            #expect(buying.standardError.isEmpty, "\(buying.standardError)")
        }
    }

    @Test(
        "An example says who bought what, and writes into the user's state directory only",
        arguments: ClientLanguage.libraries)
    func manners(language: ClientLanguage) throws {
        try ClientProgram.run(language) { found in
            var program = found
            program.keepsInState = true
            let before = try Self.files(in: language.folder)
            let bought = try program.run(language.buy, "order-1", "coins.100")
            #expect(bought.ending == .exit(0), "\(bought.errors)")
            #expect(bought.output.hasPrefix("order-1: coins.100 purchased"), "\(bought.output)")
            let named = try program.run(language.buy, "order-2", "coins.100", "player-12")
            #expect(named.output.contains("for player-12"), "\(named.output)")
            for word in ["None", "undefined", "null", "nil", "Optional"] {
                #expect(!(bought.output + named.output).contains(word), "\(bought.output)")
            }
            #expect(try Self.files(in: language.folder) == before)
            let state = program.daemon.place("state-home/payqueued-examples")
            let kept = try FileManager.default.contentsOfDirectory(atPath: state)
            #expect(kept.contains { $0.hasPrefix("goods.") }, "\(kept)")
            #expect(kept.contains { $0.hasPrefix("keys.") }, "\(kept)")
        }
    }

    /// Ended by itself, by the status that shells use for Ctrl-C, or by the signal.
    private static func isQuiet(_ ending: Child.Ending) -> Bool {
        [.exit(0), .exit(130), .signal(SIGINT)].contains(ending)
    }

    private static func files(in folder: String) throws -> Set<String> {
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder)
        // What a compiler keeps in its own folder is not written by an example.
        return Set(found.filter { !$0.hasPrefix("target/") })
    }
}

import Foundation
import PaymentTesting
import Testing

/// Every recipe is compiled and run as its page says.
@Suite("Recipes", .ownThreads)
struct RecipeTests {
    @Test(
        "A recipe unlocks what it bought and finishes it; not what was refunded or is somebody else's",
        arguments: [
            ("c", ["cc", "/usr/include/cjson/cJSON.h"]), ("perl", ["perl"]), ("php", ["php"]),
            ("java", ["javac", "/usr/share/java/gson.jar"]),
        ])
    func recipe(language: String, needs: [String]) throws {
        let missing = needs.first { need in
            need.hasPrefix("/") ? access(need, R_OK) != 0 : !Built.has(need)
        }
        if let missing { return Skip.because("\(missing) is not here", "recipe in \(language)") }
        let script = try Session(page: "clients/recipes/\(language).md").script
            .replacing("\nsettle\n", with: "\n")
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.buyAndRefund("coins.100")
            let foreign = try line.call("add", #"{"product":"remove-ads"}"#)["transaction"]?.string
            let commands = "cd '\(daemon.place.path)'\n\(script)"
            let ran = try Child.run(
                ["sh", "-eu", "-c", commands], in: daemon.place,
                environment: [
                    "PAYQUEUED_SOCKET": daemon.socket,
                    "HOME": ProcessInfo.processInfo.environment["HOME"] ?? daemon.place.path,
                ], seconds: 300)
            #expect(ran.ending == .exit(0), "\(ran.output) \(ran.errors)")
            #expect(ran.output == "locked coins.100\nunlocked coins.100\nfinished coins.100\n")
            let left = try line.call("transactions")["transactions"]?.array ?? []
            #expect(left.map { $0["id"]?.string } == [foreign])
            #expect(try line.everyOrder().count == 3)
        }
    }
}

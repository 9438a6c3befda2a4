import Foundation
import PaymentTesting
import Testing

/// The served description of the Store API and the server behind it, held against one another by a
/// program that makes requests from the description.
@Suite("The store's API as it is described", .ownThreads)
struct StoreAPITests {
    @Test("No request brings about a server error, or an answer that the description does not have")
    func schemathesis() throws {
        guard let programs = PythonTools.api else {
            return Skip.because("schemathesis cannot be installed from PyPI here")
        }
        let examples = Built.number("PAYQUEUED_API_EXAMPLES", default: 2)
        let seed = Built.number("PAYQUEUED_API_SEED", default: 1)
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = ["--listen", "127.0.0.1:0"]
        let address = "http://127.0.0.1:\(try store.startOnPort())"
        let merchant = try Child.run(
            [
                Built.store, "merchant", "add", "A publisher", "--json", "--state-directory",
                place("store"),
            ], in: place)
        let ran = try Child.run(
            [
                "sh", "-c", #"cd "$0" && exec "$@""#, place.path, "\(programs)/schemathesis", "run",
                "\(address)/openapi.json", "--checks", "all", "--max-examples", "\(examples)",
                "--seed", "\(seed)", "--phases", "examples,coverage,fuzzing,stateful",
                "--request-timeout", "30", "--no-color",
            ], in: place,
            environment: [
                "STORE": address, "MERCHANT": merchant.output, "SCHEMATHESIS_HOOKS": "hooks",
                // A whole run has more than a page of them.
                "ORDERS": examples < 100 ? "3" : "520",
                "PYTHONPATH": Built.root.appending(path: "Tests/EndToEndTests/StoreAPI").path,
                "PYTHONDONTWRITEBYTECODE": "1",
            ], seconds: 7200)
        #expect(ran.ending == .exit(0), "seed \(seed): \(ran.output) \(ran.errors)")
        // Every operation was tried, and with enough examples every link, or the description was not
        // understood.
        #expect(ran.output.contains(#/Operations: +(\d+) selected \/ \1 total/#))
        #expect(
            examples < 100
                || ran.output.contains(#/API Links: +(\d+) covered \/ \1 selected \/ \1 total/#),
            "\(ran.output)")
        let summary = ran.output.split(separator: "\n").suffix(8).joined(separator: "\n")
        print("schemathesis, \(examples) examples, seed \(seed):\n\(summary)")
        let complaints = store.log.split(separator: "\n").filter {
            ["error", "critical"].contains((try? JSON($0))?["level"]?.string)
        }
        #expect(complaints.isEmpty)
        try store.stop()
    }
}

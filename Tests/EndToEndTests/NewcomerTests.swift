import Foundation
import PaymentTesting
import Testing

/// What the pages for newcomers say to type is typed here, every line of it.
@Suite("The first ten minutes", .ownThreads)
struct NewcomerTests {
    private static let tools = ["bash", "setsid", "socat", "jq", "python3"]
    private static let record = "clients/newcomer.sh"

    @Test("The README leads from the clone to a worker of ten lines that unlocks and finishes")
    func readme() throws {
        if let missing = Self.tools.first(where: { !Built.has($0) }) {
            return Skip.because("\(missing) is not installed")
        }
        try Session(page: "README.md").run { place, output in
            let socket = place("clone/pay.sock")
            let isUnlocked: Bool? = eventually(within: 60) {
                text(of: place("session.out")).contains("unlocked coins.100") ? true : nil
            }
            #expect(isUnlocked == true, "\(output)")
            let line = try Line(to: socket)
            let isEmpty: Bool? = try eventually(within: 60) {
                try line.call("transactions")["transactions"]?.array?.isEmpty == true ? true : nil
            }
            #expect(isEmpty == true, "the worker finishes everything")
            let finished = try line.call("transactions", #"{"states":["finished"]}"#)
            #expect((finished["transactions"]?.array?.count ?? 0) >= 2)
        }
    }

    @Test("The README's worker has at most ten lines")
    func tenLines() throws {
        let script = try Session(page: "README.md").script
        let worker =
            script.components(separatedBy: "cat > worker.py <<'END'\n").last?
            .components(separatedBy: "\nEND").first ?? ""
        #expect(worker.contains("payqueued"))
        #expect(worker.split(separator: "\n").count <= 10)
    }

    @Test("The newcomer's session is recorded as the README tells it")
    func recorded() throws {
        let script =
            "#!/usr/bin/env bash\n# What the README says to type, from the clone on. Written by a test "
            + "from the README,\n# and run by another; RECORD=1 writes it anew.\n\n"
            + (try Session(page: "README.md").script).replacing("\nsettle\n", with: "\n\n")
        let file = Built.root.appending(path: Self.record)
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(script.utf8).write(to: file)
        }
        #expect(text(of: file.path) == script, "run it with RECORD=1")
    }

    @Test("The tutorial works line by line")
    func tutorial() throws {
        if let missing = Self.tools.first(where: { !Built.has($0) }) {
            return Skip.because("\(missing) is not installed")
        }
        let page = "Sources/payqueued/Documentation.docc/Tutorial.md"
        try Session(page: page).run { _, output in
            for expected in [
                "purchased", "waiting for an observer", "unlocked", "waiting for approval",
                "restored 1", "whole", "nobody is logged in",
            ] {
                #expect(output.contains(expected), "the tutorial shows '\(expected)': \(output)")
            }
        }
    }
}

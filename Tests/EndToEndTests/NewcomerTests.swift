import Foundation
import PaymentTesting
import Testing

/// What the pages for newcomers say to type is typed here, every line of it.
@Suite("The first ten minutes", .ownThreads)
struct NewcomerTests {
    private static let tools = ["bash", "setsid", "socat", "jq", "python3"]

    @Test("The README works from top to bottom, prints what it says, and leaves nothing running")
    func readme() throws {
        if let missing = Self.tools.first(where: { !Built.has($0) }) {
            return Skip.because("\(missing) is not installed")
        }
        try Session(page: "README.md").run { place, output in
            #expect(output.contains("acknowledged 3, found 3, lost 0, doubled 0"))
            #expect(output.contains("purchased"))
            #expect(output.contains("unlocked remove-ads"))
            let isGone = eventually(within: 60) {
                FileManager.default.fileExists(atPath: place("clone/pay.sock")) ? nil : true
            }
            #expect(isGone == true)
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

    @Test("The tutorial works line by line")
    func tutorial() throws {
        if let missing = Self.tools.first(where: { !Built.has($0) }) {
            return Skip.because("\(missing) is not installed")
        }
        let page = "Sources/payqueued/Documentation.docc/Tutorial.md"
        try Session(page: page).run { _, output in
            for expected in [
                "unlocked coins.100\nunlocked remove-ads\n", "exit 4", "restored 1", "whole",
            ] {
                #expect(output.contains(expected), "the tutorial shows '\(expected)': \(output)")
            }
        }
    }
}

import Foundation
import PaymentTesting
import Testing

/// The checker of recorded histories, which `make histories` runs over long ones.
@Suite("The checker of histories", .ownThreads)
struct HistoryCheckTests {
    @Test("It accepts histories that keep every promise, and names the one that each other breaks")
    func histories() throws {
        guard Built.has("python3") else { return Skip.because("python3 is not installed") }
        let place = try Workplace()
        let script = Built.root.appending(path: "Tests/EndToEndTests/Lab/history_selftest.py").path
        let (ending, output, errors) = try Child.run(["python3", script], in: place, seconds: 60)
        let lines = output.split(separator: "\n")
        for line in lines where line.hasPrefix("FAIL ") { Issue.record("\(line)") }
        #expect(ending == .exit(0), "\(errors)")
        #expect(lines.count { $0.hasPrefix("ok ") } >= 34, "\(output)")
    }
}

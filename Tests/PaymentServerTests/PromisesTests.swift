import Foundation
import Testing

/// The page of the guarantees lists every scenario once.
extension ConformanceTests {
    @Test func `no two scenarios say the same`() {
        let sentences = Scenario.all.map(\.sentence)
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.count >= 150)
    }

    @Test func `every scenario is in one part of the table`() {
        let told = Promises.parts.flatMap(\.scenarios).map(\.sentence)
        #expect(told.sorted() == Scenario.all.map(\.sentence).sorted())
    }

    @Test func `the table of promises is fresh`() throws {
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Promises.table.write(to: Promises.file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: Promises.file, encoding: .utf8)
        #expect(kept == Promises.table, "run it with RECORD=1")
    }
}

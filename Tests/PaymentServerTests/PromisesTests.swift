import Foundation
import Testing

/// Nothing of the contract may go unproved, and readers must be told what is proved.
extension ConformanceTests {
    @Test func `every rule, every pain and every reading has a scenario`() {
        let proved = Set(Scenario.all.flatMap(\.sources))
        for place in Promises.places where Promises.elsewhere[place] == nil {
            #expect(proved.contains(place), "\(place.title) is not proved")
        }
        #expect(Scenario.all.count >= 150)
    }

    @Test func `every scenario says where its promise stands, and no two say the same`() {
        let known = Set(Promises.places)
        for scenario in Scenario.all {
            #expect(!scenario.sources.isEmpty, "\(scenario.sentence)")
            for source in scenario.sources where source.isCounted {
                #expect(known.contains(source), "there is no \(source.title)")
            }
        }
        let sentences = Scenario.all.map(\.sentence)
        #expect(Set(sentences).count == sentences.count)
    }

    @Test func `readings are proved or said to be names`() {
        let names = Set(Promises.readingsOfNames.keys)
        #expect(names.union(Promises.readings) == Set(1...25))
        #expect(names.isDisjoint(with: Promises.readings))
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

import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentEngine

@Suite("Recent records")
struct RecentRecordsTests {
    private static func record(_ sequence: SequenceNumber) -> Record {
        Record(
            sequence: sequence, time: Samples.noon, origin: nil,
            event: .started(incarnation: sequence))
    }

    @Test("are pages of the log, or none if a record of the page was not kept", arguments: 1...20)
    func pages(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var recent = RecentRecords()
        var log: [Record] = []
        var keptUpTo: SequenceNumber = 0
        var keptSince: SequenceNumber = 0
        var head: SequenceNumber = 0
        var served = 0
        for _ in 0..<400 {
            let before = head
            var batch: [Record] = []
            for _ in 0..<dice.below(40) {
                // The log's own lines are holes in the sequence.
                head += 1 + (dice.chance(10) ? 2 : 0)
                batch.append(Self.record(head))
            }
            log += batch
            if dice.chance(95) {
                recent.append(batch, after: before)
                if !batch.isEmpty, keptUpTo != before { keptSince = before }
                if !batch.isEmpty { keptUpTo = head }
            }
            let position = head - min(head, SequenceNumber(dice.below(1200)))
            let count = 1 + dice.below(200)
            let page = recent.page(after: position, count: count)
            let later = log.count { $0.sequence > position }
            if keptUpTo == head, keptSince <= position, later > 0, later <= RecentRecords.limit {
                #expect(page != nil)
            }
            guard let page else { continue }
            served += 1
            // A page ends with the records that were kept.
            let end = log.last { $0.sequence <= keptUpTo }?.sequence ?? 0
            let expected = log.filter { $0.sequence > position && $0.sequence <= end }.prefix(count)
            #expect(page.records == Array(expected))
            #expect(page.position == expected.last?.sequence)
        }
        #expect(served > 50)
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Every way in which the last batch can be torn by a power cut, for batches of many shapes.
@Suite("A batch torn by a power cut")
struct TornTailTests {
    /// The lengths of the lines of the batches, in batches; the last is torn.
    struct Shape: Sendable, CustomTestStringConvertible {
        let batches: [[Int]]
        var testDescription: String { "\(batches)" }
    }

    static let shapes = [
        Shape(batches: [[1], [1]]),
        Shape(batches: [[1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]),
        Shape(batches: [[300], [700, 20, 900]]),
        Shape(batches: [[1, 1], [1500], [2300, 1]]),
        Shape(batches: [[2000], [1, 3500]]),
    ]

    @Test(
        "never costs an acknowledged event and never stops a start, in any of its forms",
        arguments: shapes, [true, false])
    func everySubset(shape: Shape, isPrepared: Bool) throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = isPrepared
        policy.firstPrefilledBytes = 8192
        policy.segmentBytes = 1 << 20
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        for batch in shape.batches.dropLast() { try commit(batch, journal) }
        let acknowledged = shape.batches.dropLast().joined().count
        rig.world.cutPower(atCall: rig.world.callCount + 2)
        #expect(throws: JournalFailure.self) {
            try commit(shape.batches[shape.batches.count - 1], journal)
        }
        let attempted = shape.batches.joined().count

        let changes = rig.world.unsyncedChanges
        #expect((1...12).contains(changes))
        for subset in 0..<(1 << changes) {
            var rest = subset
            let world = rig.world.afterPowerCut {
                defer { rest >>= 1 }
                return rest & 1 == 1
            }
            let opened = try StorageRig(world: world, policy: policy).open()
            #expect((acknowledged...attempted).contains(opened.records.count), "subset \(subset)")
            let numbers = opened.records.map(\.sequence)
            #expect(numbers == Array(2..<2 + SequenceNumber(numbers.count)))
        }
    }

    private func commit(_ lengths: [Int], _ journal: LocalLog) throws {
        for length in lengths {
            let name = AccountName(String(repeating: "x", count: length))
            let session = Session(account: name, country: Samples.country("DE"))
            _ = journal.append(
                .sessionChanged(from: nil, to: session), time: Samples.time, origin: nil)
        }
        try journal.commit()
    }
}

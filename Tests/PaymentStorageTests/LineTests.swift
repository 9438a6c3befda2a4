import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON
import Testing

/// The lines as a program sees them that knows nothing of this one.
@Suite("A line")
struct LineTests {
    /// The lines that some events are written as.
    private func lines(_ events: [(event: Event, origin: Origin?)]) throws -> [String] {
        let rig = StorageRig(policy: JournalPolicy(prefillsSegments: false, reserveBytes: 0))
        try rig.open().journal.commit(events)
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("journal-") })
        let text = String(decoding: try #require(rig.world.files[name]), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("is strict JSON with its members in one order, and sorted names inside")
    func shape() throws {
        for line in try lines(Samples.all) {
            let value = try JSONValue(parsing: line)
            let names = try #require(value.members).map(\.name)
            #expect(names.prefix(4) == ["c", "s", "b", "t"])
            #expect(
                names.dropFirst(4) == (names.contains("by") ? ["at", "by", "d"] : ["at", "d"]))
            #expect(value.jsonText() == line)
            expectSorted(try #require(value["d"]))
        }
    }

    private func expectSorted(_ value: JSONValue) {
        let names = (value.members ?? []).map(\.name)
        #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for member in value.members ?? [] { expectSorted(member.value) }
    }

    @Test(
        "tells moments as the domain writes them",
        arguments: [
            0, 1, 999, 1000, 86_399_999, 86_400_000, 951_782_400_000, 1_709_164_800_000,
            1_795_244_400_123, 253_402_300_799_999, -1, -62_167_219_200_000, .max, .min,
        ] as [Int64])
    func moments(milliseconds: Int64) throws {
        let time = Timestamp(milliseconds: milliseconds)
        let line = try #require(try lines([(.forgotten(before: time), nil)]).last)
        #expect(line.hasSuffix("\"d\":{\"before\":\"\(time)\"}}"))
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit([(.forgotten(before: time), nil)])
        let record = try #require(try journal.records(after: 0, count: 1).first)
        #expect(record.event == .forgotten(before: try #require(Timestamp(time.description))))
    }

    @Test("keeps any text, however long or odd")
    func texts() throws {
        let texts = [
            "", "a", "\"", "\\", "\u{0}\u{1F}\u{7F}", "é", "e\u{301}", "\u{2028}", "👩‍👩‍👧",
            String(repeating: "x", count: 439), String(repeating: "x", count: 500),
            String(repeating: "ü\"", count: 900), #"{"c":"00000000","s":9,"b":9,"t":""#,
        ]
        let rig = StorageRig()
        let journal = try rig.open().journal
        for text in texts {
            let origin = Origin(
                uid: 1, client: OpaqueText(text), connection: 2, request: 3,
                trace: OpaqueText(text))
            var transaction = Samples.transaction(
                1, .failed(PaymentFailure(.cancelled, reason: text)))
            transaction.account = AccountName(text)
            transaction.payment.appAccountToken = OpaqueText(text)
            transaction.origin = origin
            let event = Event.transaction(.added(key: OpaqueText(text)), transaction)
            try journal.commit([(.productRecorded(Samples.coins), nil), (event, origin)])
            let record = try #require(
                try journal.records(after: journal.head - 1, count: 1).first)
            #expect(record.event == event)
            #expect(record.origin == origin)
        }
        #expect(
            try StorageRig(world: rig.world.afterKill()).open().records.count == 2 * texts.count)
    }

    @Test("keeps any identifier")
    func identifiers() throws {
        var generator = SeededGenerator(seed: 5)
        let journal = try StorageRig().open().journal
        _ = journal.append(.productRecorded(Samples.coins), time: Samples.time, origin: nil)
        var expected: [TransactionID] = []
        for _ in 0..<200 {
            let id = TransactionID(UniqueID(high: generator.next(), low: generator.next()))
            expected.append(id)
            let transaction = Transaction(
                id: id, account: nil, payment: Payment(product: Samples.coins), state: .waiting,
                country: Samples.country("DE"), reason: .purchase, revision: 1,
                createdAt: Samples.time, updatedAt: Samples.time)
            _ = journal.append(
                .transaction(.submitted(key: nil), transaction), time: Samples.time, origin: nil)
        }
        try journal.commit()
        let ids = try journal.records(after: 2, count: 500).map { record in
            if case .transaction(_, let transaction) = record.event {
                transaction.id
            } else {
                TransactionID(UniqueID(high: 0, low: 0))
            }
        }
        #expect(ids == expected)
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A journal")
struct JournalTests {
    @Test("gives back every event as it was written, after a clean stop")
    func roundTrip() throws {
        let rig = StorageRig()
        let first = try rig.open()
        let sequences = try first.journal.commit(Samples.all)
        try first.journal.close()

        let second = try StorageRig(world: rig.world.afterKill()).open()

        #expect(second.report.wasClean)
        #expect(second.records.map(\.sequence) == sequences)
        for (record, sample) in zip(second.records, Samples.all) {
            #expect(record.origin == sample.origin)
            #expect(record.time == Samples.time)
            #expect(record.event == sample.event.asRecorded(by: sample.origin))
        }
        #expect(second.records.count == Samples.all.count)
    }

    @Test("gives back generated events of every kind", arguments: 1...20 as ClosedRange<UInt64>)
    func generated(seed: UInt64) throws {
        var maker = EventMaker(seed: seed)
        var events: [(event: Event, origin: Origin?)] = [
            (.productRecorded(Samples.coins), nil), (.productRecorded(Samples.pro), nil),
        ]
        for round in 0..<EventMaker.kinds * 10 {
            let origin = round.isMultiple(of: 3) ? Samples.origin : nil
            events.append((maker.event(kind: round % EventMaker.kinds), origin))
        }
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit(events)
        let records = try journal.records(after: 0, count: events.count)
        let replayed = try StorageRig(world: rig.world.afterKill()).open().records

        let expected = events.map { $0.event.asRecorded(by: $0.origin) }
        #expect(records.map(\.event) == expected)
        #expect(replayed.map(\.event) == expected)
        #expect(JournalVerifier.verify(MemoryDisk(world: rig.world)).findings == [])
    }

    @Test("writes the lines of an ordinary purchase without a word on attempts")
    func ordinaryLines() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        var submitted = Samples.transaction(1, .submitted, revision: 2)
        submitted.attempt = 1
        try journal.commit([
            (.productRecorded(Samples.coins), nil), (Samples.added(1), nil),
            (.transaction(.submitted(key: nil), submitted), nil),
        ])
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("journal-") })
        let text = String(decoding: rig.world.files[name] ?? [], as: UTF8.self)
        #expect(!text.contains("attempt") && !text.contains("confirmed"))
    }

    @Test("keeps the longest records that the bounds admit below the limit of a line")
    func longestRecords() throws {
        func longest(_ count: Int) -> OpaqueText {
            OpaqueText(String(repeating: "\u{1}", count: count))
        }
        let orders = (0..<RecordBounds.ordersPerRevocation).map { Samples.orderID(UInt64($0)) }
        let reason = longest(RecordBounds.revocationReasonBytes).string
        let revocation = Revocation(
            account: longest(256), products: orders.map { _ in longest(256) }, orders: orders,
            revocations: orders.map { _ in OrderRevocation(at: Samples.time, reason: reason) })
        var transaction = Samples.transaction(1)
        let text = longest(RecordBounds.configurableTextBytes)
        transaction.account = longest(256)
        transaction.payment.appAccountToken = text
        let origin = Origin(
            uid: .max, client: longest(128), connection: .max, request: .max, trace: text)
        let address = longest(RecordBounds.productTextBytes).string
        let product = RecordedProduct(
            number: 2,
            product: Product(
                productIdentifier: longest(256), type: .consumable, localizedTitle: address,
                localizedDescription: address, iconURL: address,
                price: Samples.price("1", "EUR")),
            country: Samples.country("DE"))
        let journal = try StorageRig().open().journal
        try journal.commit([
            (.productRecorded(Samples.coins), nil), (.productRecorded(product), origin),
            (.transaction(.added(key: text), transaction), origin),
            (.entitlementsRevoked(revocation), nil),
            (
                .questionClosed(
                    QuestionClosing(
                        id: Samples.questionID(1), account: longest(256), value: true,
                        reason: .answered, note: longest(RecordBounds.noteBytes))), origin
            ),
            (
                .acknowledged(observer: longest(RecordBounds.observerNameBytes), upTo: 1), origin
            ),
        ])
        #expect(try journal.records(after: 0, count: 10).count == 6)
    }

    @Test("numbers lines from its own header on and tells its head by events")
    func numbering() throws {
        let journal = try StorageRig().open().journal
        #expect(journal.head == 0)
        #expect(journal.oldest == 1)
        #expect(journal.append(.started(incarnation: 1), time: Samples.time, origin: nil) == 2)
        #expect(journal.head == 2)
        try journal.commit()
        try journal.markIdle()
        #expect(journal.head == 2)
        #expect(journal.append(.started(incarnation: 2), time: Samples.time, origin: nil) == 4)
    }

    @Test("keeps store and epoch over restarts")
    func identity() throws {
        let rig = StorageRig()
        let first = try rig.open()
        let format = first.journal.log.format
        #expect((1...64).contains(first.journal.epoch.utf8.count))
        let second = try StorageRig(world: rig.world.afterKill()).open()
        #expect(second.journal.log.format == format)
    }

    @Test("takes a commit of nothing for nothing")
    func emptyCommit() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit()
        #expect(rig.world.calls(.syncData) == 0)
    }

    @Test("writes and syncs a batch once, however many lines it has")
    func groupCommit() throws {
        let rig = StorageRig(policy: JournalPolicy(reserveBytes: 0))
        let journal = try rig.open().journal
        let writes = rig.world.calls(.write)
        try journal.commitNumbers(1...10)
        #expect(rig.world.calls(.write) == writes + 1)
        #expect(rig.world.calls(.syncData) == 1)
    }

    @Test("syncs data for commits and for nothing else")
    func onlyCommitsSyncData() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        #expect(rig.world.calls(.syncData) == 0)
        for number in 1...200 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        #expect(rig.world.calls(.syncData) == 200)
    }

    @Test("marks an idle moment once")
    func idleMark() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.markIdle()
        #expect(rig.world.calls(.syncData) == 0)
        try journal.commitNumbers(1...1)
        try journal.markIdle()
        try journal.markIdle()
        #expect(rig.world.calls(.syncData) == 2)
    }

    @Test("goes on over many segments and starts")
    func manySegments() throws {
        var world = MemoryDiskWorld()
        for round in 0..<10 as Range<UInt64> {
            let opened = try StorageRig(world: world).open()
            #expect(opened.records.numbers == Array(1..<(round * 50 + 1)))
            for number in 1...50 as ClosedRange<UInt64> {
                try opened.journal.commitNumbers(round * 50 + number...round * 50 + number)
            }
            if round.isMultiple(of: 2) { try opened.journal.close() }
            world = world.afterKill()
        }
        let names = world.files.keys.filter { $0.hasPrefix("journal-") }
        #expect(names.count > 5)
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
    }
}

extension Event {
    /// What a journal gives back: a transaction's last change is told by the line, not by itself.
    func asRecorded(by origin: Origin?) -> Event {
        guard case .transaction(let change, var transaction) = self else { return self }
        transaction.updatedAt = Samples.time
        transaction.origin = origin
        return .transaction(change, transaction)
    }
}

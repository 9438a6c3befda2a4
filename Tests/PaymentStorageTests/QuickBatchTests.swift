import Glibc
import PaymentCore
import PaymentTesting
import StrictJSON
import Synchronization
import Testing

@testable import PaymentStorage

/// Records its calls, and returns false for one of them.
final class BatchReplay: LogReplay {
    enum Call: Equatable {
        case item, loaded, record, finished
        /// So many transactions of a snapshot, received on the thread that reads or on another.
        case snapshot(Int, onOtherThread: Bool)
        /// So many transactions of a journal.
        case journal(Int, onOtherThread: Bool)
    }

    private let reader = pthread_self()
    private let seen = Mutex<[Call]>([])
    private let doubt: Call?

    init(inDoubtAbout doubt: Call? = nil) {
        self.doubt = doubt
    }

    var calls: [Call] { seen.withLock { $0 } }

    @discardableResult
    private func keep(_ call: Call) -> Bool {
        seen.withLock { $0.append(call) }
        return call != doubt
    }

    private var isOnOtherThread: Bool { pthread_equal(pthread_self(), reader) == 0 }

    func load(_ item: SnapshotItem) { keep(.item) }
    func didLoad(upTo position: SequenceNumber) { keep(.loaded) }
    func replay(_ record: Record) { keep(.record) }
    func finishBatches() -> Bool { keep(.finished) }

    func load(_ batch: PlainBatch) -> Bool {
        keep(.snapshot(batch.transactions.count, onOtherThread: isOnOtherThread))
    }

    func replay(added batch: PlainBatch) -> Bool {
        keep(.journal(batch.transactions.count, onOtherThread: isOnOtherThread))
    }
}

@Suite("Batches of waiting transactions")
struct QuickBatchTests {
    /// Lines of a snapshot in one piece of bytes.
    private func piece(_ numbers: ClosedRange<UInt64>) throws -> [LineContent] {
        var writer = JSONWriter()
        var ranges: [Range<Int>] = []
        for number in numbers {
            let start = writer.bytes.count
            writer.raw(#"{"t":"transaction","d":{"newestEvent":1,"transaction":"#)
            writer.transaction(Samples.transaction(number), snapshot: true)
            writer.raw("}}")
            ranges.append(start..<writer.bytes.count)
            writer.raw("\n")
        }
        let bytes = writer.bytes
        return try ranges.map { try #require(LineContent(snapshotLine: $0, in: bytes)) }
    }

    /// Passes lines on that are one piece.
    private func take(
        _ numbers: ClosedRange<UInt64>, into batches: inout PlainBatches
    ) throws {
        for content in try piece(numbers) {
            let isTaken = try batches.take(content)
            #expect(isTaken)
        }
    }

    private func batches(_ replay: BatchReplay) -> PlainBatches {
        var batches = PlainBatches(replay)
        batches.note(Samples.coins)
        return batches
    }

    @Test("are the lines of one piece; a large one is applied on another thread, a small one here")
    func pieces() throws {
        let replay = BatchReplay()
        var batches = batches(replay)
        for numbers in [1...100, 101...103] as [ClosedRange<UInt64>] {
            try take(numbers, into: &batches)
        }
        try batches.flush()
        // Nothing is passed on or completed twice.
        try batches.flush()
        try batches.end()
        #expect(
            replay.calls == [
                .snapshot(100, onOtherThread: true), .snapshot(3, onOtherThread: false), .finished,
            ])
    }

    @Test("are not applied behind one that is in doubt", arguments: [1, 100])
    func nothingBehindDoubt(count: UInt64) throws {
        let doubt = BatchReplay.Call.snapshot(90, onOtherThread: true)
        let replay = BatchReplay(inDoubtAbout: doubt)
        var batches = batches(replay)
        for numbers in [1...90, 101...100 + count] as [ClosedRange<UInt64>] {
            try take(numbers, into: &batches)
        }
        #expect(throws: PayloadFault.self) { try batches.flush() }
        #expect(replay.calls == [doubt])
        try batches.end()
    }

    @Test(
        "that are in doubt at the end are reported",
        arguments: [
            (3, .journal(3, onOtherThread: false)), (3, .finished),
            (90, .journal(90, onOtherThread: true)), (90, .finished),
        ] as [(UInt64, BatchReplay.Call)])
    func doubtAtTheEnd(count: UInt64, doubt: BatchReplay.Call) throws {
        let rig = try store(count)
        let replay = BatchReplay(inDoubtAbout: doubt)
        #expect(throws: StorageError.self) {
            try LocalLog.read(
                in: rig.stateDirectory(), settings: rig.settings, replay, quickly: true)
        }
        #expect(replay.calls.last == doubt)
    }

    @Test("in doubt before another record refuse the files, and no failure of the disk is named")
    func doubtInTheMiddle() throws {
        let rig = try store(90) { journal in try journal.commitNumbers(1...1) }
        let replay = BatchReplay(inDoubtAbout: .journal(90, onOtherThread: true))
        #expect {
            try LocalLog.read(
                in: rig.stateDirectory(), settings: rig.settings, replay, quickly: true)
        } throws: { error in
            guard case StorageError.refused(let refusal) = error else { return false }
            return refusal.reason == .inconsistentRecord
        }
    }

    /// A journal with some transactions behind a product.
    private func store(
        _ count: UInt64, _ extra: (LocalLog) throws -> Void = { _ in }
    ) throws -> StorageRig {
        let rig = StorageRig(policy: JournalPolicy(reserveBytes: 0))
        let journal = try rig.open().journal
        try journal.commit([(.productRecorded(Samples.coins), nil)])
        try journal.commit((1...count).map { (event: Samples.added($0), origin: nil) })
        try extra(journal)
        return StorageRig(world: rig.world.afterKill(), policy: rig.policy)
    }

    @Test("of a snapshot are applied before its end is told", arguments: [3, 90] as [UInt64])
    func endOfSnapshot(count: UInt64) throws {
        let rig = StorageRig(policy: JournalPolicy(reserveBytes: 0))
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        let ticket = try #require(try journal.log.beginSnapshot())
        _ = try LocalLog.writeSnapshot(ticket) { body in
            body(.product(Samples.coins))
            for number in 1...count {
                body(
                    .transaction(
                        Samples.transaction(number), key: nil, newestEvent: 1, user: nil))
            }
        }
        try journal.commitNumbers(2...2)
        let next = StorageRig(world: rig.world.afterKill(), policy: rig.policy)
        let replay = BatchReplay()
        _ = try LocalLog.read(
            in: next.stateDirectory(), settings: next.settings, replay, quickly: true)
        #expect(
            replay.calls == [
                .item, .snapshot(Int(count), onOtherThread: count > 64), .finished, .loaded,
                .record,
            ])
    }
}

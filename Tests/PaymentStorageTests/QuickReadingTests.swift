import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("Reading in the short way")
struct QuickReadingTests {
    private static let lines = 400

    static func decoders() throws -> (plain: PlainDecoder, general: EventDecoder) {
        var decoders = (plain: PlainDecoder(), general: EventDecoder())
        for product in [Samples.coins, Samples.pro] {
            try decoders.general.note(product)
            decoders.plain.note(product)
        }
        return decoders
    }

    @Test(
        "finds in a line of a snapshot what the general way finds, whatever was changed in it",
        arguments: 1...50)
    func snapshotLines(seed: UInt64) throws {
        var maker = LineMaker(seed: seed)
        var (short, general) = try Self.decoders()
        for _ in 0..<Self.lines {
            let (line, isPlain) = maker.snapshotLine()
            let content = try #require(LineContent(snapshotLine: line.indices, in: line))
            let plain = short.transaction(content)
            #expect((plain != nil) == isPlain, "\(content.text)")
            for bytes in [line, maker.mutate(line), maker.mutate(line)] {
                guard let content = LineContent(snapshotLine: bytes.indices, in: bytes),
                    let plain = short.transaction(content)
                else { continue }
                let item = try general.item(content)
                #expect(try item == plain.item(in: bytes, short), "\(content.text)")
            }
        }
    }

    @Test(
        "finds in a line of a journal what the general way finds, whatever was changed in it",
        arguments: 1...50)
    func journalLines(seed: UInt64) throws {
        var maker = LineMaker(seed: seed)
        var (short, general) = try Self.decoders()
        for _ in 0..<Self.lines {
            let (line, isPlain) = maker.journalLine()
            let plain = short.added(try #require(Self.journalLine(line)))
            #expect((plain != nil) == isPlain, "\(String(decoding: line, as: UTF8.self))")
            for bytes in [line, maker.mutate(line), maker.mutate(line)] {
                guard let line = Self.journalLine(bytes), let plain = short.added(line) else {
                    continue
                }
                let found = try general.record(line)
                let record = try #require(found)
                guard case .transaction(.added(let key), let transaction) = record.event else {
                    Issue.record("another event: \(line.content.text)")
                    continue
                }
                let item = SnapshotItem.transaction(
                    transaction, key: key, newestEvent: record.sequence, user: record.origin?.uid)
                #expect(try item == plain.item(in: bytes, short), "\(line.content.text)")
            }
        }
    }

    @Test(
        "finds in a line of an archive file the keys that the general way finds", arguments: 1...50)
    func archiveLines(seed: UInt64) throws {
        var maker = LineMaker(seed: seed)
        var readInShort = 0
        for _ in 0..<Self.lines {
            let (line, isPlain) = maker.finishedLine()
            for bytes in [line, maker.mutate(line), maker.mutate(line)] {
                guard let content = LineContent(snapshotLine: bytes.indices, in: bytes) else {
                    continue
                }
                var short = IndexEntries(KeyedHash(ClosedModel.store))
                let isRead = short.addPlain(content, 7)
                #expect(isRead || !isPlain || bytes != line, "\(content.text)")
                readInShort += isRead ? 1 : 0
                var general = IndexEntries(KeyedHash(ClosedModel.store))
                if isRead { try general.addAny(content, 7) }
                #expect(short.sections == general.sections, "\(content.text)")
            }
        }
        #expect(readInShort > Self.lines / 2)
    }

    @Test("hashes equal bytes equally wherever they are, and different ones differently")
    func hashes() {
        let keyed = KeyedHash(ClosedModel.store)
        var seen: Set<UInt64> = []
        for count in 0..<40 {
            let text = String(repeating: "x", count: count)
            let bytes = Array("+++\(text)".utf8)[3...]
            let hash = keyed.hash(bytes.span.bytes)
            let other = keyed.hash(text.utf8.span.bytes)
            #expect(hash == other)
            #expect(seen.insert(hash).inserted)
        }
    }

    static func journalLine(_ bytes: [UInt8]) -> JournalLine? {
        bytes.withUnsafeBytes { LineFormat.start(in: $0, at: 0) }
            .flatMap { JournalLine(start: $0, bytes: bytes, range: bytes.indices) }
    }
}

extension PlainTransaction {
    /// The item of a snapshot that stands for it.
    fileprivate func item(in bytes: [UInt8], _ decoder: PlainDecoder) throws -> SnapshotItem {
        let known = [Samples.coins, Samples.pro]
        let recorded = try #require(known.first { $0.number == self.product })
        let recent = decoder.recent
        func text(_ part: Range<Int>) -> OpaqueText {
            OpaqueText(String(decoding: bytes[part], as: UTF8.self))
        }
        var transaction = Transaction(
            id: id, account: account.map { recent.accounts.texts[Int($0)] },
            payment: Payment(product: recorded, appAccountToken: appAccountToken.map(text)),
            state: .waiting, country: country, reason: .purchase, attempt: attempt,
            isConfirmed: isConfirmed, revision: revision, createdAt: createdAt,
            updatedAt: updatedAt)
        transaction.origin = author.map { author in
            Origin(
                uid: author.uid, client: author.client.map { recent.clients.texts[Int($0)] },
                connection: author.connection,
                request: author.request)
        }
        return .transaction(
            transaction, key: key.map(text), newestEvent: newestEvent, user: user)
    }
}

extension PlainDecoder {
    /// The transaction of a line of a snapshot; nil if it needs the general way.
    mutating func transaction(_ content: LineContent) -> PlainTransaction? {
        var found = PlainBatch(bytes: content.bytes)
        let isRead = transaction(content, into: &found)
        #expect(found.transactions.count == (isRead ? 1 : 0))
        return found.transactions.first
    }

    /// The transaction of a line of the journal; nil if it needs the general way.
    mutating func added(_ line: JournalLine) -> PlainTransaction? {
        var found = PlainBatch(bytes: line.content.bytes)
        let isRead = added(line, into: &found)
        #expect(found.transactions.count == (isRead ? 1 : 0))
        return found.transactions.first
    }
}

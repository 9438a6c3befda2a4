import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

/// Lines that the short way of reading must leave to the general way.
@Suite("A line that is not read in the short way")
struct QuickLayoutTests {
    private static let id = Samples.transactionID(1)
    private static let time = "\"\(Samples.time)\""
    private static let author = #""by":{"client":"shop","conn":12,"req":3,"uid":1000},"#

    /// The members of a transaction that waits, without those that are in its line.
    private static let members =
        #"{"account":"demo","appAccountToken":"user","attempt":2,"confirmed":true,"#
        + #""country":"DE","createdAt":\#(time),"id":"\#(id)","key":"k1","p":1,"#
        + #""product":"coins.100","reason":"purchase","revision":1,"state":"waiting""#

    private static let snapshotLine =
        #"{"t":"transaction","d":{"newestEvent":12,"transaction":"#
        + members.replacing(#""confirmed""#, with: author + #""confirmed""#)
        + #","updatedAt":\#(time)},"user":1000}}"#

    private static let journalLine =
        #"{"c":"00000000","s":13,"b":13,"t":"added","at":\#(time),\#(author)"d":\#(members)}}"#

    private static let archiveLine =
        #"{"t":"finished","d":{"at":\#(time),"transaction":\#(members)}}}"#

    /// The transactions that both ways find in a line of a snapshot; nil where there is none.
    private func read(
        snapshotLine text: String
    ) throws -> (plain: PlainTransaction?, general: SnapshotItem?) {
        var (short, general) = try QuickReadingTests.decoders()
        let bytes = Array(text.utf8)
        let content = try #require(LineContent(snapshotLine: bytes.indices, in: bytes))
        return (short.transaction(content), try? general.item(content))
    }

    private func plain(journalLine text: String) throws -> PlainTransaction? {
        var (short, _) = try QuickReadingTests.decoders()
        return short.added(try #require(QuickReadingTests.journalLine(Array(text.utf8))))
    }

    private func isPlain(archiveLine text: String) throws -> Bool {
        let bytes = Array(text.utf8)
        let content = try #require(LineContent(snapshotLine: bytes.indices, in: bytes))
        var entries = IndexEntries(KeyedHash(ClosedModel.store))
        return entries.addPlain(content, 7)
    }

    @Test("differs in one part from one that is")
    func usual() throws {
        #expect(try read(snapshotLine: Self.snapshotLine).plain != nil)
        #expect(try read(snapshotLine: Self.snapshotLine).general != nil)
        #expect(try plain(journalLine: Self.journalLine) != nil)
        #expect(try isPlain(archiveLine: Self.archiveLine))
    }

    @Test(
        "has a member that would be lost",
        arguments: [
            (#""attempt""#, #""askedToken":"other","attempt""#),
            (#""confirmed""#, #""charged":"9.90 EUR","confirmed""#),
            (#","id""#, #","effectiveAt":\#(time),"id""#),
            (#","p""#, #","offer":"alreadyOwned","p""#),
            (#","p""#, #","order":"\#(id)","p""#),
            (#","p""#, #","original":"\#(id)","p""#),
            (#","revision""#, #","removal":"withdrawn","revision""#),
        ])
    func furtherMembers(part: String, changed: String) throws {
        let found = try read(snapshotLine: Self.snapshotLine.replacing(part, with: changed))
        #expect(found.plain == nil)
        #expect(found.general != nil)
        let line = Self.journalLine.replacing(part, with: changed)
        #expect(try plain(journalLine: line) == nil)
    }

    @Test(
        "has a number that no way accepts",
        arguments: [#""user":1000"#, #""attempt":2"#, #""revision":1"#, #""uid":1000"#])
    func largeNumbers(member: String) throws {
        let name = try #require(member.split(separator: ":").first)
        let changed = Self.snapshotLine.replacing(member, with: "\(name):4294967296")
        let found = try read(snapshotLine: changed)
        #expect(found.plain == nil)
        #expect(found.general == nil)
    }

    @Test(
        "lacks a comma that the writer always leaves",
        arguments: [
            (#""demo","#, #""demo""#), (#""user","attempt""#, #""user""attempt""#),
            (#"1000},"confirmed""#, #"1000}"confirmed""#), (#""attempt":2,"#, #""attempt":2"#),
        ])
    func missingCommas(part: String, changed: String) throws {
        let line = Self.snapshotLine.replacing(part, with: changed, maxReplacements: 1)
        #expect(line != Self.snapshotLine)
        #expect(try read(snapshotLine: line).plain == nil)
    }

    @Test(
        "of an archive file lacks a comma behind a member that only closed things have",
        arguments: [
            (#""attempt""#, #""askedToken":"other""#), (#""confirmed""#, #""charged":"9.90 EUR""#),
        ])
    func missingCommasOfArchives(before: String, member: String) throws {
        let whole = Self.archiveLine.replacing(before, with: member + "," + before)
        #expect(try isPlain(archiveLine: whole))
        let lacking = Self.archiveLine.replacing(before, with: member + before)
        #expect(try !isPlain(archiveLine: lacking))
    }

    @Test(
        "of an archive file lacks a part, or goes on",
        arguments: [
            (#""closed":12"#, #""closed":"#), (#","transaction":"#, ""),
            ("}}}", #"}}},"more":{}}"#),
        ])
    func brokenLineOfArchive(part: String, changed: String) throws {
        let whole = Self.archiveLine.replacing(
            #","transaction""#, with: #","closed":12,"transaction""#)
        #expect(try isPlain(archiveLine: whole))
        let broken = whole.replacing(part, with: changed)
        #expect(broken != whole)
        #expect(try !isPlain(archiveLine: broken))
    }

    @Test("of a journal names the time or the author of the change a second time, or goes on")
    func furtherParts() throws {
        let changes = [
            (#""attempt":2,"#, #""attempt":2,"by":{"conn":1,"req":1,"uid":1},"#),
            (#""waiting"}"#, #""waiting","updatedAt":\#(Self.time)}"#),
            (#""waiting"}}"#, #""waiting"}},"more":{}}"#),
        ]
        for (part, changed) in changes {
            let line = Self.journalLine.replacing(part, with: changed)
            #expect(line != Self.journalLine)
            #expect(try plain(journalLine: line) == nil, "\(changed)")
        }
        #expect(try read(snapshotLine: Self.snapshotLine + #","more":{}}"#).plain == nil)
    }

    @Test(
        "has one more account or client than can be numbered",
        arguments: [#""account":"demo""#, #""client":"shop""#])
    func manyTexts(member: String) throws {
        var (short, _) = try QuickReadingTests.decoders()
        let line = Self.snapshotLine
        let place = try #require(line.firstRange(of: member))
        let name = try #require(member.split(separator: ":").first)
        let (before, behind) = (Array(line[..<place.lowerBound].utf8), line[place.upperBound...])
        let end = Array(behind.utf8)
        func found(_ number: Int) throws -> PlainTransaction? {
            let bytes = before + Array("\(name):\"\(number)\"".utf8) + end
            let content = try #require(LineContent(snapshotLine: bytes.indices, in: bytes))
            return short.transaction(content)
        }
        for number in 0..<4096 {
            let isRead = try found(number) != nil
            #expect(isRead, "\(number)")
        }
        #expect(try found(4096) == nil)
        // Those that have a number keep it.
        #expect(try found(0) != nil)
        #expect(try found(4095) != nil)
    }

    @Test("has a product with a large number, which must not decide how much memory a start takes")
    func largeProductNumbers() throws {
        var (short, general) = try QuickReadingTests.decoders()
        func product(_ number: UInt32) -> RecordedProduct {
            RecordedProduct(
                number: number, product: Samples.coins.product, country: Samples.coins.country)
        }
        for (number, isPlain) in [(65_535, true), (65_536, false)] as [(UInt32, Bool)] {
            try general.note(product(number))
            short.note(product(number))
            let bytes = Array(Self.snapshotLine.replacing(#""p":1"#, with: "\"p\":\(number)").utf8)
            let content = try #require(LineContent(snapshotLine: bytes.indices, in: bytes))
            let plain = short.transaction(content)
            #expect((plain != nil) == isPlain)
            let item = try general.item(content)
            #expect(item != nil)
        }
        try general.note(product(1 << 24 - 1))
        #expect(throws: PayloadFault.self) { try general.note(product(1 << 24)) }
    }
}

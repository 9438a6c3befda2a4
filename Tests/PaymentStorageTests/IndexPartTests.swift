import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("The parts of an index")
struct IndexPartTests {
    @Test("a footer is read only as it was written, and whole")
    func footers() {
        let footer = IndexFooter(
            headerBytes: 4096, headerChecksum: 5, counts: IndexSection.allCases.map(\.rawValue),
            filterWords: 8, tailChecksum: 6)
        let bytes = footer.encoded
        #expect(IndexFooter(bytes) == footer)
        #expect(IndexFooter([]) == nil)
        #expect(IndexFooter(Array(bytes.dropLast())) == nil)
        // The checksum of another file may be right.
        var other = Array(bytes.dropLast(8))
        other[0] ^= 1
        other.append(number: UInt64(IndexFormat.checksum(other[...])))
        #expect(IndexFooter(other) == nil)
    }

    @Test(
        "a header names its store and its version",
        arguments: [
            ("payqueued-index", "payqueued-other"), (#""version":1"#, #""version":2"#),
            (#""version":1"#, #""version":"1""#),
        ])
    func headers(part: String, changed: String) throws {
        let header = IndexFormat.header([], of: ClosedModel.store)
        #expect(IndexFormat.files(header, of: ClosedModel.store) == [])
        #expect(IndexFormat.files(header, of: Samples.orderID(1).value) == nil)
        let text = String(decoding: header, as: UTF8.self)
        #expect(text.contains(part))
        let other = Array(text.replacing(part, with: changed).utf8)
        #expect(IndexFormat.files(other, of: ClosedModel.store) == nil)
    }

    @Test("a block that is cut is none")
    func blocks() {
        var block = [UInt8](repeating: 0, count: IndexFormat.blockBytes)
        IndexBlock.seal(&block, count: 3, section: 1, number: 2, seed: 4)
        #expect(IndexBlock.count(block[...], section: 1, number: 2, seed: 4) == 3)
        #expect(IndexBlock.count(block[..<8], section: 1, number: 2, seed: 4) == nil)
        #expect(IndexBlock.count([], section: 1, number: 2, seed: 4) == nil)
    }

    @Test("a filter without keys has none")
    func emptyFilter() {
        #expect(!KeyFilter(capacity: 0).mayContain(1))
    }
}

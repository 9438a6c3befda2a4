import Crypto
import PaymentCore
import PaymentSandbox
import StrictJSON

@testable import PaymentStorage

/// The file of a snapshot, as it is, and with a last line that makes it right.
enum Snapshots {
    private static let name = "snapshot"

    static func check(_ input: [UInt8]) throws(Violation) {
        if let file = open(input) { try read(file) }
        var bytes = input
        if bytes.last != 10 { bytes.append(10) }
        var digest = SHA256()
        digest.update(bytes)
        var writer = JSONWriter(capacity: 128)
        let lines = bytes.count { $0 == 10 }
        let trailer = SnapshotTrailer(
            lines: UInt64(lines), digest: digest.hex, sumOfLines: LineFormat.sum(bytes, after: 0))
        trailer.encode(into: &writer)
        bytes += writer.bytes + [10]
        guard let file = open(bytes) else { return }
        try read(file)
        try checkHeader(file.header)
    }

    private static func open(_ bytes: [UInt8]) -> SnapshotFile? {
        try? SnapshotFile(verifying: name, on: GivenDisk([name: bytes]))
    }

    private static func read(_ file: SnapshotFile) throws(Violation) {
        var known = try KnownProducts()
        do {
            try file.forEachItem { try check($0, &known) }
        } catch let violation as Violation {
            throw violation
        } catch {
            // The file is refused.
        }
    }

    private static func checkHeader(_ header: SnapshotHeader) throws(Violation) {
        var writer = JSONWriter(capacity: 512)
        header.encode(into: &writer)
        let bytes = writer.bytes
        let again = try reading { () throws(PayloadFault) in try SnapshotHeader(bytes[...]) }
        var second = JSONWriter(capacity: 512)
        again.encode(into: &second)
        try require(
            second.bytes == bytes, "another header: \(String(decoding: bytes, as: UTF8.self))")
    }

    private static func check(
        _ content: LineContent, _ known: inout KnownProducts
    ) throws(Violation) {
        if let record = content.storeRecord { try checkStore(record) }
        guard let item = try known.item(content) else { return }
        let sink = ItemLine()
        sink.add(item)
        let bytes = sink.bytes
        guard let written = LineContent(snapshotLine: bytes.indices, in: bytes) else {
            throw Violation("written again, it is not an item: \(item)")
        }
        let again = try known.item(written)
        try require(again == item, "written again, \(item) is \(again as Any)")
    }

    private static func checkStore(_ record: StoreRecord) throws(Violation) {
        guard let written = rewritten(record) else { return }
        try JournalLines.checkForm(of: written) { record throws(Violation) in rewritten(record) }
    }

    private static func rewritten(_ record: StoreRecord) -> StoreRecord? {
        guard let payload = try? JSONValue(parsing: record.payload),
            let item = try? SandboxSnapshotItem(typeWord: record.word, payload: payload)
        else { return nil }
        var writer = JSONWriter(capacity: 512)
        item.encodePayload(into: &writer)
        return StoreRecord(word: "\(item.typeWord)", payload: writer.bytes)
    }
}

/// The line of an item.
private final class ItemLine: ItemSink {
    private(set) var bytes: [UInt8] = []

    func item(_ word: StaticString, payload: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        writer.raw("{\"t\":\"")
        writer.raw(word)
        writer.raw("\",\"d\":")
        payload(&writer)
        writer.raw("}")
        bytes = writer.bytes
    }
}

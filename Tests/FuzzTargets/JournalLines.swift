import PaymentCore
import PaymentSandbox
import StrictJSON

@testable import PaymentStorage

/// Lines of a journal. Their checksums are set right first: a reader looks at no others.
enum JournalLines {
    private static let lineLimit = 32

    static func check(_ input: [UInt8]) throws(Violation) {
        var known = try KnownProducts()
        var chain: UInt32 = 0
        for text in input.split(separator: 10).prefix(lineLimit) {
            // A line does not begin where its bytes do.
            var bytes: [UInt8] = [10]
            bytes += text
            let range = 1..<bytes.count
            guard let checksum = seal(&bytes, range, seed: chain) else { continue }
            chain = checksum
            let start = bytes.withUnsafeBytes {
                LineFormat.start(in: UnsafeRawBufferPointer(rebasing: $0[range]), at: 0)
            }
            guard let start, let line = JournalLine(start: start, bytes: bytes, range: range)
            else { continue }
            try check(line, &known)
        }
    }

    /// Sets the checksum of a line.
    ///
    /// - Returns: The checksum; nil if the bytes are not a line.
    static func seal(_ bytes: inout [UInt8], _ range: Range<Int>, seed: UInt32) -> UInt32? {
        guard range.count > LineFormat.coveredOffset else { return nil }
        let checksum = bytes.withUnsafeBytes {
            LineFormat.checksum(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed)
        }
        LineFormat.put(checksum, into: &bytes, lineAt: range.lowerBound)
        return bytes.withUnsafeBytes {
            LineFormat.verify(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed)
        }
    }

    private static func check(
        _ line: JournalLine, _ known: inout KnownProducts
    ) throws(Violation) {
        _ = line.content.payload
        if line.content.isWord("segment") { try checkHeader(line) }
        if line.content.isWord("seal") { _ = try? SegmentSeal(line) }
        if let record = line.content.storeRecord { try checkStore(record) }
        guard let record = try known.record(line) else { return }
        var writer = LineWriter(chain: 0, next: line.sequence, lineLimit: 1 << 20, capacity: 1024)
        _ = writer.line(EventCoding.word(record.event), time: record.time, origin: record.origin) {
            EventCoding.encode(record.event, into: &$0)
        }
        let again = try known.record(try read(writer.bytes))
        try require(again == record, "written again, \(record) is \(again as Any)")
    }

    /// A line that was written.
    private static func read(_ bytes: [UInt8]) throws(Violation) -> JournalLine {
        let range = 0..<bytes.count - 1
        let start = bytes.withUnsafeBytes { LineFormat.start(in: $0, at: 0) }
        guard let start, let line = JournalLine(start: start, bytes: bytes, range: range) else {
            throw Violation("not a line: \(String(decoding: bytes, as: UTF8.self))")
        }
        return line
    }

    /// The counts of a header can be added up, and it is written as it was read.
    private static func checkHeader(_ line: JournalLine) throws(Violation) {
        guard let header = try? SegmentHeader(line) else { return }
        let counts = [header.number, header.lastEvent, header.storeBytes]
        try require(counts.allSatisfy { $0 < LineFormat.sequenceLimit }, "too large: \(header)")
        var writer = LineWriter(chain: 0, next: line.sequence, lineLimit: 1 << 20, capacity: 1024)
        _ = writer.line("segment", time: Timestamp(milliseconds: 0), origin: nil) {
            header.encode(into: &$0)
        }
        let written = try read(writer.bytes)
        try require((try? SegmentHeader(written)) == header, "written again, another: \(header)")
    }

    /// A record of the embedded store that can be read is written in one form.
    private static func checkStore(_ record: StoreRecord) throws(Violation) {
        guard let payload = try? JSONValue(parsing: record.payload),
            let event = try? SandboxEvent(typeWord: record.word, payload: payload)
        else { return }
        try checkForm(of: StoreRecord(event)) { record throws(Violation) in
            guard let payload = try? JSONValue(parsing: record.payload),
                let event = try? SandboxEvent(typeWord: record.word, payload: payload)
            else { return nil }
            return StoreRecord(event)
        }
    }

    /// Checks that a record which was written reads as itself.
    static func checkForm(
        of record: StoreRecord, _ rewritten: (StoreRecord) throws(Violation) -> StoreRecord?
    ) throws(Violation) {
        let again = try rewritten(record)
        let text = String(decoding: record.payload, as: UTF8.self)
        let other = again.map { String(decoding: $0.payload, as: UTF8.self) }
        try require(again == record, "\(record.word) \(text) is read as \(other as Any)")
    }
}

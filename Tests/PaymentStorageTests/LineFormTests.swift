import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentStorage

/// The first look at a line, before its values are decoded.
@Suite("The form of a line")
struct LineFormTests {
    private static let line =
        #"{"c":"8f3a01bc","s":1042,"b":1040,"t":"started","at":"2026-11-21T09:00:00.123Z","#
        + #""d":{"incarnation":3}}"#

    private func start(of text: some StringProtocol) -> LineFormat.Start? {
        Array(text.utf8).withUnsafeBytes { LineFormat.start(in: $0, at: 0) }
    }

    @Test(
        "has one beginning, and nothing that is only like it passes for one",
        arguments: [
            (#"{"c":"#, #"{"x":"#), ("8f3a", "8F3A"), (#","s":"#, #","x":"#), ("1042", ""),
            ("1042", "01042"), ("1042", "9007199254740992"), (#","b":"#, #","x":"#), ("1040", ""),
            ("1040", "x"), (#","t":"#, #","x":"#),
        ] as [(String, String)])
    func beginnings(part: String, other: String) throws {
        let start = try #require(self.start(of: Self.line))
        #expect(start.sequence == 1042 && start.batch == 1040)
        let changed = Self.line.replacing(part, with: other, maxReplacements: 1)
        #expect(self.start(of: changed) == nil)
    }

    @Test("a checksum has eight digits, of lower case")
    func checksums() {
        #expect(LineFormat.checksum(hex: "8f3a01bc") == 0x8F3A_01BC)
        for text in ["", "8f3a01b", "08f3a01bc", "8F3A01BC", "+8f3a01b"] {
            #expect(LineFormat.checksum(hex: text) == nil, "\(text)")
        }
    }

    @Test(
        "zeros and line feeds behind the last line are its end, and anything else is damage",
        arguments: [true, false])
    func blanks(isBlank: Bool) throws {
        let world = MemoryDiskWorld()
        let line = Forged.bytes([Forged.line(1, "mark", "{}")])
        world.put("lines", line + [0, 0, 10, 10, 0, 10] + (isBlank ? [] : [0x78, 10]))
        var scanner = SegmentScanner(
            file: try MemoryDisk(world: world).open("lines", .read), limit: line.count + 8,
            expected: 1, lineLimit: 1 << 16)
        guard case .line = try scanner.next() else {
            Issue.record("the line is not read")
            return
        }
        switch try scanner.next() {
        case .end: #expect(isBlank)
        case .damaged(let reason): #expect(!isBlank && reason == .badChecksum)
        case .line: Issue.record("a line of blanks")
        }
    }

    @Test("the places of the last 32 readers are kept, each once")
    func bookmarks() {
        var bookmarks = Bookmarks()
        func keep(_ sequence: SequenceNumber) {
            let entry = SparseIndex.Entry(sequence: sequence, offset: 0, chain: 0)
            bookmarks.keep(Bookmarks.Place(segment: 0, entry: entry))
        }
        keep(1)
        for number in 1...33 as ClosedRange<SequenceNumber> { keep(number) }
        #expect(bookmarks.take(0) == nil)
        for position in 1...32 as ClosedRange<SequenceNumber> {
            #expect(bookmarks.take(position)?.entry.sequence == position + 1)
            #expect(bookmarks.take(position) == nil)
        }
    }

    @Test("has no beginning where the bytes end before the type, whatever is behind them")
    func cutBeginning() throws {
        let bytes = Array(Self.line.utf8)
        let whole = try #require(start(of: Self.line))
        for end in LineFormat.coveredOffset..<whole.wordOffset {
            let found = bytes.withUnsafeBytes {
                LineFormat.start(in: UnsafeRawBufferPointer(rebasing: $0[..<end]), at: 0)
            }
            #expect(found == nil, "\(end) bytes")
        }
    }

    @Test("ends with a brace, also if the checksum is right")
    func lastByte() {
        func isVerified(_ text: String) -> Bool {
            var bytes = Array(text.utf8)
            let checksum = bytes.withUnsafeBytes { LineFormat.checksum($0, seed: 7) }
            LineFormat.put(checksum, into: &bytes, lineAt: 0)
            return bytes.withUnsafeBytes { LineFormat.verify($0, seed: 7) } == checksum
        }
        #expect(isVerified(Self.line))
        #expect(!isVerified(Self.line.dropLast() + "]"))
    }

    @Test("states a checksum, and none where the bytes are too few")
    func statedChecksum() {
        let bytes = Array(Self.line.utf8)
        #expect(LineFormat.checksum(ofLineAt: 0, in: bytes) == 0x8F3A_01BC)
        #expect(LineFormat.checksum(ofLineAt: 0, in: Array(bytes.prefix(13))) == 0)
    }

    @Test(
        "in a snapshot ends with the braces of its payload and of itself",
        arguments: [
            #"{"t":"counters","d":{"incarnation":3]}"#, #"{"t":"counters","d":{"incarnation":3}]"#,
            #"{"t":"counters","d":{"incarnation":3}"#, #"{"t":"counters","d":["incarnation":3}}"#,
            #"{"x":"counters","d":{"incarnation":3}}"#,
        ])
    func snapshotLines(text: String) {
        let good = Array(#"{"t":"counters","d":{"incarnation":3}}"#.utf8)
        #expect(LineContent(snapshotLine: good.indices, in: good)?.word == "counters")
        let bytes = Array(text.utf8)
        #expect(LineContent(snapshotLine: bytes.indices, in: bytes) == nil)
    }

    @Test("is read up to its end, although the bytes behind it would complete a value")
    func values() {
        let readers: [(text: String, read: (inout LineCursor) -> Bool)] = [
            ("account", { $0.skip("account") }),
            ("\(Samples.transactionID(1))\"", { $0.identifier() != nil }),
            ("DE\"", { $0.country() != nil }),
            ("a text that is longer than eight bytes\"", { $0.text() != nil }),
            (
                "\"\(Samples.time)\"",
                { cursor in
                    var recent = RecentValues()
                    return cursor.timestamp(&recent) != nil
                }
            ),
        ]
        for (text, read) in readers {
            let bytes = Array((text + #","more":1}}"#).utf8)
            let whole = text.utf8.count
            for end in 0...whole {
                let isRead = bytes.withUnsafeBytes { bytes in
                    var cursor = LineCursor(bytes, from: 0, to: end)
                    return read(&cursor)
                }
                #expect(isRead == (end == whole), "\(text) up to \(end)")
            }
        }
    }

    @Test(
        "of a snapshot's header counts below a limit, so that sums of counts do not overflow",
        arguments: ["last", "s", "segment"])
    func headerCounts(name: String) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { $0(.counters(incarnation: 3)) }
        let bytes = try #require(rig.world.files[receipt.name])
        let line = String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        let number = try Regex("\"\(name)\":[0-9]+")
        func header(_ count: UInt64) throws -> SnapshotHeader {
            let text = line.replacing(number, with: "\"\(name)\":\(count)")
            return try SnapshotHeader(Array(text.utf8)[...])
        }
        _ = try header(LineFormat.sequenceLimit - 1)
        #expect(throws: PayloadFault.self) { try header(LineFormat.sequenceLimit) }
    }

    @Test("leaves the memory of a usual batch to the next batch, and not that of a huge one")
    func memory() {
        var writer = LineWriter(chain: 0, next: 1, lineLimit: 1 << 24)
        func capacity(afterLineOf count: Int) -> Int {
            _ = writer.line("started", time: Samples.time, origin: nil) {
                $0.raw([UInt8](repeating: UInt8(ascii: "x"), count: count))
            }
            writer.beginBatch()
            return writer.bytes.capacity
        }
        #expect(capacity(afterLineOf: 1 << 18) >= 1 << 18)
        #expect(capacity(afterLineOf: 5 << 20) < 1 << 22)
    }
}

@Suite("The digest of a segment that grows")
struct RunningDigestTests {
    @Test("is computed on another thread, piece by piece, unless too many pieces wait")
    func background() {
        let piece = (0..<256 << 10).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let digest = RunningDigest()
        let other = RunningDigest()
        var works: [@Sendable () -> Void] = []
        func add(_ bytes: [UInt8]) -> Int {
            digest.update(bytes) { works.append($0) }
            other.update(bytes) { work in work() }
            return works.count
        }
        #expect(add([1, 2, 3]) == 0)
        for count in 1...16 { #expect(add(piece) == count) }
        // The thread that commits digests them itself now, and the next piece waits again.
        #expect(add(piece) == 16)
        #expect(add([4]) == 16)
        #expect(add(piece) == 17)
        for work in works { work() }
        #expect(digest.hex == other.hex)
        #expect(digest.hex(with: [5]) != digest.hex)
    }
}

import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentStorage

/// Wrong files and manifests with right checksums.
@Suite("A file of closed things")
struct ArchiveForgeryTests {
    private let world = MemoryDiskWorld()

    /// A difference from the file that a checkpoint wrote.
    enum Change: CaseIterable {
        case nothing, headerWord, format, version, kind, first, order, end, number, digest, count
        case behindSeal, longLine

        /// The reason that is given for its damage; nil if it is intact.
        var reason: String? {
            switch self {
            case .nothing: nil
            case .headerWord: "the header is missing"
            case .format: "the file has another format"
            case .version: "the file has another version"
            case .kind, .first: "the header is one of another file"
            case .order: "the sequence number 1 is out of order"
            case .end: "the sequence number 3 is out of order"
            case .number: "a line is malformed"
            case .digest, .count, .behindSeal: "the seal does not match"
            case .longLine: "a line is too long"
            }
        }

        /// Changes the lines: header, product, two transactions, seal.
        func apply(to lines: inout [String]) {
            switch self {
            case .nothing, .count: break
            case .headerWord: lines[0].replace("\"t\":\"archive\"", with: "\"t\":\"segment\"")
            case .format: lines[0].replace("payqueued-archive", with: "payqueued-journal")
            case .version: lines[0].replace("\"version\":1", with: "\"version\":2")
            case .kind: lines[0].replace("\"kind\":\"archive\"", with: "\"kind\":\"ledger\"")
            case .first: lines[0].replace("\"first\":1", with: "\"first\":2")
            case .order: lines[1].replace("\"s\":1,", with: "\"s\":2,")
            case .end:
                for line in 3...4 { lines[line].replace("\"s\":2,", with: "\"s\":3,") }
            case .number: lines[3].replace("\"s\":2,", with: "\"s\":9007199254740992,")
            case .digest: lines[4].replace("\"sha256\":\"", with: "\"sha256\":\"0")
            case .behindSeal: lines.append(lines[3])
            case .longLine:
                lines[4].replace("\"count\":3", with: "\"count\":4")
                let text = String(repeating: "x", count: 700_000)
                lines.insert(
                    "{\"c\":\"00000000\",\"s\":2,\"t\":\"note\",\"d\":{\"a\":\"\(text)\"}}", at: 4)
            }
        }
    }

    @Test(
        "is damaged if its content differs, even with right checksums", arguments: Change.allCases)
    func forged(_ change: Change) throws {
        let file = try ClosedFiles.make(1, of: 2, on: world).archives[0]
        var lines = Forged.texts(try #require(world.files[file.name]))
        #expect(lines.count == 5)
        change.apply(to: &lines)
        let bytes = Forged.bytes(lines)
        let more: UInt64 = change == .count || change == .longLine ? 1 : 0
        let claimed = ArchiveFile(
            kind: file.kind, first: file.first, last: file.last, bytes: bytes.count,
            lines: file.lines + more, oldest: file.oldest, newest: file.newest,
            digest: file.digest)
        world.put(file.name, bytes)
        let builder = try ClosedFiles.builder(world)
        let archives = try builder.index(builder.open(ArchiveManifest([claimed])))
        #expect(archives.damage.map(\.detail) == (change.reason.map { [$0] } ?? []))
    }

    @Test("that grew after it was opened is damaged")
    func grown() throws {
        let manifest = try ClosedFiles.make(1, of: 2, on: world)
        let file = manifest.archives[0]
        let builder = try ClosedFiles.builder(world)
        let opened = try builder.open(manifest)
        world.put(file.name, try #require(world.files[file.name]) + [10])
        let archives = try builder.index(opened)
        #expect(archives.damage.map(\.detail) == ["its length is not \(file.bytes)"])
    }

    @Test("has no line where none begins, nor behind a line feed that is gone")
    func places() throws {
        let manifest = try ClosedFiles.make(1, of: 2, on: world)
        let file = manifest.archives[0]
        var reader = ArchiveLineReader(MemoryDisk(world: world))
        #expect(throws: ArchiveFailure.self) { try reader.line(at: 0, of: file) }
        let builder = try ClosedFiles.builder(world)
        let archives = try builder.index(builder.open(manifest))
        let key = ClosedKey.transaction(Samples.transactionID(2))
        #expect(try archives.find(key)?.sequence == 2)
        var bytes = try #require(world.files[file.name])
        bytes[bytes.indices.filter { bytes[$0] == 10 }[2]] = 32
        world.put(file.name, bytes)
        let failure = #expect(throws: ClosedHistoryFailure.self) { try archives.find(key) }
        #expect(failure?.isDamage == true)
    }

    /// The part of a snapshot that names files.
    private static func content(_ text: String) throws -> LineContent {
        let bytes = Array("{\"t\":\"snapshot\",\"d\":\(text)}".utf8)
        return try #require(LineContent(snapshotLine: bytes.indices, in: bytes))
    }

    @Test(
        "that a snapshot describes in another way is refused, and not passed over",
        arguments: [
            ("\"first\":1,", "\"first\":1,"), ("\"first\":1,", "\"first\":0,"),
            ("\"last\":2,", "\"last\":0,"),
            ("\"lines\":3,", "\"lines\":-1,"), ("{\"1000\":2", "{\"1000\":-2"),
            ("{\"1000\":", "{\"demo\":"), ("\"archive\"", "\"journal\""),
        ])
    func manifest(text: String, other: String) throws {
        var file = try ClosedFiles.make(1, of: 2, on: world).archives[0]
        file = ArchiveFile(
            kind: file.kind, first: file.first, last: file.last, bytes: file.bytes,
            lines: file.lines, oldest: file.oldest, newest: file.newest, digest: file.digest,
            bytesByUser: [1000: 2])
        let files = HistoryFiles(id: ClosedModel.store, manifest: ArchiveManifest([file]))
        var writer = JSONWriter(capacity: 512)
        files.encode(into: &writer)
        let right = String(decoding: writer.bytes, as: UTF8.self)
        let content = try Self.content(right.replacing(text, with: other))
        guard text != other else {
            #expect(try HistoryFiles(content, content.payloadOffset) == files)
            return
        }
        #expect(right.contains(text))
        #expect(throws: PayloadFault.self) { try HistoryFiles(content, content.payloadOffset) }
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A refusal to start")
struct RefusalTests {
    /// A way to spoil a store, and what the start must say to it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: RecoveryRefusal.Reason
        let spoil: @Sendable (Store) throws -> Void

        init(
            _ name: String, _ reason: RecoveryRefusal.Reason,
            _ spoil: @escaping @Sendable (Store) throws -> Void
        ) {
            testDescription = name
            self.reason = reason
            self.spoil = spoil
        }
    }

    /// A store of several segments, killed.
    struct Store {
        let world: MemoryDiskWorld

        init() throws {
            let rig = StorageRig()
            let journal = try rig.open().journal
            for number in 1...250 as ClosedRange<UInt64> {
                try journal.commitNumbers(number...number)
            }
            try journal.markIdle()
            world = rig.world.afterKill()
        }

        var segments: [String] { world.segments }

        func change(_ name: String, _ edit: (inout [UInt8]) -> Void) {
            var bytes = world.files[name] ?? []
            edit(&bytes)
            world.put(name, bytes)
        }
    }

    static let cases: [Case] = [
        Case("a segment in the middle is gone", .missingSegment) {
            $0.world.drop($0.segments[1])
        },
        Case("the first segment is gone", .noUsableSnapshot) { $0.world.drop($0.segments[0]) },
        Case("all segments are gone", .missingSegment) { store in
            for name in store.segments { store.world.drop(name) }
        },
        Case("format.json is gone", .badFormatFile) { $0.world.drop("format.json") },
        Case("format.json is no JSON", .badFormatFile) {
            $0.world.put("format.json", Array("{".utf8))
        },
        Case("format.json is of another program", .badFormatFile) {
            $0.world.put(
                "format.json", Array(#"{"format":"x","version":1,"minimumReader":1}"#.utf8))
        },
        Case("the format is newer", .unsupportedVersion) { store in
            let text = String(decoding: store.world.files["format.json"] ?? [], as: UTF8.self)
            // Without its checksum, as earlier programs wrote it.
            let newer = text.replacing(#""minimumReader":3"#, with: #""minimumReader":4"#)
                .replacing(/"checksum":"[0-9a-f]*",/, with: "")
            store.world.put("format.json", Array(newer.utf8))
        },
        Case("format.json names another epoch", .badFormatFile) { store in
            let text = String(decoding: store.world.files["format.json"] ?? [], as: UTF8.self)
            let other = text.replacing(#""epoch":""#, with: #""epoch":"a"#)
            store.world.put("format.json", Array(other.utf8))
        },
        Case("a segment is empty", .missingHeader) { store in
            store.world.put(store.segments[store.segments.count - 1], [])
        },
        Case("a seal is gone", .missingSeal) { store in
            store.change(store.segments[1]) { bytes in
                bytes.removeLast()
                let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
                bytes.removeLast(bytes.count - end - 1)
            }
        },
        Case("a bit of a sealed segment is flipped", .badChecksum) { store in
            store.change(store.segments[1]) { $0[1000] ^= 4 }
        },
        Case("a bit of the last segment is flipped before its last batch", .badChecksum) { store in
            store.change(store.segments[store.segments.count - 1]) { $0[300] ^= 4 }
        },
        Case("a line of the last segment is there twice", .badChecksum) { store in
            store.change(store.segments[store.segments.count - 1]) { bytes in
                let lines = bytes.split(separator: 10, omittingEmptySubsequences: true)
                bytes = Array((lines.prefix(2) + lines.dropFirst()).joined(separator: [10])) + [10]
            }
        },
        Case("a line of the last segment is missing", .badChecksum) { store in
            store.change(store.segments[store.segments.count - 1]) { bytes in
                let lines = bytes.split(separator: 10, omittingEmptySubsequences: true)
                bytes = Array((lines.prefix(1) + lines.dropFirst(2)).joined(separator: [10])) + [10]
            }
        },
        Case("two lines of the last segment are swapped", .badChecksum) { store in
            store.change(store.segments[store.segments.count - 1]) { bytes in
                var lines = bytes.split(separator: 10, omittingEmptySubsequences: true)
                lines.swapAt(1, 2)
                bytes = Array(lines.joined(separator: [10])) + [10]
            }
        },
        Case("a segment is of another store", .foreignFile) { store in
            let other = MemoryDiskWorld()
            var settings = StorageRig(world: other).settings
            settings.environment = .foreseeable(seed: 99)
            let rig = StorageRig(world: other)
            _ = try LocalLog.open(
                in: rig.stateDirectory(), settings: settings, SeenReplay())
            store.world.put(store.segments[0], other.files[store.segments[0]] ?? [])
        },
        Case("a segment cannot be read", .unreadable) { store in
            store.world.inject(
                MemoryDiskFault(
                    .read, isLasting: true, namePrefix: store.segments[1], .fail(errno: 5)))
        },
    ]

    @Test("comes with its reason and writes nothing", arguments: cases)
    func refuses(_ example: Case) throws {
        let store = try Store()
        #expect(store.segments.count >= 3)
        try example.spoil(store)
        let before = store.world.files

        let refusal = try #require(try StorageRig(world: store.world).refusal())

        #expect(refusal.reason == example.reason)
        #expect(store.world.files == before)
        #expect(store.world.calls(.write) == 0)
        #expect(refusal.jsonText.contains(#""reason":"\#(example.reason.rawValue)""#))
        // A verifier that may look at everything must not be happier than a start.
        #expect(JournalVerifier.verify(MemoryDisk(world: store.world)).exitCode != 0)
    }

    @Test("also comes when lines are gone from the end that a clean stop had named")
    func missingEnd() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...3 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.close()
        let world = rig.world.afterKill()
        let name = try #require(world.files.keys.first { $0.hasPrefix("journal-") })
        let lines = try #require(world.files[name]).split(separator: 10)
        world.put(name, Array(lines.dropLast(2).joined(separator: [10])) + [10])
        let before = world.files

        let refusal = try #require(try StorageRig(world: world).refusal())

        #expect(refusal.reason == .missingEnd)
        #expect(refusal.firstInDoubt == 4)
        #expect(refusal.lastInDoubt == 5)
        #expect(world.files == before)
    }

    @Test("names what is in doubt and the identifiers around it")
    func details() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit([
            (.productRecorded(Samples.coins), nil), (Samples.added(1), nil),
        ])
        try journal.commit([(Samples.added(2), nil)])
        try journal.commit([(Samples.added(3), nil)])
        let world = rig.world.afterKill()
        let name = try #require(world.files.keys.first { $0.hasPrefix("journal-") })
        var bytes = try #require(world.files[name])
        let lines = bytes.split(separator: 10)
        let offset = lines.prefix(3).reduce(0) { $0 + $1.count + 1 }
        bytes[offset + 200] ^= 1
        world.put(name, bytes)

        let refusal = try #require(try StorageRig(world: world).refusal())

        #expect(refusal.file == name)
        #expect(refusal.offset == offset)
        #expect(refusal.firstInDoubt == 4)
        #expect(refusal.lastInDoubt == 5)
        #expect(refusal.identifiers.contains(Samples.transactionID(3).description))
    }
}

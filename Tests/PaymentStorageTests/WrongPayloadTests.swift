import CCRC32C
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Lines that another program could have written: their checksums are right, a value in them is not.
@Suite("A line with a right checksum and a wrong value")
struct WrongPayloadTests {
    /// A journal that a process was killed in, with one event in its last line.
    private struct Base {
        let world: MemoryDiskWorld
        let record: Record
        let name: String
        private let bytes: [UInt8]
        private let start: Int
        private let seed: UInt32
        let line: String

        init(_ event: Event) throws {
            var policy = StorageRig.smallPolicy
            policy.segmentBytes = 1 << 20
            policy.prefillsSegments = false
            let rig = StorageRig(policy: policy)
            let journal = try rig.open().journal
            try journal.commit([
                (.productRecorded(Samples.coins), nil), (.productRecorded(Samples.pro), nil),
            ])
            // A mark names the last line; a line behind it can be any.
            try journal.markIdle()
            try journal.commit([(event, Samples.origin)])
            let world = rig.world.afterKill()
            let name = try #require(world.files.keys.first { $0.hasPrefix("journal-") })
            let bytes = try #require(world.files[name])
            let end = try #require(bytes.lastIndex { $0 != 10 && $0 != 0 })
            let start = try #require(bytes[..<end].lastIndex(of: 10)) + 1
            let before = (bytes[..<(start - 1)].lastIndex(of: 10) ?? -1) + 1
            let digits = String(decoding: bytes[before + 6..<before + 14], as: UTF8.self)
            let opened = try StorageRig(world: rig.world.afterKill()).open()
            seed = try #require(UInt32(digits, radix: 16))
            record = try #require(opened.records.last)
            line = String(decoding: bytes[start...end], as: UTF8.self)
            self.world = world
            self.name = name
            self.bytes = bytes
            self.start = start
        }

        /// The record that a start reads from another line in the place of the last; nil if it refuses.
        func record(in line: String) throws -> Record? {
            var new = Array(line.utf8)
            let sum = new[16...].withUnsafeBytes { ccrc32c(seed, $0.baseAddress, $0.count) }
            let digits = String(sum, radix: 16)
            let padded = String(repeating: "0", count: 8 - digits.utf8.count) + digits
            new.replaceSubrange(6..<14, with: padded.utf8)
            let next = world.afterKill()
            next.put(name, Array(bytes[..<start]) + new + [10])
            do {
                return try StorageRig(world: next).open().records.last
            } catch StorageError.refused {
                return nil
            }
        }
    }

    /// The texts that take the place of a value.
    private static func replacements(for value: Substring) -> [String] {
        switch value.first {
        // Some whole numbers are written as strings.
        case "\"" where value.dropFirst().dropLast().allSatisfy(\.isNumber): ["true", "{}", "[]"]
        // An identifier has 36 characters.
        case "\"" where value.count == 38: ["7", "{}", "\(value.dropLast())0\""]
        case "\"": ["7", "true", "{}", "[]"]
        case "t", "f": ["0", "\"true\"", "[]"]
        case "{": ["7", "[]", "\"\""]
        case "[": ["7", "{}", "\"\""]
        case "n": []
        default:
            [
                "\"x\"", "true", "1.5", "18446744073709551616", "99999999999999999999", "{}", "[]",
            ]
        }
    }

    /// The values in the line from its payload on: texts, numbers, words, objects and lists.
    private static func values(in line: String) throws -> [Range<String.Index>] {
        let payload = try #require(line.firstRange(of: #""d":"#)).upperBound
        var values: [Range<String.Index>] = []
        var open: [String.Index] = []
        let tokens = #/"(?:[^\x22\\]|\\.)*"|-?\d+|true|false|null|[{}\[\]]/#
        for token in line[payload...].matches(of: tokens) {
            switch token.output.first {
            case "{", "[": open.append(token.range.lowerBound)
            case "}", "]":
                // The brace of the line itself has no partner here.
                if let start = open.popLast() { values.append(start..<token.range.upperBound) }
            default:
                guard line[token.range.upperBound...].first != ":" else { continue }
                values.append(token.range)
            }
        }
        return values
    }

    @Test("is refused if a byte before the checksum or behind it is another one")
    func fixedBytes() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...4)
        try journal.close()
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("journal-") })
        let bytes = try #require(rig.world.files[name])
        let starts = [0] + bytes.indices.filter { bytes[$0] == 10 }.map { $0 + 1 }
        for start in starts.prefix(5) {
            for offset in [0, 1, 2, 3, 4, 5, 14, 15] {
                var changed = bytes
                changed[start + offset] ^= 4
                let world = rig.world.afterKill()
                world.put(name, changed)
                #expect(try StorageRig(world: world).refusal() != nil, "\(start) + \(offset)")
            }
        }
    }

    @Test("is refused, or the value did not matter", arguments: 0..<EventMaker.kinds)
    func everyValue(kind: Int) throws {
        var maker = EventMaker(seed: UInt64(kind))
        var accepted: [String] = []
        var refused = 0
        for _ in 0..<3 {
            let base = try Base(maker.event(kind: kind))
            for range in try Self.values(in: base.line) {
                for replacement in Self.replacements(for: base.line[range]) {
                    let line = base.line.replacingCharacters(range, with: replacement)
                    let found = try base.record(in: line)
                    if found == nil {
                        refused += 1
                    } else if found != base.record {
                        accepted.append("\(base.line[range]) as \(replacement): \(base.line)")
                    }
                }
            }
        }
        #expect(accepted == [])
        #expect(refused > 0)
    }

    @Test("is refused if the name of a part, its moment or its end has another form")
    func otherForms() throws {
        let base = try Base(.started(incarnation: 3))
        let changes = [
            (#","b":"#, #","x":"#), (#","t":"#, #","x":"#), (#","at":"#, #","ax":"#),
            (#"Z",""#, #"Z',""#), ("}}", "]}"), ("}}", "}"),
        ]
        for (part, changed) in changes {
            let line = base.line.replacing(part, with: changed, maxReplacements: 1)
            #expect(line != base.line)
            #expect(try base.record(in: line) != base.record, "\(changed)")
        }
    }

    @Test("is refused if a value is only like the one that it must be")
    func likeValues() throws {
        let id = Samples.transactionID(1)
        let order = Samples.orderID(1)
        var bought = Samples.transaction(1, .purchased, revision: 2)
        bought.charge = Charge(price: Samples.price("9.90", "EUR"))
        let declined = Samples.transaction(1, .failed(.declined), revision: 2)
        let revocation = Revocation(account: "demo", products: ["coins"], orders: [order])
        let cases: [(event: Event, part: String, changed: String)] = [
            (Samples.added(1), "\"\(id)\"", "0\(id)\""),
            (Samples.added(1), "\"\(id)\"", "\"\(id)0\""),
            (Samples.added(1), "\"purchase\"", "0purchase\""),
            (.transaction(.purchased, bought), "9.90 EUR", "9.90 EUR EUR"),
            (.transaction(.failed, declined), "\"state\":\"failed\"", "\"state\":\"lost\""),
            (.entitlementsRevoked(revocation), "[\"\(order)\"]", "\"]\""),
            (.entitlementsRevoked(revocation), "[\"coins\"]", "\"]\""),
        ]
        for (event, part, changed) in cases {
            let base = try Base(event)
            let line = base.line.replacing(part, with: changed)
            #expect(line != base.line)
            #expect(try base.record(in: line) == nil, "\(changed)")
        }
    }

    @Test("is refused if a further member of it is nested without end")
    func nesting() throws {
        let base = try Base(.started(incarnation: 3))
        func record(depth: Int) throws -> Record? {
            let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return try base.record(
                in: base.line.replacing(
                    "{\"incarnation", with: "{\"further\":\(list),\"incarnation"))
        }
        #expect(try record(depth: 64) == base.record)
        #expect(try record(depth: 65) == nil)
    }
}

extension String {
    fileprivate func replacingCharacters(
        _ range: Range<String.Index>, with text: String
    ) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

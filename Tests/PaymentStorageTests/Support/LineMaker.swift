import PaymentCore
import PaymentTesting
import StrictJSON

@testable import PaymentStorage

/// Makes lines of transactions as the writers leave them, and changes bytes in them, as a seed says.
struct LineMaker {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A line of a snapshot, and whether it is one that must be read in the short way.
    mutating func snapshotLine() -> (bytes: [UInt8], isPlain: Bool) {
        let (transaction, key, isPlain) = transaction()
        let user: UInt32? = chance() ? UInt32.random(in: 0...70_000, using: &generator) : nil
        let item = SnapshotItem.transaction(
            transaction, key: key, newestEvent: number(), user: user)
        return (Self.line(item), isPlain)
    }

    /// A line of an archive file behind its sequence number, and whether it must be read in the short way.
    mutating func finishedLine() -> (bytes: [UInt8], isPlain: Bool) {
        let (made, key, isPlain) = transaction()
        var transaction = made
        if chance() {
            transaction.state = one(of: [.purchased, .restored, .submitted])
            transaction.order = OrderID(identifier())
            transaction.originalOrder = chance() ? OrderID(identifier()) : nil
            transaction.charge =
                chance()
                ? Charge(
                    price: Samples.price("9.90", "EUR"), offer: chance() ? .alreadyOwned : nil,
                    effectiveAt: chance() ? time() : nil) : nil
        }
        let finish = Finish(
            time: time(), reason: one(of: RemovalReason.allCases), origin: transaction.origin)
        let item = SnapshotItem.finished(
            transaction, key: key, finish, closed: chance() ? number() : nil)
        return (Self.line(item), isPlain)
    }

    /// A line of a journal that accepts a transaction, and whether it must be read in the short way.
    mutating func journalLine() -> (bytes: [UInt8], isPlain: Bool) {
        let (made, key, isPlain) = transaction()
        var transaction = made
        let origin = transaction.origin
        transaction.origin = nil
        transaction.updatedAt = transaction.createdAt
        var writer = LineWriter(
            chain: UInt32.random(in: 0 ... .max, using: &generator), next: max(1, number()),
            lineLimit: 1 << 18)
        _ = writer.line("added", time: time(), origin: origin) { json in
            EventCoding.encode(.transaction(.added(key: key), transaction), into: &json)
        }
        return (Array(writer.bytes.dropLast()), isPlain)
    }

    /// Changes, removes, repeats or inserts some bytes.
    mutating func mutate(_ line: [UInt8]) -> [UInt8] {
        var line = line
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let place = Int.random(in: 0..<line.count, using: &generator)
            let end = min(line.count, place + Int.random(in: 1...30, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: line[place] = one(of: Array("\"\\{},:0123456789aZé".utf8))
            case 2: line.removeSubrange(place..<end)
            case 3: line.insert(contentsOf: line[place..<end], at: place)
            default: line.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            }
        }
        return line
    }

    /// A transaction that mostly waits, its key, and whether nothing about it is unusual.
    private mutating func transaction() -> (Transaction, key: OpaqueText?, isPlain: Bool) {
        var isPlain = true
        var transaction = Transaction(
            id: TransactionID(identifier()), account: chance() ? text(&isPlain) : nil,
            payment: Payment(
                product: Samples.coins, appAccountToken: chance() ? text(&isPlain) : nil),
            state: .waiting, country: Samples.country(one(of: ["DE", "US", "ZZ"])),
            reason: .purchase, revision: UInt32.random(in: 1...3, using: &generator),
            createdAt: time(), updatedAt: time())
        if chance() {
            transaction.origin = Origin(
                uid: UInt32.random(in: 0...70_000, using: &generator),
                client: chance() ? text(&isPlain) : nil, connection: number(), request: number())
        }
        transaction.attempt = chance() ? UInt32.random(in: 0...3, using: &generator) : 0
        transaction.isConfirmed = chance()
        let key = chance() ? text(&isPlain) : nil
        if Int.random(in: 0..<8, using: &generator) == 0 {
            isPlain = false
            transaction.state = one(of: [.gated, .submitted, .failed(.declined), .waiting])
            transaction.payment.product = Samples.pro
        }
        return (transaction, key, isPlain)
    }

    private mutating func text(_ isPlain: inout Bool) -> OpaqueText {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            isPlain = false
            return OpaqueText(one(of: ["é", "a\"b", "\\", "\u{1}", "🛒 and more", "\n"]))
        case 1: return OpaqueText(identifier().description)
        case 2: return ""
        default:
            let count = Int.random(in: 1...40, using: &generator)
            let letters = Array("abcXYZ 0129{}[]:,./-_")
            return OpaqueText(String((0..<count).map { _ in one(of: letters) }))
        }
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 0...1 << 41, using: &generator))
    }

    private mutating func identifier() -> UniqueID {
        UniqueID(high: generator.next(), low: generator.next())
    }

    /// Below 2^53, and often small.
    private mutating func number() -> UInt64 {
        generator.next() >> UInt64.random(in: 11...63, using: &generator)
    }

    private mutating func chance() -> Bool { Bool.random(using: &generator) }

    private mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private static func line(_ item: SnapshotItem) -> [UInt8] {
        let sink = LineSink()
        sink.add(item)
        return sink.line
    }
}

/// Keeps the line of an item.
private final class LineSink: ItemSink {
    private(set) var line: [UInt8] = []

    func item(_ word: StaticString, payload: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        writer.raw("{\"t\":\"")
        writer.raw(word)
        writer.raw("\",\"d\":")
        payload(&writer)
        writer.raw("}")
        line = writer.bytes
    }
}

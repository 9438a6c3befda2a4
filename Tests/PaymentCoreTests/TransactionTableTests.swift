@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("The table of transactions", .ownThreads)
struct TransactionTableTests {
    @Test("The table returns each record as it was stored", arguments: 1...20)
    func roundTrip(seed: Int) {
        var records = RandomRecords(seed: UInt64(seed))
        var table = TransactionTable()
        var model: [Int32: TransactionRecord] = [:]
        for _ in 0..<400 {
            let record = records.next()
            if let place = records.dice.chance(50) ? records.dice.pick(model.keys.sorted()) : nil {
                let changed = records.next(table.id(at: place))
                table[place] = changed
                model[place] = changed
            } else {
                model[table.insert(record)] = record
            }
        }
        for (place, record) in model {
            let stored = table[place]
            #expect(stored == record)
            #expect(table.isLive(place) == record.isLive)
            #expect(table.order(at: place) == record.transaction.order)
            if let key = record.key { #expect(table.hasKey(key, at: place)) }
            #expect(!table.hasKey("no such key", at: place))
        }
    }

    @Test("A change during a snapshot copies one block, and the snapshot keeps the old record")
    func copies() {
        var records = RandomRecords(seed: 1)
        var table = TransactionTable()
        let places = (0..<1000).map { _ in table.insert(records.next()) }
        let before = places.map { table[$0] }
        let copy = table
        for place in places { table[place] = records.next(table.id(at: place)) }
        #expect(places.map { copy[$0] } == before)
    }

    /// Bytes by capacity, which neither the allocator nor other tests influence.
    @Test("An open transaction takes at most 150 bytes, waiting or paid", arguments: [true, false])
    func bytes(isWatched: Bool) throws {
        // The cells of the indexes are then in use to the same part as those of 1,000,000 transactions.
        let count: UInt64 = 28_500
        var bench = Bench.busy()
        bench.queue.activeObservers.everything = isWatched
        for number in 1...count {
            let key = OpaqueText("order-key-\(10_000_000_000_000_000 + number)-of-a-game")
            let id = bench.add(Samples.coins, key: key)
            guard isWatched else { continue }
            bench.start()
            let order = Samples.order(number)
            bench.resolve(id, .purchased(order: order, original: order))
        }
        let queue = bench.queue
        let index = try #require(queue.accounts[Samples.anna])
        let lists = [index.live, index.deferred, index.finished] + index.waiting.values
        let bytes =
            queue.table.allocatedBytes
            + [queue.indexByID, queue.indexByKey, queue.indexByOrder]
            .reduce(0) { $0 + $1.allocatedBytes }
            + lists.reduce(0) { $0 + $1.allocatedBytes }
        let each = Double(bytes) / Double(count)
        print("An open transaction takes \(each) bytes; watched: \(isWatched)")
        #expect(each <= 150)
    }
}

/// Records with everything that a record may have, drawn from a seed.
struct RandomRecords {
    var dice: SeededGenerator
    private var number: UInt64 = 0
    private let products = [Samples.germany, Samples.france].map {
        RecordedProduct(
            number: $0 == Samples.germany ? 1 : 2,
            product: Samples.product(Samples.coins, .consumable, "9.99"), country: $0)
    }

    init(seed: UInt64) {
        dice = SeededGenerator(seed: seed)
    }

    mutating func next(_ id: TransactionID? = nil) -> TransactionRecord {
        number += 1
        let order = maybe { Samples.order($0.number) }
        var transaction = Transaction(
            id: id ?? Samples.transaction(number), account: maybe { $0.text() },
            payment: Payment(
                product: products[dice.below(2)], appAccountToken: maybe { $0.text() }),
            state: state(), country: dice.chance(80) ? Samples.germany : Samples.norway,
            order: order,
            originalOrder: maybe {
                $0.dice.chance(50) ? order ?? Samples.order(1) : .init($0.id())
            },
            charge: maybe { $0.charge() }, requestedToken: maybe { $0.text() },
            reason: Transaction.Reason.allCases[dice.below(4)],
            revision: UInt32(truncatingIfNeeded: dice.next()), createdAt: time(),
            updatedAt: time(), origin: maybe { $0.origin() })
        transaction.attempt = UInt32(dice.below(300))
        transaction.isConfirmed = dice.chance(50)
        let origin = transaction.origin
        return TransactionRecord(
            transaction: transaction, key: maybe { $0.text() }, lastEvent: dice.next(),
            position: dice.next(), user: maybe { UInt32(truncatingIfNeeded: $0.dice.next()) },
            finished: maybe {
                Finish(
                    time: $0.time(), reason: RemovalReason.allCases[$0.dice.below(5)],
                    origin: $0.dice.chance(50) ? origin : $0.maybe { $0.origin() })
            })
    }

    private mutating func maybe<Value>(_ make: (inout RandomRecords) -> Value) -> Value? {
        dice.chance(50) ? make(&self) : nil
    }

    private mutating func id() -> UniqueID { UniqueID(high: dice.next(), low: dice.next()) }

    private mutating func text() -> OpaqueText {
        switch dice.below(5) {
        case 0: ""
        case 1: OpaqueText(id().description)
        case 2: OpaqueText(id().description.uppercased())
        case 3: OpaqueText(String(repeating: "é", count: dice.below(200)))
        default: OpaqueText("key \(number)")
        }
    }

    private mutating func time() -> Timestamp {
        let any = Int64(truncatingIfNeeded: dice.next())
        return Timestamp(milliseconds: dice.chance(10) ? any : Samples.noon.milliseconds + any % 9)
    }

    private mutating func origin() -> Origin {
        Origin(
            uid: UInt32(dice.below(3000)), client: maybe { _ in "client" },
            connection: dice.next(), request: UInt64(dice.below(300)), trace: maybe { $0.text() })
    }

    private mutating func charge() -> Charge {
        let product = Samples.product(Samples.coins, .consumable, dice.chance(50) ? "9.99" : "0")
        return Charge(
            price: product.price, offer: maybe { PurchaseOffer.allCases[$0.dice.below(3)] },
            effectiveAt: maybe { $0.time() },
            revocation: maybe { OrderRevocation(at: $0.time(), reason: $0.text().string) })
    }

    private mutating func state() -> TransactionState {
        let states: [TransactionState] = [
            .waiting, .gated, .submitted, .deferred, .purchased, .completing, .restored,
            .failed(.declined), .failed(PaymentFailure(.cancelled)),
            .failed(PaymentFailure(.presentationFailed, reason: text().string)),
        ]
        return states[dice.below(states.count)]
    }
}

@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("Collections of the queue", .ownThreads)
struct CollectionTests {
    @Test("A list of places is a sorted list", arguments: 1...20)
    func placeList(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var list = PlaceList()
        var model: [UInt64: Int32] = [:]
        // Positions on both sides of a multiple of 2^32, which no chunk crosses.
        let from = (UInt64(1) << 33) - 1500
        for step in 0..<6000 {
            if model.isEmpty || dice.chance(step < 3000 ? 80 : 25) {
                let position = from + UInt64(dice.below(3000))
                guard model[position] == nil else { continue }
                model[position] = Int32(step)
                list.insert(Int32(step), position: position)
            } else if let first = list.first, dice.chance(30) {
                list.remove(position: first.position)
                model[first.position] = nil
            } else if let position = dice.pick(model.keys.sorted()) {
                list.remove(position: position)
                model[position] = nil
            }
            #expect(list.count == model.count)
        }
        let sorted = model.sorted { $0.key < $1.key }
            .map { PlaceList.Entry(position: $0.key, place: $0.value) }
        #expect(Array(list.all) == sorted)
        for after in [0, from, from + 1499, from + 1500, from + UInt64(dice.below(3000)), .max] {
            var seen: [PlaceList.Entry] = []
            list.forEach(after: after) {
                seen.append($0)
                return true
            }
            #expect(seen == sorted.filter { $0.position > after })
        }
    }

    @Test("Reading a list stops when asked to")
    func stop() {
        var list = PlaceList()
        for place in 1...1000 { list.insert(Int32(place), position: UInt64(place)) }
        var seen: [Int32] = []
        list.forEach(after: 255) { entry in
            seen.append(entry.place)
            return seen.count < 3
        }
        #expect(seen == [256, 257, 258])
    }

    private func stored(_ number: Int) -> TransactionRecord {
        let product = RecordedProduct(
            number: 1, product: Samples.product(Samples.coins, .consumable),
            country: Samples.germany)
        let transaction = Transaction(
            id: Samples.transaction(UInt64(number)), account: nil,
            payment: Payment(product: product), state: .waiting, country: Samples.germany,
            reason: .purchase, revision: 1, createdAt: Samples.noon, updatedAt: Samples.noon)
        return TransactionRecord(
            transaction: transaction, key: nil, lastEvent: UInt64(number),
            position: UInt64(number), user: nil, finished: nil)
    }

    @Test("A table of records is a dictionary that names the keys itself", arguments: 1...10)
    func slotTable(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var table = TransactionTable()
        var model: [Int32: Int] = [:]
        for number in 0..<3000 {
            if model.isEmpty || dice.chance(70) {
                let place = table.insert(stored(number))
                #expect(model.updateValue(number, forKey: place) == nil)
            } else if let place = dice.pick(model.keys.sorted()) {
                if dice.chance(50) {
                    table.remove(place)
                    model[place] = nil
                    #expect(table.marks(of: place) == [])
                } else {
                    table[place].lastEvent = UInt64(number)
                    model[place] = number
                }
            }
        }
        for (place, number) in model { #expect(table[place].lastEvent == UInt64(number)) }
    }

    @Test("An index of places is a dictionary, however its hashes collide", arguments: 1...20)
    func placeIndex(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var index = HashIndex()
        var model: [Int32: UInt64] = [:]
        // Few pieces of the hash that begin a search, so that entries push each other on, also behind the last
        // cell where a search can start.
        let starts: [UInt64] = [0, 1, 1 << 24, 0xFF00_0000, 0xFFFF_FFFE, 0xFFFF_FFFF]
        for step in 0..<2000 {
            let place = Int32(dice.below(200))
            if let hash = model.removeValue(forKey: place) {
                index.remove(place, hash)
            } else if dice.chance(step < 1000 ? 90 : 30) {
                let hash = starts[dice.below(starts.count)] << 32 | UInt64(dice.below(2))
                index.insert(place, hash)
                model[place] = hash
            }
            #expect(index.count == model.count)
        }
        for place in Int32(0)..<200 {
            let hash = model[place] ?? 14 << 32
            #expect(index.place(hash) { $0 == place } == (model[place] == nil ? nil : place))
        }
    }

    @Test("Places that are inserted together are found like those that are inserted one by one")
    func collectedPlaces() {
        var dice = SeededGenerator(seed: 5)
        let hashes = (0..<3_000).map { _ in
            UInt64(dice.below(1 << 20)) << 32 | UInt64(dice.below(3))
        }
        var index = HashIndex()
        for place in 0..<500 { index.insert(Int32(place), hashes[place]) }
        var collected = HashIndex.Collected()
        for place in 500..<3_000 { collected.add(Int32(place), hashes[place]) }
        #expect(index.insert(collected) { _, _ in false })
        #expect(index.count == 3_000)
        for place in 0..<3_000 {
            #expect(index.place(hashes[place]) { $0 == Int32(place) } == Int32(place))
        }
    }

    @Test(
        "A collected place that is not new is found, in the index and among the collected",
        arguments: [7, 600])
    func collectedTwice(twin: Int32) {
        var index = HashIndex()
        for place in Int32(0)..<500 { index.insert(place, UInt64(place) << 32) }
        var collected = HashIndex.Collected()
        for place in Int32(500)..<1_000 { collected.add(place, UInt64(place) << 32) }
        collected.add(1_000, UInt64(twin) << 32)
        let isNew = index.insert(collected) { inserted, new in
            #expect(new == 1_000)
            return inserted == twin
        }
        #expect(!isNew)
    }

    @Test("Copies of the collections share nothing that changes")
    func copies() {
        var table = TransactionTable()
        let place = table.insert(stored(1))
        let copy = table
        table[place].lastEvent = 99
        #expect(copy[place].lastEvent == 1)
        var list = PlaceList()
        list.insert(1, position: 1)
        let before = list
        list.remove(position: 1)
        #expect(before.first?.place == 1)
        var index = HashIndex()
        index.insert(7, 1 << 32)
        let earlier = index
        index.remove(7, 1 << 32)
        #expect(earlier.place(1 << 32) { _ in true } == 7)
        #expect(index.place(1 << 32) { _ in true } == nil)
    }
}

@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("Collections of the queue")
struct CollectionTests {
    @Test("A list of places is a sorted list from which things vanish", arguments: 1...40)
    func placeList(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var list = PlaceList()
        var model: [PlaceList.Entry] = []
        var position: UInt64 = 0
        for step in 0..<600 {
            let isGrowing = dice.chance(step < 300 ? 70 : 40)
            if isGrowing || model.isEmpty {
                position += UInt64(dice.below(3)) + 1
                model.append(PlaceList.Entry(position: position, place: Int32(step)))
                list.append(Int32(step), position: position)
            } else {
                let index = dice.chance(40) ? 0 : dice.below(model.count)
                model.remove(at: index)
                list.noteRemoval { model.contains($0) }
            }
            #expect(list.count == model.count)
            #expect(list.first { model.contains($0) } == model.first)
        }
        let after = UInt64(dice.below(Int(position)))
        var seen: [PlaceList.Entry] = []
        list.forEach(after: after) { entry in
            if model.contains(entry) { seen.append(entry) }
            return true
        }
        #expect(seen == model.filter { $0.position > after })
        #expect(list.removeAll { model.contains($0) } == model)
        #expect(list.count == 0)
    }

    @Test("What returns to a list stands where it stood, once", arguments: 1...40)
    func returning(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var list = PlaceList()
        let all = (1...100).map { PlaceList.Entry(position: UInt64($0), place: Int32($0)) }
        for entry in all { list.append(entry.place, position: entry.position) }
        var present = Set(all)
        for _ in 0..<500 {
            guard let entry = dice.pick(all) else { return }
            if present.contains(entry) {
                present.remove(entry)
                list.noteRemoval { present.contains($0) }
            } else {
                present.insert(entry)
                list.insert(entry.place, position: entry.position)
            }
            #expect(list.count == present.count)
        }
        var seen: [PlaceList.Entry] = []
        list.forEach(after: 0) { entry in
            if present.contains(entry) { seen.append(entry) }
            return true
        }
        #expect(seen == present.sorted { $0.position < $1.position })
    }

    @Test("Reading a list stops when asked to")
    func stop() {
        var list = PlaceList()
        for place in 1...10 { list.append(Int32(place), position: UInt64(place)) }
        var seen: [Int32] = []
        list.forEach(after: 3) { entry in
            seen.append(entry.place)
            return seen.count < 2
        }
        #expect(seen == [4, 5])
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
                    #expect(table.at(place) == nil)
                } else {
                    table[place].lastEvent = UInt64(number)
                    model[place] = number
                }
            }
        }
        for (place, number) in model { #expect(table[place].lastEvent == UInt64(number)) }
    }

    @Test("A dictionary in parts is a dictionary", arguments: 1...10)
    func shardedDictionary(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var parts = ShardedDictionary<OpaqueText, Int>()
        var model: [OpaqueText: Int] = [:]
        for step in 0..<2000 {
            let key = OpaqueText("\(dice.below(300))")
            let value = dice.chance(60) ? step : nil
            parts[key] = value
            model[key] = value
            #expect(parts.count == model.count)
            #expect(parts[key] == value)
        }
        var seen: [OpaqueText: Int] = [:]
        parts.forEach { seen[$0] = $1 }
        #expect(seen == model)
    }

    @Test("An index of places is a dictionary, however its hashes collide", arguments: 1...20)
    func placeIndex(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var index = HashIndex()
        var model: [Int32: UInt64] = [:]
        // Few pieces of the hash that begin a search, so that entries push each other on, also
        // around the end of a part.
        let starts: [UInt64] = [0, 1, 13, 14, 15, 0xFFFF_FFFF]
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

    @Test("Copies of the collections share nothing that changes")
    func copies() {
        var table = TransactionTable()
        let place = table.insert(stored(1))
        let copy = table
        table[place].lastEvent = 99
        #expect(copy[place].lastEvent == 1)
        var parts = ShardedDictionary<OpaqueText, Int>()
        parts["a"] = 1
        let before = parts
        parts["a"] = 2
        #expect(before["a"] == 1)
        var index = HashIndex()
        index.insert(7, 1 << 32)
        let earlier = index
        index.remove(7, 1 << 32)
        #expect(earlier.place(1 << 32) { _ in true } == 7)
        #expect(index.place(1 << 32) { _ in true } == nil)
    }
}

import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Every bit, every sector and every length of every file of a small directory. `make bit-flips` tries all,
/// `make test` a part of them.
@Suite("A directory with a changed bit or sector", .ownThreads)
struct BitFlipTests {
    /// Only each so-many-th bit is changed.
    static let stride =
        ProcessInfo.processInfo.environment["PAYQUEUED_BIT_STRIDE"].flatMap { Int($0) } ?? 499

    /// The ends of a life, each with its own directory.
    enum Ending: CaseIterable, Sendable {
        case stopped, killedWhenIdle, killed
    }

    /// What a start and all lookups give. Whether a closed thing is in memory or in a file does not matter.
    struct Content: Equatable {
        var head: SequenceNumber
        var epoch: String
        var open: [SnapshotItem]
        var closed: [UInt64]
        var facts: [ClosedFact?]
        var records: [Record]

        init(_ shop: Shop, numbers: UInt64) throws {
            head = shop.queue.head
            epoch = shop.journal.epoch
            var items: [SnapshotItem] = []
            shop.queue.snapshotItems(withClosed: false) { items.append($0) }
            open = items
            closed = try shop.closedNumbers()
            facts = []
            for number in 1...numbers {
                let keys: [ClosedKey] = [
                    .transaction(Samples.transactionID(number)), .key(Shop.key(number)),
                    .order(Samples.orderID(number)),
                ]
                let found = try shop.queue.closedFacts(keys, in: shop.history)
                facts += keys.map { found[$0] }
            }
            records = []
            var position = shop.journal.oldest - 1
            // A page ends before damage, and the next one names it.
            while true {
                let page = try shop.journal.records(after: position, count: 10_000)
                guard let last = page.last else { break }
                records += page
                position = last.sequence
            }
        }
    }

    /// What became of the changes.
    struct Tally {
        var harmless = 0
        var refused = 0
        var reported = 0
        var silent: [String] = []
    }

    /// A directory in which each kind of file is, in more than one piece.
    ///
    /// - Parameters:
    ///   - ending: The end of its life.
    ///   - left: How many steps are left out before the end.
    /// - Returns: The directory, and how many transactions it had.
    /// - Throws: The disk failed.
    private func directory(
        _ ending: Ending, leavingOut left: Int = 0
    ) throws -> (image: DiskImage, numbers: UInt64) {
        let world = MemoryDiskWorld()
        var ledger = ShopLedger()
        var shop = try Shop(on: world)
        try shop.begin(&ledger)
        var steps: [Shop.Step] = [.add(3), .advance(3), .advance(3), .advance(3), .advance(3)]
        steps += [.checkpoint, .add(2), .forget, .checkpoint]
        steps += [.advance(2), .advance(2), .advance(2), .advance(2), .checkpoint, .add(2)]
        steps.removeLast(left)
        switch ending {
        case .stopped: steps.append(.close)
        case .killedWhenIdle: steps.append(.idle)
        case .killed: break
        }
        for step in steps { try shop.run(step, &ledger) }
        return (world.image, ledger.numbers)
    }

    /// Judges one changed directory.
    private func judge(
        _ image: DiskImage, _ what: @autoclosure () -> String, _ content: Content,
        _ numbers: UInt64, _ mayEndEarly: Bool, _ tally: inout Tally
    ) {
        let shop: Shop
        do { shop = try Shop(on: MemoryDiskWorld(image)) } catch { return tally.refused += 1 }
        do {
            let found = try Content(shop, numbers: numbers)
            if found == content {
                tally.harmless += 1
            } else if mayEndEarly, shop.report.bytesCut > 0, found.head < content.head {
                tally.reported += 1
            } else {
                tally.silent.append(what())
            }
        } catch {
            tally.reported += 1
        }
    }

    @Test("starts with an equal content, or is refused, or says so", arguments: Ending.allCases)
    func everyBit(ending: Ending) throws {
        let (image, numbers) = try directory(ending)
        let content = try Content(Shop(on: MemoryDiskWorld(image)), numbers: numbers)
        var tally = Tally()
        var count = 0
        let files = (image.directories[DiskImage.top] ?? [:]).sorted { $0.key < $1.key }
        let newest = files.map(\.key).last { $0.hasPrefix("journal-") }
        for (name, number) in files {
            guard let bytes = image.files[number] else { continue }
            // Nothing proves the end of a log whose last batch was not followed by anything.
            let mayEndEarly = ending == .killed && name == newest
            func tryOut(_ changed: [UInt8], _ what: @autoclosure () -> String) {
                var image = image
                image.files[number] = changed
                count += 1
                judge(
                    image, "\(name): \(what())", content, numbers, mayEndEarly, &tally)
            }
            for bit in Swift.stride(
                from: name.utf8.count % Self.stride, to: bytes.count * 8, by: Self.stride)
            {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                tryOut(changed, "bit \(bit % 8) of byte \(bit / 8)")
            }
            for start in Swift.stride(from: 0, to: bytes.count, by: 512) {
                for (what, changed) in Self.damaged(bytes, sectorAt: start) {
                    tryOut(changed, "\(what) at \(start)")
                }
            }
        }
        print(
            "\(ending): \(count) changes of \(files.count) files, \(tally.harmless) harmless, "
                + "\(tally.refused) refused, \(tally.reported) reported")
        #expect(tally.silent.prefix(5) == [])
        #expect(tally.refused > 0 && tally.harmless > 0 && tally.reported > 0)
    }

    /// The ways in which a sector can be wrong, and the file that ends there.
    private static func damaged(_ bytes: [UInt8], sectorAt start: Int) -> [(String, [UInt8])] {
        let end = min(start + 512, bytes.count)
        func with(_ sector: [UInt8]) -> [UInt8] {
            Array(bytes[..<start]) + sector + Array(bytes[end...])
        }
        var result = [
            ("zeros", with([UInt8](repeating: 0, count: end - start))),
            ("line feeds", with([UInt8](repeating: 10, count: end - start))),
            ("ones", with([UInt8](repeating: 255, count: end - start))),
            ("the end", Array(bytes[..<start])),
        ]
        if start >= 512, end == start + 512 {
            result.append(("the sector before", with(Array(bytes[start - 512..<start]))))
        }
        return result
    }

    @Test("is told from a directory that lacks the last batch")
    func planted() throws {
        let (image, numbers) = try directory(.stopped)
        let content = try Content(Shop(on: MemoryDiskWorld(image)), numbers: numbers)
        let shorter = try directory(.stopped, leavingOut: 1).image
        var tally = Tally()
        judge(shorter, "the last batch is gone", content, numbers, false, &tally)
        #expect(tally.silent == ["the last batch is gone"])
    }
}

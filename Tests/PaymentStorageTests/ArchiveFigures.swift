import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Prints what closed things cost on a real disk: `ARCHIVE_ITEMS=1000000` sets how many.
@Suite("Figures of the archive")
struct ArchiveFigures {
    private static let count = ProcessInfo.processInfo.environment["ARCHIVE_ITEMS"].flatMap(
        Int.init)

    private let clock = ContinuousClock()

    @Test(
        "print bytes, memory and times of closed transactions",
        .enabled(if: count != nil, "ARCHIVE_ITEMS is not set"))
    func figures() throws {
        let count = try #require(Self.count)
        let url = FileManager.default.temporaryDirectory
            .appending(path: "archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        let disk = try SystemDisk(path: url.path, create: false)
        let products = ArchiveProducts()
        try products.note(Samples.coins)
        let builder = ArchiveBuilder(on: disk, of: ClosedModel.store, products: products)
        var archives = try builder.open(ArchiveManifest())
        let start = Self.resident()
        let perCheckpoint = 100_000
        let writing = try clock.measure {
            for first in stride(from: 0, to: count, by: perCheckpoint) {
                let last = min(first + perCheckpoint, count)
                let next = try builder.append(
                    to: archives.manifest, upTo: UInt64(last),
                    now: ClosedModel.time(UInt64(last))
                ) {
                    sink throws(ArchiveFailure) in
                    for number in first..<last {
                        try sink.add(
                            Self.closed(number), UInt64(number + 1), at: Samples.time)
                    }
                }
                let earlier = archives.manifest
                archives = try builder.index(builder.open(next, reusing: archives))
                try builder.removeUnnamed(keeping: [earlier, next], archives)
            }
        }
        try builder.removeUnnamed(keeping: [archives.manifest], archives)
        report("written", writing, count)
        var bytes: [String: Int] = [:]
        for name in try disk.list() {
            bytes[String(name.suffix(5)), default: 0] += try disk.status(of: name)?.length ?? 0
        }
        let (lines, index) = (bytes["djson", default: 0], bytes["index", default: 0])
        print(
            "bytes each: \(Double(lines + index) / Double(count)), lines \(Double(lines) / Double(count)), index \(Double(index) / Double(count))"
        )
        print(
            "files: \(archives.manifest.archives.count), indexes: \(try disk.list().filter { $0.hasSuffix(".index") }.count)"
        )
        print(
            "memory of indexes each: \(Double(archives.residentBytes) / Double(count)) bytes; resident \(start >> 20) MiB before, \(Self.resident() >> 20) MiB after, peak \(Self.peak() >> 20) MiB"
        )
        filter(archives, count)
        try lookups(archives, count, "warm")
        dropCaches(url.path)
        try lookups(archives, count, "cold")
        dropCaches(url.path)
        let manifest = archives.manifest
        let opening = try clock.measure { archives = try builder.open(manifest) }
        report("opened", opening, count)
        for name in try disk.list() where name.hasSuffix(".index") { try disk.remove(name) }
        dropCaches(url.path)
        let building = try clock.measure {
            archives = try builder.index(builder.open(manifest))
        }
        report("indexes built again", building, count)
        print("resident \(Self.resident() >> 20) MiB, peak \(Self.peak() >> 20) MiB")
        try lookups(archives, count, "after that")
    }

    private func filter(_ archives: Archives, _ count: Int) {
        let tried = 1_000_000
        let admitted = (count..<count + tried).count { archives.mayContain(Self.key($0)) }
        print("unused keys that read the disk: \(Double(admitted) / Double(tried) * 100) %")
    }

    private func lookups(_ archives: Archives, _ count: Int, _ what: String) throws {
        var random = SeededGenerator(seed: 7)
        let numbers = (0..<3000).map { _ in Int.random(in: 0..<count, using: &random) }
        try time("\(what), by key", numbers) { try archives.find(.key(Self.key($0))) != nil }
        try time("\(what), by id", numbers) { try archives.find(.transaction(Self.id($0))) != nil }
        try time("\(what), by order", numbers) { try archives.find(.order(Self.order($0))) != nil }
        try time("\(what), absent key", numbers) {
            try archives.find(.key(Self.key($0 + count))) == nil
        }
        try time("\(what), page of 100", Array(numbers.prefix(200))) {
            try !archives.page(of: "demo", after: UInt64($0), limit: 100).entries.isEmpty
        }
    }

    private func time(_ what: String, _ numbers: [Int], _ body: (Int) throws -> Bool) throws {
        var times: [Duration] = []
        for number in numbers {
            let start = clock.now
            #expect(try body(number))
            times.append(clock.now - start)
        }
        times.sort()
        print(
            "\(what): p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100]), max \(times[times.count - 1])"
        )
    }

    private func report(_ what: String, _ time: Duration, _ count: Int) {
        print("\(what): \(time), \(time / count) each")
    }

    /// Takes the files of a directory out of the page cache.
    private func dropCaches(_ path: String) {
        sync()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            let descriptor = open("\(path)/\(name)", O_RDONLY)
            if descriptor >= 0 {
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                close(descriptor)
            }
        }
    }

    private static func spread(_ number: Int, _ kind: UInt64) -> UniqueID {
        var random = SeededGenerator(seed: UInt64(number) << 2 | kind)
        return UniqueID(randomHigh: random.next(), randomLow: random.next())
    }

    private static func id(_ number: Int) -> TransactionID { TransactionID(spread(number, 0)) }

    private static func order(_ number: Int) -> OrderID { OrderID(spread(number, 1)) }

    /// A key of 36 bytes.
    private static func key(_ number: Int) -> OpaqueText {
        OpaqueText(spread(number, 2).description)
    }

    private static func closed(_ number: Int) -> ClosedFact {
        let origin = Origin(uid: 1000, client: "shop", connection: 12, request: UInt64(number))
        var transaction = Transaction(
            id: id(number), account: "demo",
            payment: Payment(product: Samples.coins, appAccountToken: nil), state: .purchased,
            country: Samples.country("DE"), order: order(number), originalOrder: order(number),
            charge: Charge(price: Samples.price("9.90", "EUR")), reason: .purchase, revision: 5,
            createdAt: Samples.time, updatedAt: Samples.time, origin: origin)
        transaction.attempt = 1
        return .transaction(
            transaction, key: key(number),
            Finish(time: Samples.time, reason: .finished, origin: origin))
    }

    private static func resident() -> Int { status("VmRSS:") }

    private static func peak() -> Int { status("VmHWM:") }

    /// A number of bytes from the status of this process.
    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
            Int($0)
        }
        return (number ?? 0) << 10
    }
}

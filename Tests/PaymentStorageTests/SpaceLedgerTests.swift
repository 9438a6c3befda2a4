import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("The ledger of room")
struct SpaceLedgerTests {
    private static func ledger(
        free: Int64 = 100_000, prefilled: Int64 = 0, reserve: Int64 = 0, lines: Int = 0,
        images: Int = 0
    ) -> SpaceLedger {
        var ledger = SpaceLedger(margin: 10_000, leastFreeFiles: 4)
        ledger.free = free
        ledger.prefilled = prefilled
        ledger.reserve = reserve
        ledger.claims = SpaceClaims(lines: lines, images: images)
        return ledger
    }

    @Test("admits new work up to the room that nothing has claimed, and no byte more")
    func edge() {
        let ledger = Self.ledger(free: 50_000, prefilled: 5000, reserve: 7000, lines: 6400)
        // 62,000 less the margin of 10,000, the claims, and a 64th of them for what segments waste.
        #expect(ledger.available == 62_000 - 10_000 - 6400 - 100)
        #expect(ledger.admits(45_500))
        #expect(!ledger.admits(45_501))
    }

    @Test("admits nothing without files to put it in", arguments: [(4 as Int64, true), (3, false)])
    func files(count: Int64, isAdmitted: Bool) {
        var ledger = Self.ledger()
        ledger.freeFiles = count
        #expect(ledger.admits(1) == isAdmitted)
    }

    @Test("lets a checkpoint take its own claims, and nothing else any")
    func uses() {
        let ledger = Self.ledger(free: 30_000, lines: 6400, images: 12_800)
        #expect(ledger.available == 500)
        #expect(ledger.room(for: .checkpoint) == 13_300)
        #expect(ledger.room(for: .other) == 500)
    }

    @Test("lets copies that can wait take free bytes only, not the reserve")
    func others() {
        let ledger = Self.ledger(free: 1000, reserve: 50_000)
        #expect(ledger.room(for: .other) == 1000)
        #expect(ledger.room(for: .checkpoint) == 41_000)
    }

    @Test("keeps all claims in reserve near the end of the disk, and a part far from it")
    func reserve() {
        let claims = 128 << 20
        let near = Self.ledger(free: 1 << 30, prefilled: 1000, lines: claims)
        let all = Int64(claims + claims / 64 + 10_000)
        #expect(near.wantedReserve(isFilling: false) == all - 1000)
        let far = Self.ledger(free: 2 << 30, prefilled: 1000, lines: claims)
        #expect(far.wantedReserve(isFilling: false) == 64 << 20 - 1000)
        #expect(far.wantedReserve(isFilling: true) == all - 1000)
    }

    @Test("counts what was written ahead for lines of the journal, and for nothing else")
    func writtenAhead() {
        let lines = Self.ledger(free: 0, prefilled: 90_000, lines: 64_000)
        #expect(lines.own == 74_000)
        let images = Self.ledger(free: 0, prefilled: 90_000, images: 64_000)
        #expect(images.own == 10_000)
        #expect(images.wantedReserve(isFilling: false) == 65_000)
    }

    @Test("counts nothing that was written ahead where new bytes take another place")
    func copyOnWrite() {
        var ledger = Self.ledger(free: 50_000, prefilled: 5000, lines: 6400)
        ledger.isCopyOnWrite = true
        #expect(ledger.available == 50_000 - 10_000 - 12_800 - 200)
        #expect(ledger.wantedReserve(isFilling: true) == 0)
        #expect(ledger.admits(13_500))
        #expect(!ledger.admits(13_501))
    }
}

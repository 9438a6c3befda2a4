import Testing

@testable import PaymentEngine

/// Whose work is done next.
@Suite struct UserRingTests {
    @Test func `users take turns, and the work of each keeps its order`() {
        var ring = UserRing<String>()
        for number in 1...4 { ring.offer("a\(number)", of: 1) }
        ring.offer("b1", of: 2)
        ring.offer("c1", of: 3)
        ring.offer("b2", of: 2)
        var order: [String] = []
        var shares: [Int] = []
        while let (work, ofUser) = ring.next() {
            order.append(work)
            shares.append(ofUser)
        }
        #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(shares == [4, 2, 1, 3, 1, 2, 1])
        #expect(ring.isEmpty)
    }

    @Test func `who comes back goes behind everybody who waits`() {
        var ring = UserRing<String>()
        ring.offer("flood", of: 1)
        ring.offer("honest", of: 2)
        var order: [String] = []
        for _ in 1...4 {
            guard let (work, _) = ring.next() else { break }
            order.append(work)
            if work == "flood" { ring.offer(work, of: 1) }
        }
        #expect(order == ["flood", "honest", "flood", "flood"])
    }

    @Test func `a user whose turn was the last one gives way to one that came later`() {
        var ring = UserRing<String>()
        ring.offer("a1", of: 1)
        #expect(ring.next()?.work == "a1")
        for work in ["a2", "a3"] { ring.offer(work, of: 1) }
        ring.offer("b1", of: 2)
        #expect(ring.next()?.work == "b1")
        #expect(ring.next()?.work == "a2")
        #expect(ring.next()?.work == "a3")
    }

    @Test func `work that is no longer wanted is taken out, and its user with the last of it`() {
        var ring = UserRing<String>()
        for work in ["a1", "a2", "a3"] { ring.offer(work, of: 1) }
        ring.offer("b1", of: 2)
        #expect(ring.remove(of: 1) { $0 != "a2" } == ["a1", "a3"])
        #expect(ring.remove(of: 2) { _ in true } == ["b1"])
        #expect(ring.remove(of: 2) { _ in true }.isEmpty)
        #expect(ring.next()?.work == "a2")
        #expect(ring.isEmpty)
    }
}

import Testing

@testable import PaymentServer

/// Whose work is done next.
@Suite struct AdmissionRingTests {
    @Test func `users take turns, and the work of each keeps its order`() {
        var ring = AdmissionRing<String>()
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
        var ring = AdmissionRing<String>()
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
}

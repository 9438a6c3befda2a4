import PaymentCore
import Testing

@testable import PaymentEngine

/// The products that observers take.
@Suite struct ObserverTallyTests {
    @Test func `a product is observed until its last observer has gone`() {
        var tally = ObserverTally()
        var observers = ActiveObservers()
        tally.add(["coins", "map"], to: &observers)
        tally.add(["coins"], to: &observers)
        tally.remove(["coins", "map"], from: &observers)
        #expect(observers == ActiveObservers(products: ["coins"]))
        tally.remove(["coins"], from: &observers)
        #expect(observers == ActiveObservers())
    }

    @Test func `everything is observed until the last observer of everything has gone`() {
        var tally = ObserverTally()
        var observers = ActiveObservers()
        tally.add(nil, to: &observers)
        tally.add(nil, to: &observers)
        tally.add(["coins"], to: &observers)
        tally.remove(nil, from: &observers)
        #expect(observers == ActiveObservers(everything: true, products: ["coins"]))
        tally.remove(nil, from: &observers)
        #expect(observers == ActiveObservers(products: ["coins"]))
    }
}

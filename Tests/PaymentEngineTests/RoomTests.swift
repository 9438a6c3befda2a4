import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Room for work")
struct RoomTests {
    /// A bench on whose disk the user 1000 holds more than its share.
    private func crowded() -> EngineBench {
        let history = MemoryHistory()
        history.bytesByUser = [1000: 400_000]
        let bench = EngineBench(history: history)
        bench.journal.roomBytes = 400_000
        return bench
    }

    private func isBeyondShare(_ refusal: EngineRefusal?) -> Bool {
        if case .refused(.shareExceeded(.diskBytes, _, _))? = refusal { true } else { false }
    }

    /// How an addition by a user is refused; nil if it is accepted.
    private func refusal(_ bench: EngineBench, of user: UInt32) -> EngineRefusal? {
        do throws(EngineRefusal) {
            _ = try bench.engine.commands.add(
                AddRequest(productIdentifier: Samples.coins),
                origin: Origin(uid: user, connection: 7, request: 1))
            return nil
        } catch {
            return error
        }
    }

    @Test("A user that holds its share of the disk adds nothing more, while others do")
    func share() {
        let bench = crowded()
        let head = bench.engine.queue.head
        #expect(isBeyondShare(refusal(bench, of: 1000)))
        #expect(bench.engine.queue.head == head && bench.journal.batch.isEmpty)
        #expect(refusal(bench, of: 1001) == nil)
    }

    @Test(
        "A payment that would wait for a login is refused at once if there is no room for it",
        arguments: [true, false])
    func login(isShort: Bool) {
        let bench = crowded()
        bench.agent([.login])
        bench.journal.isShortOfSpace = isShort
        let answered = Answered<AddReply>()
        bench.engine.login.addAfterLogin(
            AddRequest(productIdentifier: Samples.coins), origin: Samples.origin
        ) { answered.take($0) }
        bench.run()
        #expect(answered.all.count == 1)
        let refusal = answered.refusals.first ?? nil
        #expect(isShort ? refusal == .outOfSpace(bench.journal.room) : isBeyondShare(refusal))
        #expect(bench.question == nil)
    }

    @Test("The outcome of an order is recorded without room, because its room was claimed")
    func claimed() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.journal.isShortOfSpace = true
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
        #expect(bench.gateway.submissions.count == 1)
    }

    @Test("An outcome that asks a question waits for room, and the store is asked again")
    func unclaimed() {
        let (bench, _) = EngineBench.asking()
        let id = bench.add().transaction.id
        bench.gateway.store.catalogues[Samples.germany] = Samples.catalogue(
            of: Samples.germany, amount: "12.00")
        bench.run()
        bench.journal.isShortOfSpace = true
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .submitted && bench.question == nil)
        bench.journal.isShortOfSpace = false
        bench.loop.advance(by: .milliseconds(250))
        #expect(bench.gateway.submissions.map(\.transaction) == [id, id])
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .gated && bench.question?.question.cause == .price)
    }

    @Test("A payment question waits for room, and the engine comes to rest meanwhile")
    func question() {
        let bench = EngineBench.busy()
        bench.agent([.payment])
        let id = bench.add().transaction.id
        bench.journal.isShortOfSpace = true
        var steps = 0
        while steps < 1000, bench.loop.runOne() { steps += 1 }
        #expect(steps < 1000)
        #expect(bench.state(id) == .waiting && bench.question == nil)
        bench.journal.isShortOfSpace = false
        bench.engine.turn.join(Replier())
        bench.run()
        #expect(bench.state(id) == .gated && bench.question?.question.kind == .payment)
    }
}

@Suite("What decisions depend on")
struct DecisionFactsTests {
    @Test("Each decision has the time at which it was made")
    func time() {
        let bench = EngineBench.busy()
        bench.addMany(3)
        let times = bench.journal.durable.compactMap { record -> Timestamp? in
            if case .transaction(.added, _) = record.event { record.time } else { nil }
        }
        #expect(times.count == 3)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "A payment shows whether its account may still have an introductory offer",
        arguments: [true, false])
    func offer(isTaken: Bool) {
        var club = Samples.product(Samples.club, .autoRenewableSubscription)
        club.introductoryPrice = PricePeriod(
            price: Samples.price, period: SubscriptionPeriod(unit: .week, numberOfUnits: 1))
        let catalogue = Catalogue(country: Samples.germany, products: [club])
        var store = StoreModel()
        store.catalogues[Samples.germany] = catalogue
        store.introduced[Samples.anna] = isTaken ? [Samples.club] : []
        let bench = EngineBench(store: store)
        bench.engine.store.catalogues.use(catalogue)
        bench.logIn()
        let product = bench.add(Samples.club).transaction.payment.product.product
        #expect(product.introductoryOfferEligible == !isTaken)
    }

    @Test("A payment question stays open as long as the time limits say")
    func patience() {
        let bench = EngineBench(timeouts: EngineTimeouts(payment: .seconds(3)))
        bench.logIn()
        bench.engine.start(observer: RecordingTarget())
        bench.agent([.payment])
        let id = bench.addMany(1)[0]
        bench.loop.advance(by: .milliseconds(2999))
        #expect(bench.state(id) == .gated)
        bench.loop.advance(by: .milliseconds(1))
        #expect(bench.state(id) == PaymentAgentTests.failed)
    }
}

import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("What the store tells by itself")
struct StoreFeedTests {
    /// An engine with an order that waits for an approval.
    private func waiting() -> (EngineBench, TransactionID) {
        let bench = EngineBench.owning([])
        bench.gateway.store.mood = .deferring
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        return (bench, id)
    }

    @Test(
        "An approval or a refusal is learned when the store says that orders changed",
        arguments: [true, false])
    func approval(isApproved: Bool) {
        let (bench, id) = waiting()
        #expect(bench.state(id) == .deferred)
        bench.gateway.purchaseAnswers = .none
        bench.gateway.store.decide(id, isApproved: isApproved)
        bench.loop.advance(by: .seconds(60))
        #expect(bench.state(id) == .deferred)
        bench.engine.store.didChange(.orders(Samples.bert))
        bench.run()
        #expect(bench.gateway.submissions.count == 1)
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.run()
        bench.gateway.endAll()
        #expect(
            bench.state(id)
                == (isApproved ? .purchased : .failed(PaymentFailure(.cancelled))))
        #expect(bench.gateway.submissions.map(\.attempt) == [1, 1])
    }

    @Test("What is decided while the store's older answer is on its way is asked about again")
    func overtaken() {
        let (bench, id) = waiting()
        bench.gateway.purchaseAnswers = .none
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.run()
        #expect(bench.gateway.waiting.count == 1)
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.run()
        #expect(bench.gateway.waiting.count == 1)
        bench.gateway.answerSubmission(.deferred(order: Samples.order(1)))
        bench.gateway.store.decide(id, isApproved: false)
        bench.run()
        bench.gateway.endAll()
        #expect(bench.state(id) == .failed(PaymentFailure(.cancelled)))
    }

    @Test("Without a feed an approval is learned when the time for the next look has come")
    func timer() {
        let (bench, id) = waiting()
        bench.gateway.purchaseAnswers = .none
        bench.gateway.store.decide(id, isApproved: false)
        bench.loop.advance(by: .seconds(901))
        bench.gateway.endAll()
        #expect(bench.state(id) == .failed(PaymentFailure(.cancelled)))
    }

    @Test("Whether the account may buy and where it is are asked again")
    func account() {
        let bench = EngineBench.owning([])
        bench.gateway.isAnswering = true
        bench.gateway.store.barred = [Samples.anna]
        bench.gateway.store.countries[Samples.anna] = Samples.norway
        bench.engine.store.didChange(.account(Samples.bert))
        bench.run()
        #expect(bench.engine.store.sessions.paymentsAllowed)
        bench.engine.store.didChange(.account(nil))
        bench.run()
        #expect(!bench.engine.store.sessions.paymentsAllowed)
        #expect(bench.engine.queue.session?.country == Samples.norway)
        #expect(bench.engine.queue.session?.account == Samples.anna)
    }

    @Test("A catalogue that could not be asked for again is forgotten while another is in use")
    func outdatedCatalogue() {
        let bench = EngineBench.owning([])
        bench.engine.store.didChange(.catalogue)
        bench.gateway.end(as: .requestLost)
        bench.move(to: Samples.norway)
        bench.gateway.endAll()
        #expect(bench.engine.store.catalogues[Samples.germany] != nil)
        bench.loop.advance(by: .seconds(5))
        #expect(bench.engine.store.catalogues[Samples.germany] == nil)
        #expect(bench.engine.store.catalogues[Samples.norway] != nil)
        bench.move(to: Samples.germany)
        bench.gateway.endAll()
        #expect(bench.engine.store.catalogues[Samples.germany] != nil)
    }

    @Test("Of several answers about the account each is used as it comes, the newest last")
    func answersInOrder() {
        let bench = EngineBench.owning([])
        bench.engine.store.didChange(.account(nil))
        bench.engine.store.didChange(.account(nil))
        bench.run()
        #expect(bench.gateway.waiting.count == 2)
        bench.gateway.store.countries[Samples.anna] = Samples.norway
        bench.gateway.end()
        bench.run()
        #expect(bench.engine.queue.session?.country == Samples.norway)
        bench.gateway.store.barred = [Samples.anna]
        bench.gateway.end()
        bench.run()
        #expect(!bench.engine.store.sessions.paymentsAllowed)
    }

    @Test("An answer that was made before an offer was charged does not bring the offer back")
    func olderAnswer() {
        let bench = EngineBench.owning([])
        var club = Samples.product(Samples.club, .autoRenewableSubscription)
        club.introductoryPrice = PricePeriod(
            price: Samples.price, period: SubscriptionPeriod(unit: .week, numberOfUnits: 1))
        bench.add(Samples.club)
        bench.run()
        bench.engine.store.didChange(.account(nil))
        bench.run()
        #expect(bench.engine.store.sessions.shown(club).introductoryOfferEligible == true)
        bench.gateway.answerSubmission(
            .purchased(
                PaidOrder(
                    order: Samples.order(1), original: Samples.order(1),
                    charge: Charge(price: Samples.price, offer: .introductory))))
        bench.run()
        bench.gateway.end()
        bench.run()
        #expect(bench.engine.store.sessions.shown(club).introductoryOfferEligible == false)
        // What the store says by now is asked for once more.
        bench.gateway.store.introduced[Samples.anna] = [Samples.club]
        bench.gateway.store.barred = [Samples.anna]
        bench.gateway.endAll()
        #expect(bench.engine.store.sessions.shown(club).introductoryOfferEligible == false)
        #expect(!bench.engine.store.sessions.paymentsAllowed)
    }

    @Test("A store that is back is asked at once, and what failed meanwhile was no attempt")
    func availability() {
        let bench = EngineBench.busy()
        let ids = bench.addMany(3)
        let failure = StoreFailure(.connectionError, "no answer")
        for _ in 1...9 {
            bench.engine.store.didChange(.availability(failure))
            for _ in ids { bench.gateway.end(as: .requestLost) }
            bench.run()
            #expect(!bench.engine.store.access.health.isUp)
            bench.gateway.timeUntilProbe = nil
            #expect(bench.engine.store.access.nextTry == nil)
            bench.gateway.timeUntilProbe = .seconds(4)
            let now = bench.engine.currentTime
            let next = bench.engine.store.access.nextTry
            #expect(
                next.map { now.advanced(bySeconds: 4)...now.advanced(bySeconds: 5) ~= $0 } == true)
            let asked = bench.gateway.submissions.count
            bench.loop.advance(by: .seconds(59))
            #expect(bench.gateway.submissions.count == asked)
            bench.engine.store.didChange(.availability(nil))
            bench.run()
            #expect(bench.engine.store.access.health.isUp)
            #expect(bench.engine.store.access.nextTry == nil)
            #expect(bench.gateway.submissions.dropFirst(asked).map(\.transaction) == ids)
        }
        for _ in ids { bench.gateway.end(as: .requestLost) }
        bench.run()
        bench.gateway.timeUntilProbe = nil
        #expect(bench.engine.store.access.nextTry != nil)
        bench.loop.advance(by: .milliseconds(250))
        for _ in ids { bench.gateway.end() }
        bench.run()
        #expect(ids.allSatisfy { bench.state($0) == .purchased })
    }

    @Test("The return of the store ends the waits of accounts that are away meanwhile, too")
    func availabilityOfOthers() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.engine.store.didChange(.availability(StoreFailure(.connectionError, "no answer")))
        bench.gateway.end(as: .requestLost)
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.engine.store.didChange(.availability(nil))
        bench.run()
        #expect(bench.gateway.submissions.count == 1)
        bench.logIn()
        #expect(bench.gateway.submissions.map(\.transaction) == [id, id])
    }

    @Test("Another catalogue is told once, and the same again is no news")
    func catalogue() {
        let bench = EngineBench.owning([])
        func revisions() -> [UInt64] {
            bench.journal.durable.compactMap { record in
                guard case .productsChanged(let revision) = record.event else { return nil }
                return revision
            }
        }
        bench.engine.store.didChange(.catalogue)
        bench.run()
        // Until the answer comes, what was known holds.
        #expect(bench.engine.store.catalogues[Samples.germany] != nil)
        #expect(bench.engine.store.catalogues[Samples.france] == nil)
        bench.gateway.endAll()
        #expect(revisions().isEmpty)
        let dear = Samples.catalogue(of: Samples.germany, amount: "12.00")
        bench.gateway.store.catalogues[Samples.germany] = dear
        bench.engine.store.didChange(.catalogue)
        bench.run()
        bench.gateway.end(as: .requestLost)
        bench.loop.advance(by: .seconds(5))
        bench.gateway.endAll()
        #expect(revisions() == [1])
        #expect(bench.engine.store.catalogues[Samples.germany] == dear)
    }
}

@Suite("Entitlements")
struct EntitlementTests {
    private typealias Answer = Result<[StorePurchase], EngineRefusal>

    private func ask(_ bench: EngineBench) -> Kept<Answer?> {
        let answer = Kept<Answer?>(nil)
        bench.engine.store.listing.entitlements { answer.value = $0 }
        return answer
    }

    @Test("They come from the store, from as many pages as there are")
    func pages() throws {
        let purchases = (1...25).map { Samples.purchase(UInt64($0)) }
        let bench = EngineBench.owning(purchases)
        bench.gateway.store.pageSize = 10
        let answer = ask(bench)
        bench.run()
        #expect(try answer.value?.get() == purchases)
    }

    @Test("Nobody in session has none to ask for, also when the account leaves meanwhile")
    func nobody() {
        let bench = EngineBench.owning([], answers: .held)
        let early = ask(bench)
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.gateway.endAll()
        #expect(early.value == .failure(.notLoggedIn))
        let late = ask(bench)
        #expect(late.value == .failure(.notLoggedIn))
    }

    @Test("A store that does not answer is told as it is, and a list without end is refused")
    func failures() {
        let bench = EngineBench.owning([], answers: .failing(.serviceUnavailable))
        let failed = ask(bench)
        bench.run()
        guard case .failure(.store(let failure)) = failed.value else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.kind == .serviceUnavailable)
        bench.gateway.purchaseAnswers = .none
        bench.gateway.store.elsewhere[Samples.anna] = (1...10_001).map {
            Samples.purchase(UInt64($0))
        }
        bench.gateway.purchaseAnswers = .told
        let endless = ask(bench)
        bench.run()
        #expect(endless.value.map { (try? $0.get()) == nil } == true)
    }
}

import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaymentEngine

private let first = Samples.transaction(1)
private let second = Samples.transaction(2)
private let silence = StoreFailure(.connectionError, "no answer")
private let refusal = StoreFailure(.internalError, "no")

@Suite("Calls of the store")
struct StoreCallsTests {
    @Test("One call about a transaction is under way at a time, and one more follows it")
    func oneAtATime() {
        var calls = StoreCalls()
        #expect(calls.begin(first) == true)
        #expect(calls.begin(second) == true)
        #expect(calls.begin(first) == false)
        #expect(calls.succeed(first) == .again)
        #expect(calls.succeed(second) == .done)
        #expect(calls.begin(first) == true)
        #expect(calls.succeed(first) == .done)
    }

    @Test("Failures double the wait up to a minute; a success begins anew")
    func backoff() {
        var calls = StoreCalls()
        let delays: [Duration] = [
            .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
            .seconds(8), .seconds(16), .seconds(32), .seconds(60), .seconds(60),
        ]
        for delay in delays {
            #expect(calls.begin(first) == true)
            #expect(calls.fail(first, whileAway: false) == .wait(delay))
            calls.endWait(first)
        }
        #expect(calls.begin(first) == true)
        #expect(calls.succeed(first) == .done)
        #expect(calls.begin(first) == true)
        #expect(calls.fail(first, whileAway: false) == .wait(.milliseconds(250)))
        calls.endWait(first)
        calls.forget(first)
        #expect(calls.begin(first) == true)
        #expect(calls.fail(first, whileAway: false) == .wait(.milliseconds(250)))
    }

    @Test("A failure while the store is away waits a minute and does not count")
    func away() {
        var calls = StoreCalls()
        #expect(calls.begin(first) == true)
        #expect(calls.fail(first, whileAway: true) == .wait(.seconds(60)))
        #expect(calls.begin(first) == false)
        #expect(calls.endAllWaits() == [first])
        #expect(calls.endAllWaits().isEmpty)
        #expect(calls.begin(first) == true)
        #expect(calls.fail(first, whileAway: false) == .wait(.milliseconds(250)))
    }

    @Test("A change at the store is asked about behind every call that is under way or waits")
    func retryAll() {
        var calls = StoreCalls()
        #expect(calls.begin(first) == true)
        #expect(calls.begin(second) == true)
        #expect(calls.fail(second, whileAway: false) == .wait(.milliseconds(250)))
        calls.retryAll()
        #expect(calls.succeed(first) == .again)
        calls.endWait(second)
        #expect(calls.begin(second) == true)
        #expect(calls.succeed(second) == .again)
    }
}

@Suite("Shared requests")
struct SharedRequestsTests {
    /// Requests; each list is of one user, from 0 on.
    private func requests(
        limit: Int? = nil, _ keys: [String]...
    ) -> SharedRequests<String, Int> {
        var requests = SharedRequests<String, Int>(limit: limit)
        for (user, keys) in keys.enumerated() {
            for key in keys { requests.join(key, of: UInt32(user)) { _ in } }
        }
        return requests
    }

    @Test("Callers share a request that waits, and none that is under way")
    func shared() {
        var requests = requests(["one", "one", "two"])
        #expect(requests.next() == "one")
        #expect(requests.next() == "two")
        requests.join("one") { _ in }
        requests.join("one") { _ in }
        requests.join("one") { _ in }
        #expect(requests.next() == nil)
        #expect(requests.callers("one").count == 2)
        requests.end("one")
        #expect(requests.next() == "one")
        #expect(requests.callers("one").count == 3)
        requests.end("one")
        #expect(requests.callers("two").count == 1)
        requests.end("two")
        #expect(requests.next() == nil)
    }

    @Test("No more requests than allowed are under way")
    func limited() {
        var requests = requests(limit: 2, ["one"], ["two"], ["three"])
        #expect(requests.next() == "one")
        #expect(requests.next() == "two")
        #expect(requests.next() == nil)
        #expect(requests.callers("two").count == 1)
        requests.end("two")
        #expect(requests.next() == "three")
        #expect(requests.next() == nil)
    }

    @Test("With a limit one request of each user is under way, and users take turns")
    func turns() {
        var requests = requests(limit: 2, ["a1", "a2", "a3"], ["b1", "b2"], ["c1"])
        #expect(requests.next() == "a1")
        #expect(requests.next() == "b1")
        requests.end("a1")
        #expect(requests.next() == "c1")
        requests.end("c1")
        #expect(requests.next() == "a2")
        requests.end("a2")
        #expect(requests.next() == "a3", "the request of the other user is still under way")
        #expect(requests.next() == nil)
        requests.end("b1")
        #expect(requests.next() == "b2")
        requests.join("b3", of: 1) { _ in }
        requests.end("a3")
        #expect(requests.next() == nil, "one request of a user at a time")
        requests.end("b2")
        #expect(requests.next() == "b3")
    }

    @Test("A request that users share is sent once, at the first of their turns")
    func sharedByUsers() {
        var requests = requests(limit: 2, ["a1", "shared"], ["b1"], ["shared"])
        #expect(requests.next() == "a1")
        #expect(requests.next() == "b1")
        requests.end("b1")
        #expect(requests.next() == "shared")
        #expect(requests.callers("shared").count == 2)
        requests.end("a1")
        requests.end("shared")
        #expect(requests.next() == nil)
    }
}

@Suite("Health of the store")
struct StoreHealthTests {
    @Test(
        "A failure that the store explains is an answer, unless it has said that it is down",
        arguments: [
            (false, nil, true), (false, refusal, true), (false, silence, false),
            (true, nil, true), (true, refusal, false), (true, silence, false),
        ] as [(Bool, StoreFailure?, Bool)])
    func isUp(isAway: Bool, failure: StoreFailure?, isUp: Bool) {
        var health = StoreHealth(name: "store", since: Samples.noon)
        if isAway { #expect(health.announce(silence, at: Samples.noon) == true) }
        let wasUp = health.isUp
        #expect(health.note(failure, at: Samples.noon) == (isUp != wasUp))
        #expect(health.isUp == isUp)
    }

    @Test("The next try is known unless the store is away, and forgotten with an answer")
    func nextTry() {
        var health = StoreHealth(name: "store", since: Samples.noon)
        health.planRetry(at: Samples.noon)
        #expect(health.nextTryAt == Samples.noon)
        #expect(health.note(nil, at: Samples.noon) == false)
        #expect(health.nextTryAt == nil)
        #expect(health.announce(silence, at: Samples.noon) == true)
        health.planRetry(at: Samples.noon)
        #expect(health.nextTryAt == nil)
    }
}

@Suite("Facts of the store")
struct StoreFactsTests {
    @Test("A catalogue is news if it replaces another one, and each has an edition of its own")
    func editions() {
        var catalogues = Catalogues()
        let old = Samples.catalogue(of: Samples.germany)
        let new = Samples.catalogue(of: Samples.germany, amount: "1.23")
        #expect(catalogues.edition(of: Samples.germany) == 0)
        let steps: [(Catalogue, isNews: Bool, edition: UInt64)] = [
            (old, false, 1), (old, false, 1), (new, true, 2), (old, true, 3),
        ]
        for (catalogue, isNews, edition) in steps {
            #expect(catalogues.use(catalogue) == isNews)
            #expect(catalogues.edition(of: Samples.germany) == edition)
        }
        #expect(catalogues.use(Samples.catalogue(of: Samples.norway)) == false)
        #expect(catalogues.countries == [Samples.germany, Samples.norway])
        catalogues.forgetAll(but: Samples.norway)
        #expect(catalogues[Samples.germany] == nil)
        #expect(catalogues[Samples.norway] != nil)
    }

    @Test("A catalogue is asked for once until the question has ended")
    func wanted() {
        var catalogues = Catalogues()
        #expect(catalogues.want(Samples.germany) == true)
        #expect(catalogues.want(Samples.germany) == false)
        catalogues.endQuestion(Samples.germany)
        #expect(catalogues.want(Samples.germany) == true)
    }

    @Test("An answer counts unless a later one, or a login, has come before it")
    func answers() {
        var facts = SessionFacts()
        let questions = [facts.ask(), facts.ask(), facts.ask()]
        #expect(facts.answer(questions[1]) == true)
        #expect(facts.answer(questions[0]) == false)
        #expect(facts.answer(questions[1]) == false)
        #expect(facts.isAwaited)
        facts.sessionOpened()
        #expect(!facts.isAwaited)
        #expect(facts.answer(questions[2]) == false)
        #expect(facts.sessionsOpened == 1)
    }

    @Test("Without facts the account may buy, and nothing is known of its offers")
    func unknown() {
        var facts = SessionFacts()
        facts.use(AccountFacts(country: nil, paymentsAllowed: false, introduced: ["club"]))
        facts.introduce("gym")
        #expect(!facts.paymentsAllowed)
        #expect(facts.introduced == ["club", "gym"])
        facts.use(nil)
        facts.introduce("gym")
        #expect(facts.paymentsAllowed)
        #expect(facts.introduced == nil)
    }
}

@Suite("Line of logins")
struct LoginLineTests {
    private struct Caller: LoginCaller {
        var isGone = false
        var hasCancelled = false
    }

    private func login(
        _ account: AccountName, of user: UInt32 = 1000, isGone: Bool = false
    ) -> PendingLogin {
        PendingLogin(
            account: account, credential: nil, origin: Origin(uid: user, connection: 1, request: 1),
            caller: Caller(isGone: isGone)
        ) { _ in }
    }

    @Test("One login is under way at a time, and a user's logins keep their order")
    func order() {
        var line = LoginLine()
        for account: AccountName in ["one", "two"] { _ = line.append(login(account)) }
        #expect(line.begin()?.account == "one")
        #expect(line.begin() == nil)
        #expect(line.current?.account == "one")
        #expect(line.end()?.account == "one")
        #expect(line.begin()?.account == "two")
        #expect(line.end()?.account == "two")
        #expect(line.begin() == nil && line.end() == nil)
    }

    @Test("Many logins of one user delay that of another by the one under way")
    func turns() {
        var line = LoginLine()
        _ = line.append(login("anna"))
        #expect(line.begin()?.account == "anna")
        for _ in 1...9 { _ = line.append(login("anna")) }
        _ = line.append(login("bert", of: 1001))
        _ = line.end()
        #expect(line.begin()?.account == "bert")
    }

    @Test("A user's logins whose callers are gone do not stay in the line")
    func gone() {
        var line = LoginLine()
        _ = line.append(login("one", isGone: true))
        _ = line.append(login("other", of: 1001, isGone: true))
        #expect(line.append(login("two", isGone: true)).map(\.account) == ["one"])
        #expect(line.append(login("three")).map(\.account) == ["two"])
    }

    @Test("A logout takes out the logins that wait and marks the one under way")
    func cancelled() {
        var line = LoginLine()
        #expect(line.cancelAll().isEmpty)
        for account: AccountName in ["one", "two", "three"] { _ = line.append(login(account)) }
        _ = line.begin()
        #expect(line.cancelAll().map(\.account) == ["two", "three"])
        #expect(line.current?.isCancelled == true)
        _ = line.append(login("four"))
        #expect(line.cancelAll().map(\.account) == ["four"])
    }
}

@Suite("Walks through purchases")
struct PurchaseWalkTests {
    private final class Told: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }

        func add(_ word: String) {
            words.withLock { $0.append(word) }
        }
    }

    private func revoked(_ number: UInt64) -> RevokedOrder {
        RevokedOrder(
            order: Samples.order(number), product: Samples.book, revocation: Samples.refund)
    }

    @Test("One reconciliation runs at a time; one that is wanted meanwhile follows")
    func oneAtATime() {
        var walk = Reconciliation()
        #expect(walk.begin(for: Samples.anna) == 1)
        #expect(walk.isRunning(1, for: Samples.anna))
        #expect(!walk.isRunning(1, for: Samples.bert))
        #expect(walk.begin(for: Samples.anna) == nil)
        #expect(walk.end()?.number == 1)
        #expect(walk.isWantedAgain)
        #expect(walk.end()?.number == nil)
        #expect(walk.begin(for: Samples.anna) == 2)
        #expect(!walk.isWantedAgain)
    }

    @Test("A failed run tells its listeners; its callers wait for the next")
    func failed() throws {
        var walk = Reconciliation()
        let told = Told()
        walk.add { told.add("caller") }
        walk.add { failure in told.add(failure == nil ? "well" : "badly") }
        #expect(walk.begin(for: Samples.anna) == 1)
        let failure = walk.fail()
        let failed = try #require(failure)
        #expect(failed.delay == .milliseconds(250))
        for listener in failed.listeners { listener(silence) }
        #expect(walk.failures == 1)
        #expect(walk.begin(for: Samples.anna) == 2)
        let end = walk.end()
        let run = try #require(end)
        #expect(run.listeners.isEmpty)
        for caller in run.callers { caller() }
        #expect(told.all == ["badly", "caller"])
        #expect(walk.failures == 0)
    }

    @Test("Another account ends the run and tells its callers; without a session all are told")
    func abandoned() {
        var walk = Reconciliation()
        walk.add(caller: {})
        #expect(walk.begin(for: Samples.anna) == 1)
        walk.add(caller: {})
        #expect(walk.abandon(unless: Samples.anna).isEmpty)
        #expect(walk.abandon(unless: Samples.bert).count == 1)
        #expect(walk.run == nil)
        #expect(walk.abandon(unless: nil).count == 1)
        #expect(walk.abandon(unless: nil).isEmpty)
    }

    @Test("Revoked orders are taken once there are enough of them")
    func revokedOrders() {
        var walk = Reconciliation()
        #expect(walk.takeRevoked(atLeast: 1).isEmpty)
        #expect(walk.begin(for: Samples.anna) == 1)
        walk.received([revoked(1)])
        #expect(walk.takeRevoked(atLeast: 2).isEmpty)
        walk.received([revoked(2)])
        #expect(walk.takeRevoked(atLeast: 2) == [revoked(1), revoked(2)])
        #expect(walk.takeRevoked(atLeast: 1).isEmpty)
    }

    @Test("A list of pages without an end is noticed")
    func endless() {
        var walk = Reconciliation()
        #expect(walk.begin(for: Samples.anna) == 1)
        for _ in 1..<Reconciliation.pagesPerAnswer { walk.received([]) }
        #expect(!walk.isEndless)
        walk.received([])
        #expect(walk.isEndless)
    }

    private func restoreRun(token: OpaqueText? = nil) -> RestoreRun {
        let id = RestoreID(Samples.transaction(7).value)
        return RestoreRun(
            number: 1,
            restore: Restore(
                id: id, account: Samples.anna, appAccountToken: token, createdAt: Samples.noon))
    }

    @Test("A restore gathers the newest of each chain that has its token, page by page")
    func gathered() {
        var run = restoreRun(token: "mine")
        let old = Samples.purchase(1, token: "mine")
        let other = Samples.purchase(2, token: "another")
        let new = Samples.purchase(3, original: 1, token: "mine")
        #expect(run.received(PurchasePage(purchases: [old, other], next: "2")) == .ask(page: "2"))
        #expect(run.received(PurchasePage(purchases: [new])) == .giveBack)
        #expect(run.next() == new)
        run.gaveBack()
        #expect(run.next() == nil)
        #expect(run.outcome == .completed(count: 1))
        run.foundNoRoom()
        #expect(run.outcome == .failed(.internalError))
    }

    @Test("A list of more purchases than allowed ends a restore", arguments: [0, 1])
    func tooLong(extra: Int) {
        var run = restoreRun()
        let many = (1...RestoreRun.purchasesPerAnswer + extra).map {
            Samples.purchase(UInt64($0))
        }
        let next = run.received(PurchasePage(purchases: many))
        #expect(next == (extra == 0 ? .giveBack : .endless))
    }

    @Test(
        "Each failure ends a restore or passes", arguments: StoreFailure.Kind.allCases)
    func outcomes(kind: StoreFailure.Kind) {
        let outcome = RestoreRun.outcome(of: StoreFailure(kind, ""))
        switch kind {
        case .connectionError, .serviceUnavailable: #expect(outcome == nil)
        case .appNotRegistered: #expect(outcome == .failed(.appNotRegistered))
        case .unknownAccount, .badCredential, .sessionRevoked, .storageFailed, .internalError:
            #expect(outcome == .failed(.internalError))
        }
    }

    @Test("When the time is up the last failure says why")
    func timeout() {
        var run = restoreRun()
        #expect(run.outcomeOfTimeout == .failed(.connectionError))
        #expect(run.fail(StoreFailure(.serviceUnavailable, "")) == .milliseconds(250))
        #expect(run.outcomeOfTimeout == .failed(.serviceUnavailable))
        #expect(run.fail(silence) == .milliseconds(500))
        #expect(run.outcomeOfTimeout == .failed(.connectionError))
    }
}

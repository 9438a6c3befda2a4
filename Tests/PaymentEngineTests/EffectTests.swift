import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Orders and completions")
struct EffectTests {
    @Test("An order leaves only after the record of it is durable")
    func submittedFirst() {
        let bench = EngineBench.busy()
        let id = bench.add().transaction.id
        bench.journal.onCommit = { records in
            #expect(bench.gateway.submissions.isEmpty)
            #expect(
                records.contains { record in
                    guard case .transaction(.submitted, let transaction) = record.event else {
                        return false
                    }
                    return transaction.id == id
                })
        }
        bench.run()
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("A purchase goes from add to removal, each step asked of the store once")
    func purchase() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
        #expect(bench.finish(id) == .completing)
        bench.run()
        #expect(bench.gateway.completions == [Samples.order(1)])
        bench.gateway.end()
        bench.run()
        #expect(bench.finish(id) == .alreadyFinished)
        #expect(bench.gateway.submissions.count == 1)
        #expect(bench.gateway.store.orders[id]?.completions == 1)
    }

    @Test("What the store does not answer is asked for again, after twice as long each time")
    func backoff() {
        let bench = EngineBench.busy()
        bench.addMany(1)
        var delays: [Int] = [250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]
        delays.append(60000)
        for (index, delay) in delays.enumerated() {
            #expect(bench.gateway.submissions.count == index + 1)
            bench.gateway.end(as: .requestLost)
            bench.run()
            #expect(bench.engine.store.access.health.nextTryAt != nil)
            bench.loop.advance(by: .milliseconds(delay - 1))
            #expect(bench.gateway.submissions.count == index + 1)
            bench.loop.advance(by: .milliseconds(1))
        }
        bench.gateway.end()
        bench.run()
        #expect(bench.engine.store.access.health.isUp)
        #expect(bench.engine.store.access.health.nextTryAt == nil)
    }

    @Test("A store that ended the session is there, and what waits leaves with the next login")
    func sessionRevoked() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        for delay in [250, 500, 1000, 2000, 4000, 8000, 16000] {
            bench.gateway.end(as: .refused(.sessionRevoked))
            bench.run()
            #expect(bench.engine.store.access.health.isUp)
            #expect(bench.engine.store.access.health.lastError != nil)
            bench.loop.advance(by: .milliseconds(delay))
        }
        bench.gateway.end(as: .refused(.sessionRevoked))
        bench.run()
        let count = bench.gateway.submissions.count
        bench.gateway.isAnswering = true
        bench.logIn()
        #expect(bench.gateway.submissions.count == count + 1)
        #expect(bench.state(id) == .purchased)
    }

    @Test(
        "An account that the store does not serve has no history, as if nobody were logged in",
        arguments: [
            (StoreFailure.Kind.unknownAccount, StoreFailure.Kind.sessionRevoked),
            (.badCredential, .sessionRevoked), (.sessionRevoked, .sessionRevoked),
            (.appNotRegistered, .appNotRegistered), (.internalError, .internalError),
            (.serviceUnavailable, .serviceUnavailable),
        ])
    func history(failure: StoreFailure.Kind, told: StoreFailure.Kind) {
        let bench = EngineBench.busy()
        bench.gateway.historyFailure = failure
        let answers = Kept<StoreFailure.Kind?>(nil)
        bench.engine.store.listing.signedHistory(of: 1) { result in
            if case .failure(.store(let failure)) = result { answers.value = failure.kind }
        }
        bench.run()
        #expect(answers.value == told)
    }

    @Test("One page of history is asked for each user at a time, and users take turns")
    func historiesInTurn() {
        let bench = EngineBench.busy()
        bench.gateway.historyFailure = nil
        for limit in 1...3 {
            bench.engine.store.listing.signedHistory(HistoryQuery(limit: limit), of: 1) { _ in }
        }
        #expect(bench.gateway.historyLimits == [1])
        for user in 2...3 as ClosedRange<UInt32> {
            bench.engine.store.listing.signedHistory(HistoryQuery(limit: 9), of: user) { _ in }
        }
        var asked = bench.gateway.historyLimits
        while !bench.gateway.waiting.isEmpty {
            let before = bench.gateway.historyLimits
            bench.gateway.end()
            bench.run()
            asked += bench.gateway.historyLimits.filter { !before.contains($0) }
        }
        #expect(asked == [1, 9, 2, 3])
    }

    @Test("A logout is told to the store, and what waited goes on with the next login")
    func logOut() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end(as: .requestLost)
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(bench.gateway.loggedOut == [Samples.anna])
        bench.logIn()
        bench.run()
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
    }

    @Test("An answer that is lost costs a repetition and no second charge")
    func lostAnswer() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end(as: .answerLost)
        bench.run()
        #expect(bench.state(id) == .submitted)
        bench.loop.advance(by: .milliseconds(250))
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
        #expect(bench.gateway.store.history == [id])
    }

    @Test("A completion is repeated until the store has heard it, over a restart")
    func completionRepeats() {
        var bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        bench.finish(id)
        bench.run()
        for _ in 1...5 {
            bench.gateway.end(as: .answerLost)
            bench.loop.advance(by: .seconds(60))
        }
        #expect(bench.state(id) == .completing)
        bench = bench.restarted()
        #expect(bench.gateway.completions == [Samples.order(1)])
        bench.gateway.end()
        bench.run()
        #expect(bench.finish(id) == .alreadyFinished)
    }

    @Test("After a restart everything that was under way is asked for again, and nothing else")
    func derivedAgain() {
        let first = EngineBench.busy()
        let ids = first.addMany(4)
        first.gateway.store.mood = .deferring
        first.gateway.end()
        first.gateway.store.mood = .charging
        first.gateway.end()
        first.gateway.end()
        first.run()
        first.finish(ids[1])
        first.run()
        let second = first.restarted()
        #expect(Set(second.gateway.submissions.map(\.transaction)) == [ids[0], ids[3]])
        #expect(second.gateway.submissions.count == 2)
        #expect(second.gateway.completions == [Samples.order(2)])
        #expect(second.state(ids[2]) == .purchased)
    }

    @Test("An order without an answer from the store is asked for while nobody watches, too")
    func withoutObserver() {
        let first = EngineBench.busy()
        let id = first.addMany(1)[0]
        let second = first.restarted()
        #expect(second.engine.subscriptions.all.isEmpty)
        second.gateway.end()
        second.run()
        #expect(second.state(id) == .purchased)
    }

    @Test("Nothing is asked of the store for an account that is not in session")
    func otherAccount() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end(as: .requestLost)
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.loop.advance(by: .seconds(600))
        #expect(bench.gateway.submissions.count == 1)
        bench.logIn()
        #expect(bench.gateway.submissions.map(\.transaction) == [id, id])
    }

    @Test("An answer that comes after the account has gone is kept for it")
    func lateAnswer() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
        #expect(bench.restarted().state(id) == .purchased)
    }

    @Test("A hidden transaction that was finished is completed when its account is back")
    func hiddenFinish() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        bench.logIn(Samples.bert)
        #expect(bench.finish(id) == .completing)
        bench.run()
        bench.loop.advance(by: .seconds(600))
        #expect(bench.gateway.completions.isEmpty)
        bench.logIn(Samples.anna)
        #expect(bench.gateway.completions == [Samples.order(1)])
    }

    @Test("Logging out and in again while a call is under way does not double it")
    func noDouble() {
        let bench = EngineBench.busy()
        bench.addMany(1)
        for _ in 1...3 {
            bench.engine.store.sessions.logOut(origin: nil)
            bench.run()
            bench.logIn()
        }
        #expect(bench.gateway.submissions.count == 1)
    }

    @Test(
        "An order that is settled and finished before it is asked for again is not, and completes")
    func staleEffect() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        // The account is back, and the answer arrives before what it left behind is looked at.
        bench.gateway.end()
        bench.gateway.isAnswering = true
        bench.engine.store.sessions.logIn(account: Samples.anna, credential: nil, origin: nil) {
            _ in
        }
        for _ in 0..<100 where bench.engine.queue.session == nil { _ = bench.loop.runOne() }
        bench.gateway.isAnswering = false
        bench.finish(id)
        bench.run()
        #expect(bench.gateway.submissions.count == 1)
        #expect(bench.gateway.completions.count == 1)
    }

    @Test("What the feed settled while its order is asked for is completed when it is finished")
    func settledByTheFeed() {
        for isUnderWay in [true, false] {
            let bench = EngineBench.busy()
            let id = bench.addMany(1)[0]
            // The answer is lost, and the order is asked for again or waits for that.
            bench.gateway.end(as: .answerLost)
            bench.run()
            if isUnderWay { bench.loop.advance(by: .milliseconds(250)) }
            bench.gateway.purchaseAnswers = .told
            bench.engine.store.didChange(.orders(Samples.anna))
            bench.run()
            #expect(bench.state(id) == .purchased)
            #expect(bench.finish(id) == .completing)
            bench.run()
            if isUnderWay {
                bench.gateway.end()
                bench.run()
            } else {
                bench.loop.advance(by: .milliseconds(250))
            }
            #expect(bench.gateway.submissions.count == (isUnderWay ? 2 : 1))
            #expect(bench.gateway.completions.count == 1)
            bench.gateway.end()
            bench.run()
            #expect(bench.finish(id) == .alreadyFinished)
        }
    }

    @Test("An order of a changed price is asked for again at the new one")
    func priceChange() {
        let bench = EngineBench.busy()
        let id = bench.add().transaction.id
        let dear = Samples.catalogue(of: Samples.germany, amount: "12.00")
        bench.gateway.store.catalogues[Samples.germany] = dear
        bench.run()
        bench.gateway.end()
        bench.run()
        #expect(bench.gateway.submissions.map(\.product.price.amount.text) == ["9.99", "12.00"])
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
        #expect(bench.gateway.store.orders[id]?.request.product.price.amount.text == "12.00")
    }

    @Test("An embedded store that cannot keep what it is told stops the engine, once")
    func storageFailed() {
        let bench = EngineBench.busy()
        bench.addMany(2)
        bench.gateway.end(as: .refused(.storageFailed))
        bench.gateway.end(as: .refused(.storageFailed))
        bench.run()
        #expect(bench.failures.count == 1)
        bench.loop.advance(by: .seconds(600))
        #expect(bench.gateway.submissions.count == 2)
        let reply = Replier()
        bench.engine.turn.join(reply)
        bench.run()
        #expect(!reply.isReleased)
    }

    @Test("The state of the store is noted with its beginning and its reason")
    func health() {
        let bench = EngineBench.busy()
        bench.addMany(1)
        let since = bench.engine.store.access.health.since
        bench.gateway.end(as: .refused(.serviceUnavailable))
        bench.run()
        let health = bench.engine.store.access.health
        #expect(!health.isUp)
        #expect(health.since > since)
        #expect(health.lastError == "the store was told to refuse")
        bench.loop.advance(by: .milliseconds(250))
        bench.gateway.end(as: .refused(.serviceUnavailable))
        bench.run()
        #expect(bench.engine.store.access.health.since == health.since)
        bench.loop.advance(by: .milliseconds(500))
        bench.gateway.end()
        bench.run()
        #expect(bench.engine.store.access.health.isUp)
        #expect(bench.engine.store.access.health.lastError == nil)
    }
}

extension ScriptedGateway {
    /// The limits of the pages of history that wait for an answer, in the order of the requests.
    fileprivate var historyLimits: [Int?] {
        waiting.compactMap { request in
            if case .signedHistory(_, let query, _) = request { .some(query.limit) } else { nil }
        }
    }
}

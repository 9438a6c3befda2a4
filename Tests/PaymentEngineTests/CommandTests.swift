import PaymentCore
import PaymentEngine
import PaymentTesting
import Synchronization
import Testing

@Suite("Commands")
struct CommandTests {
    private func refusal(_ bench: EngineBench, _ product: ProductIdentifier) -> EngineRefusal? {
        do throws(EngineRefusal) {
            let request = AddRequest(productIdentifier: product)
            _ = try bench.engine.commands.add(request, origin: Samples.origin)
            return nil
        } catch {
            return error
        }
    }

    @Test("Add answers with the transaction, its own record and what it waits for")
    func add() {
        let bench = EngineBench()
        let first = bench.add(key: "k")
        #expect(first.waitingFor == .login)
        #expect(first.sequence == bench.engine.queue.head)
        #expect(!first.isDuplicate)
        #expect(first.removed == nil)
        bench.logIn()
        #expect(bench.add().waitingFor == .observer)
        bench.engine.start(observer: RecordingTarget())
        #expect(bench.add().waitingFor == .store)
        bench.finish(first.transaction.id)
        let again = bench.add(key: "k")
        #expect(again.isDuplicate)
        #expect(again.removed?.reason == .withdrawn)
        #expect(again.sequence == bench.engine.queue.head)
    }

    @Test("What is finished behind an idle mark is answered with the number of its own record")
    func finishWhenIdle() throws {
        let bench = EngineBench()
        let id = bench.add().transaction.id
        bench.run()
        bench.loop.advance(by: .seconds(1))
        #expect(bench.journal.idleMarks > 0)
        let (disposition, sequence) = try bench.engine.commands.finish(id, origin: Samples.origin)
        #expect(disposition == .removed)
        bench.run()
        let record = try #require(bench.journal.durable.last)
        guard case .transaction(.removed, _) = record.event else {
            Issue.record("\(record) is not the removal")
            return
        }
        #expect(sequence == record.sequence)
        #expect(
            try bench.engine.commands.finish(id, origin: Samples.origin).sequence == record.sequence
        )
    }

    @Test("A product is unknown only when the catalogue is known")
    func unknownProduct() {
        let known = EngineBench()
        #expect(refusal(known, "nothing") == .refused(.unknownProduct("nothing")))
        let unknown = EngineBench(knowsCatalogues: false)
        guard case .store(let failure)? = refusal(unknown, Samples.coins) else {
            Issue.record("the store was not named")
            return
        }
        #expect(failure.kind == .connectionError)
        unknown.gateway.end(as: .refused(.serviceUnavailable))
        unknown.run()
        guard case .store(let answered)? = refusal(unknown, Samples.coins) else {
            Issue.record("the store was not named")
            return
        }
        #expect(answered.kind == .serviceUnavailable)
    }

    @Test("The catalogue of the country is asked for at the start, and again until it is there")
    func catalogue() {
        let bench = EngineBench(knowsCatalogues: false)
        #expect(bench.gateway.waiting.count == 1)
        bench.gateway.end(as: .requestLost)
        bench.run()
        #expect(bench.engine.store.access.health.isUp == false)
        #expect(bench.gateway.waiting.isEmpty)
        bench.loop.advance(by: .seconds(5))
        #expect(bench.gateway.waiting.count == 1)
        bench.gateway.endAll()
        #expect(bench.engine.store.access.health.isUp)
        #expect(refusal(bench, Samples.coins) == nil)
    }

    @Test("Without room nothing new is accepted, and what was accepted can be ended")
    func outOfSpace() {
        let bench = EngineBench()
        bench.logIn()
        let id = bench.add(key: "k").transaction.id
        bench.run()
        bench.journal.isShortOfSpace = true
        #expect(refusal(bench, Samples.coins) == .outOfSpace(Room(shortage: .bytes)))
        #expect(bench.engine.queue.head == bench.journal.head)
        #expect(bench.add(key: "k").isDuplicate)
        #expect(bench.finish(id) == .removed)
        bench.journal.isShortOfSpace = false
        #expect(refusal(bench, Samples.pass) == nil)
        bench.run()
        #expect(bench.failures.isEmpty)
    }

    @Test("A login answers when the session is in the queue, with its record")
    func logIn() throws {
        let bench = EngineBench()
        let answers = Answers()
        bench.engine.store.sessions.logIn(account: Samples.bert, credential: nil, origin: nil) {
            answers.add($0)
        }
        bench.gateway.endAll()
        let (session, sequence) = try #require(try answers.all.first?.get())
        #expect(session == Session(account: Samples.bert, country: Samples.france))
        #expect(bench.engine.queue.session == session)
        #expect(sequence == bench.engine.queue.head)
        #expect(answers.all.count == 1)
    }

    /// Proof: a test makes it and uses it on its own thread.
    private final class Answers: @unchecked Sendable {
        typealias Answer = Result<(Session, SequenceNumber), EngineRefusal>
        private(set) var all: [Answer] = []

        func add(_ answer: Answer) {
            all.append(answer)
        }
    }

    @Test("A login that the store refuses changes nothing")
    func refusedLogIn() {
        let bench = EngineBench()
        let head = bench.engine.queue.head
        let answers = Answers()
        bench.engine.store.sessions.logIn(account: "nobody", credential: nil, origin: nil) {
            answers.add($0)
        }
        bench.gateway.endAll()
        guard case .failure(.store(let failure))? = answers.all.first else {
            Issue.record("the login was not refused")
            return
        }
        #expect(failure.kind == .unknownAccount)
        #expect(bench.engine.queue.head == head)
    }

    @Test("Whether an account may buy is asked for each account anew")
    func paymentsAllowed() {
        let bench = EngineBench()
        bench.gateway.store.barred = [Samples.anna]
        bench.logIn(Samples.anna)
        #expect(refusal(bench, Samples.coins) == .refused(.paymentsNotAllowed))
        bench.engine.store.sessions.logIn(account: Samples.bert, credential: nil, origin: nil) {
            _ in
        }
        bench.gateway.end()
        bench.run()
        bench.gateway.end(as: .requestLost)
        bench.run()
        #expect(bench.engine.queue.session?.account == Samples.bert)
        #expect(refusal(bench, Samples.coins) == nil)
        bench.engine.store.sessions.storeChanged(paymentsAllowed: false, country: nil)
        #expect(refusal(bench, Samples.coins) == .refused(.paymentsNotAllowed))
    }

    @Test("Logging out, logging the same in and moving are one record each, or none")
    func sessionRecords() {
        let bench = EngineBench()
        func records(_ body: () -> Void) -> UInt64 {
            let head = bench.engine.queue.head
            body()
            bench.run()
            return bench.engine.queue.head - head
        }
        #expect(records { bench.engine.store.sessions.logOut(origin: nil) } == 0)
        #expect(records { bench.logIn() } == 1)
        #expect(
            records { bench.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: nil) }
                == 0)
        let germany = Samples.germany
        #expect(
            records {
                bench.engine.store.sessions.storeChanged(paymentsAllowed: true, country: germany)
            } == 0)
        #expect(
            records {
                bench.engine.store.sessions.storeChanged(
                    paymentsAllowed: nil, country: Samples.norway)
            } == 1)
        #expect(bench.engine.currentCountry == Samples.norway)
        #expect(records { bench.engine.store.sessions.logOut(origin: nil) } == 1)
        #expect(
            records {
                bench.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: germany)
            } == 0)
        #expect(records { bench.assume(Samples.france) } == 1)
        #expect(records { bench.assume(Samples.france) } == 0)
        #expect(bench.engine.currentCountry == Samples.france)
        #expect(records { bench.assume(nil) } == 1)
        #expect(bench.engine.currentCountry == Samples.germany)
    }

    @Test("A logout has the last word over a login that is under way", arguments: [false, true])
    func logOutDuringLogin(isAgain: Bool) {
        let bench = EngineBench()
        if isAgain { bench.logIn() }
        bench.gateway.isAnswering = false
        let first = login(bench)
        let second = login(bench, "bert")
        bench.engine.store.sessions.logOut(origin: nil)
        #expect(second.isCancelled)
        bench.gateway.endAll()
        #expect(first.isCancelled)
        #expect(bench.engine.queue.session == nil)
        // The store's session as well, once it is there.
        #expect(bench.gateway.loggedOut == (isAgain ? ["anna", "anna"] : ["anna"]))
        bench.gateway.isAnswering = true
        bench.logIn()
        #expect(bench.engine.queue.session?.account == "anna")
    }

    @Test("A login behind a logout waits for the one before it, and stays")
    func logInAfterCancelledLogin() {
        let bench = EngineBench()
        bench.gateway.isAnswering = false
        let first = login(bench)
        bench.engine.store.sessions.logOut(origin: nil)
        let second = login(bench)
        bench.run()
        #expect(bench.gateway.waiting.count == 1)
        while first.answers.isEmpty { bench.gateway.end(); bench.run() }
        #expect(first.isCancelled && bench.gateway.loggedOut == ["anna"])
        bench.gateway.endAll()
        #expect(second.session == "anna" && bench.engine.queue.session?.account == "anna")
        #expect(bench.gateway.loggedOut == ["anna"])
    }

    @Test("Of two logins the later one is in session, however long the store takes for each")
    func logInsInOrder() {
        let bench = EngineBench()
        bench.gateway.isAnswering = false
        let logins = ["anna", "bert", "anna", "bert"].map { login(bench, AccountName($0)) }
        bench.gateway.endAll()
        #expect(logins.map(\.session) == ["anna", "bert", "anna", "bert"])
        #expect(bench.engine.queue.session?.account == "bert")
    }

    @Test("Right logins of a user are never too many, however many wait at a time")
    func manyRightLogins() {
        let bench = EngineBench()
        bench.gateway.isAnswering = false
        let logins = (1...30).map { _ in login(bench, "anna", of: 1000) }
        bench.gateway.endAll()
        #expect(logins.allSatisfy { $0.session == "anna" })
    }

    @Test("Wrong logins that wait at a time are counted one by one, and delay no other user")
    func manyWrongLogins() {
        let bench = EngineBench()
        bench.gateway.isAnswering = false
        let wrong = (1...12).map { _ in login(bench, "anna", of: 1000) }
        let other = login(bench, "bert", of: 1001)
        for count in 1...2 {
            bench.gateway.end(as: .refused(.badCredential))
            bench.run()
            #expect(wrong.count { !$0.answers.isEmpty } == 1)
            #expect(other.answers.isEmpty == (count == 1))
        }
        while !bench.gateway.waiting.isEmpty {
            bench.gateway.end(as: .refused(.badCredential))
            bench.run()
        }
        #expect(wrong.compactMap(\.wait) == [.seconds(5), .seconds(5)])
        #expect(login(bench, "anna", of: 1000).wait == .seconds(5))
    }

    @Test("A login that nobody waits for any more does not begin, and one taken back opens nothing")
    func loginsOfNobody() {
        let bench = EngineBench()
        bench.gateway.isAnswering = false
        let callers = (0..<4).map { _ in Caller() }
        let logins = zip(["anna", "bert", "anna", "bert"] as [AccountName], callers).map {
            login(bench, $0, caller: $1)
        }
        callers[1].state.withLock { $0 = .gone }
        callers[2].state.withLock { $0 = .gone }
        // Its connection went while it was under way, which takes nothing back.
        callers[0].state.withLock { $0 = .gone }
        #expect(bench.gateway.waiting.count == 1)
        while logins[0].answers.isEmpty { bench.gateway.end(); bench.run() }
        #expect(logins[0].session == "anna")
        #expect(logins[1].isCancelled && logins[2].isCancelled)
        // The store has changed over: who is in session there is in session here.
        callers[3].state.withLock { $0 = .cancelled }
        bench.gateway.endAll()
        #expect(logins[3].session == "bert" && bench.gateway.loggedOut == [])
        #expect(bench.engine.queue.session?.account == "bert")
        bench.engine.store.sessions.logOut(origin: nil)
        let caller = Caller()
        let last = login(bench, "anna", caller: caller)
        caller.state.withLock { $0 = .cancelled }
        bench.gateway.endAll()
        #expect(last.isCancelled && bench.gateway.loggedOut == ["bert", "anna"])
        #expect(bench.engine.queue.session == nil)
    }

    @Test("What is sold is asked for once at a time, however many want to know")
    func oneCatalogue() throws {
        let bench = EngineBench(knowsCatalogues: false)
        bench.gateway.isAnswering = false
        for _ in 1...100 {
            try bench.engine.store.catalogues.assume(Samples.france, origin: nil)
            try bench.engine.store.catalogues.assume(Samples.norway, origin: nil)
        }
        bench.run()
        func asked(_ country: CountryCode) -> Int {
            bench.gateway.waiting.count {
                if case .catalogue(country, _) = $0 { true } else { false }
            }
        }
        #expect(asked(Samples.france) == 1 && asked(Samples.norway) == 1)
        // Where nobody is any more nothing is asked again.
        while !bench.gateway.waiting.isEmpty { bench.gateway.end(as: .refused(.connectionError)) }
        bench.loop.advance(by: .seconds(6))
        #expect(asked(Samples.france) == 0 && asked(Samples.norway) == 1)
    }

    @Test("What is left of the room is not spent on what finishes nothing")
    func noRoom() {
        let bench = EngineBench()
        bench.journal.isShortOfSpace = true
        let head = bench.engine.queue.head
        #expect(throws: EngineRefusal.outOfSpace(Room(shortage: .bytes))) {
            try bench.engine.commands.setPolicy(GatePolicy(mode: .stop), origin: nil)
        }
        #expect(throws: EngineRefusal.outOfSpace(Room(shortage: .bytes))) {
            try bench.engine.store.catalogues.assume(Samples.france, origin: nil)
        }
        #expect(bench.engine.queue.head == head && bench.engine.queue.policy == GatePolicy())
        // What changes nothing takes no room.
        #expect(throws: Never.self) {
            try bench.engine.commands.setPolicy(GatePolicy(), origin: nil)
        }
    }

    private func login(
        _ bench: EngineBench, _ account: AccountName = "anna", of user: UInt32? = nil,
        caller: any LoginCaller = UncancellableCaller()
    ) -> LoginAnswers {
        let answers = LoginAnswers()
        let origin = user.map { Origin(uid: $0, connection: 1, request: 1) }
        bench.engine.store.sessions.logIn(
            account: account, credential: nil, origin: origin, caller: caller
        ) {
            answers.take($0)
        }
        return answers
    }

    @Test("Old ends are forgotten on request, in a record of their own")
    func forget() {
        let bench = EngineBench()
        let id = bench.add().transaction.id
        bench.finish(id)
        bench.run()
        bench.engine.commands.forget(before: Samples.noon)
        #expect(bench.finish(id) == .alreadyFinished)
        bench.engine.commands.forget(before: Samples.noon.advanced(bySeconds: 1_000_000))
        bench.run()
        #expect(bench.finish(id) == nil)
        #expect(bench.restarted().finish(id) == nil)
    }
}

/// Who waits for a login.
private final class Caller: LoginCaller {
    enum State {
        case there
        case gone
        case cancelled
    }

    let state = Mutex(State.there)

    var isGone: Bool { state.withLock { $0 != .there } }
    var hasCancelled: Bool { state.withLock { $0 == .cancelled } }
}

/// What a login was answered with.
private final class LoginAnswers: Sendable {
    private let taken = Mutex<[Result<(Session, SequenceNumber), EngineRefusal>]>([])

    func take(_ answer: Result<(Session, SequenceNumber), EngineRefusal>) {
        taken.withLock { $0.append(answer) }
    }

    var answers: [Result<(Session, SequenceNumber), EngineRefusal>] { taken.withLock { $0 } }
    /// How long the user has to wait.
    var wait: Duration? {
        guard case .failure(let refusal) = answers.first,
            case .tooManyAttempts(let wait) = refusal
        else { return nil }
        return wait
    }
    var isCancelled: Bool {
        guard answers.count == 1, case .failure(.cancelled) = answers[0] else { return false }
        return true
    }
    var session: AccountName? {
        guard answers.count == 1, case .success((let session, _)) = answers[0] else { return nil }
        return session.account
    }
}

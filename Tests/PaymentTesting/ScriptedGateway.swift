public import PaymentCore
public import PaymentEngine

/// An engine's way to a store that a test holds in its hand.
///
/// A call waits until the test ends it, or, when ``isAnswering``, is answered by ``store`` behind
/// everything that is ready on the loop.
///
/// Proof: a test makes the gateway and its loop, and uses both on its own thread.
public final class ScriptedGateway: StoreGateway, @unchecked Sendable {
    /// How a call that waits is ended.
    public enum Ending: Sendable, Hashable {
        /// It takes effect and is answered.
        case answered
        /// It takes effect and the answer is lost.
        case answerLost
        /// It never arrives.
        case requestLost
        /// It arrives at a store that is busy.
        case refused(StoreFailure.Kind)
    }

    /// What becomes of questions for purchases.
    public enum PurchaseAnswers: Sendable, Hashable {
        /// They are answered by themselves with an empty page: for tests that are about other things.
        case none
        /// They are answered by themselves from ``store``.
        case told
        /// They fail by themselves.
        case failing(StoreFailure.Kind)
        /// They wait, as all other calls do.
        case held
    }

    /// What becomes of questions for purchases.
    public var purchaseAnswers = PurchaseAnswers.none
    /// Every question for purchases, repetitions and pages included.
    public private(set) var purchaseQuestions: [PurchaseSelection] = []

    /// The word `scripted`.
    public let name = "scripted"
    /// What the store holds.
    public var store: StoreModel
    /// Whether calls are answered by themselves.
    public var isAnswering: Bool
    /// Calls that wait, oldest first.
    public private(set) var waiting: [StoreRequest] = []
    /// Every order that was asked for, repetitions included.
    public private(set) var submissions: [OrderRequest] = []
    /// Every completion that was asked for, repetitions included.
    public private(set) var completions: [OrderID] = []

    /// How questions for keys or a signed history fail; nil if they wait, as all other calls do.
    public var historyFailure: StoreFailure.Kind? = .internalError
    /// Every account whose session was to be forgotten.
    public private(set) var loggedOut: [AccountName] = []

    private let loop: ManualLoop

    /// What the gateway says of its next look at a store that is down.
    public var timeUntilProbe: Duration?

    /// Connects a store with a loop.
    public init(loop: ManualLoop, store: StoreModel = StoreModel(), isAnswering: Bool = false) {
        self.loop = loop
        self.store = store
        self.isAnswering = isAnswering
    }

    /// Takes a request, which is answered sooner or later; questions for purchases as
    /// ``purchaseAnswers`` says, those for signed histories by ``historyFailure``.
    public func send(_ request: StoreRequest) {
        switch request {
        case .submit(let order, _): submissions.append(order)
        case .complete(let order, _, _): completions.append(order)
        case .purchases(let selection, _, _, let answer):
            purchaseQuestions.append(selection)
            switch purchaseAnswers {
            case .none: return loop.execute { answer(.success(PurchasePage())) }
            case .told: return finish(request, as: .answered)
            case .failing(let kind): return finish(request, as: .refused(kind))
            case .held: break
            }
        case .signedHistory, .keys:
            if let historyFailure { return finish(request, as: .refused(historyFailure)) }
        case .logIn, .catalogue, .facts: break
        }
        if isAnswering { finish(request, as: .answered) } else { waiting.append(request) }
    }

    /// Takes note of a logout.
    public func logOut(account: AccountName) {
        loggedOut.append(account)
    }

    /// Ends the call that waits longest, or the one at a place; does nothing if there is none.
    public func end(_ index: Int = 0, as ending: Ending = .answered) {
        guard index < waiting.count else { return }
        finish(waiting.remove(at: index), as: ending)
    }

    /// Ends every call that waits, and those that follow from that, until none is left.
    public func endAll(as ending: Ending = .answered) {
        loop.runUntilIdle()
        while !waiting.isEmpty {
            end(as: ending)
            loop.runUntilIdle()
        }
    }

    /// Answers the order that waits longest with an outcome of the test's own, whatever the store
    /// holds.
    public func answerSubmission(_ outcome: OrderOutcome) {
        for (index, call) in waiting.enumerated() {
            guard case .submit(_, let answer) = call else { continue }
            waiting.remove(at: index)
            return loop.execute { [answer = Unshared(answer)] in answer.value(.success(outcome)) }
        }
    }

    private func finish(_ request: StoreRequest, as ending: Ending) {
        switch request {
        case .logIn(let account, _, let answer):
            give(answer, ending) { store throws(StoreFailure) in try store.logIn(account) }
        case .catalogue(let country, let answer):
            give(answer, ending) { $0.catalogue(of: country) }
        case .submit(let request, let answer):
            give(answer, ending) { $0.submit(request) }
        case .complete(let order, let account, let answer):
            give(answer, ending) { store throws(StoreFailure) in
                try store.complete(order, account)
            }
        case .facts(let account, let answer):
            give(answer, ending) { $0.facts(of: account) }
        case .purchases(let selection, let account, let page, let answer):
            give(answer, ending) { $0.purchases(selection, of: account, page: page) }
        case .signedHistory(_, _, let answer): give(answer, ending, Self.unsigned)
        case .keys(let answer): give(answer, ending, Self.unsigned)
        }
    }

    private static func unsigned<Answer>(_: inout StoreModel) throws(StoreFailure) -> Answer {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }

    private func give<Answer>(
        _ answer: @escaping (Result<Answer, StoreFailure>) -> Void, _ ending: Ending,
        _ body: (inout StoreModel) throws(StoreFailure) -> Answer
    ) {
        var result: Result<Answer, StoreFailure>
        switch ending {
        case .requestLost:
            result = .failure(StoreFailure(.connectionError, "the request was lost"))
        case .refused(let kind):
            result = .failure(StoreFailure(kind, "the store was told to refuse"))
        case .answered, .answerLost:
            do throws(StoreFailure) {
                result = .success(try body(&store))
            } catch {
                result = .failure(error)
            }
        }
        if ending == .answerLost {
            result = .failure(StoreFailure(.connectionError, "the answer was lost"))
        }
        loop.execute { [box = Unshared((answer, result))] in box.value.0(box.value.1) }
    }
}

/// Carries a value into a closure that the compiler takes for one of another thread.
///
/// Proof: see ``ScriptedGateway``; the closure runs on the thread that made it.
private struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

public import PaymentCore
public import PaymentSandbox
public import SandboxControl
import Synchronization

/// A store back end that a test holds in its hand.
///
/// It answers like the sandbox, from the same rules, unless told otherwise. Every call is recorded.
/// Kinds of calls can be held: they wait until the test releases them, in any order, with the true
/// answer, with a failure, or with the answer lost on its way (the order is placed, the caller
/// hears of a lost connection). Answers can be scripted ahead, and faults drawn from a seed. There
/// is no clock in it, and nothing random but the seed.
public final class ScriptedBackend: Sendable {
    /// A call of the store.
    public enum Call: Sendable, Hashable {
        /// See ``StoreBackend/logIn(account:credential:)``.
        case logIn(AccountName, OpaqueText?)
        /// See ``StoreBackend/catalogue(of:)``.
        case catalogue(CountryCode)
        /// See ``StoreBackend/defaultCountry()``.
        case defaultCountry
        /// See ``StoreBackend/submit(_:)``.
        case submit(OrderRequest)
        /// See ``StoreBackend/complete(order:account:)``.
        case complete(OrderID, AccountName)
        /// See ``StoreBackend/facts(of:)``.
        case facts(AccountName)
        /// See ``StoreBackend/purchases(_:of:page:)``.
        case purchases(PurchaseSelection, AccountName, page: OpaqueText? = nil)

        /// What kind of call it is.
        public var kind: Kind {
            switch self {
            case .logIn: .logIn
            case .catalogue: .catalogue
            case .defaultCountry: .defaultCountry
            case .submit: .submit
            case .complete: .complete
            case .facts: .paymentsAllowed
            case .purchases: .purchases
            }
        }
    }

    /// The kinds of calls.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Opens a session.
        case logIn
        /// Asks for what is sold.
        case catalogue
        /// Asks for the default country.
        case defaultCountry
        /// Places an order.
        case submit
        /// Completes an order.
        case complete
        /// Asks whether an account may buy.
        case paymentsAllowed
        /// Asks what was paid for.
        case purchases
    }

    /// A successful answer, by the kind of the call.
    public enum Answer: Sendable, Hashable {
        /// Of ``Kind/logIn``.
        case session(Session)
        /// Of ``Kind/catalogue``.
        case catalogue(Catalogue)
        /// Of ``Kind/defaultCountry``.
        case country(CountryCode)
        /// Of ``Kind/submit``.
        case outcome(OrderOutcome)
        /// Of ``Kind/complete``.
        case done
        /// Of ``Kind/paymentsAllowed``.
        case facts(AccountFacts)
        /// Of ``Kind/purchases``.
        case purchases(PurchasePage)
    }

    /// A call that waits to be released.
    public struct HeldCall: Sendable, Hashable, Identifiable {
        /// Counts the calls from 1.
        public let id: Int
        /// The call.
        public let call: Call
    }

    /// How a call ends.
    public enum Ending: Sendable, Hashable {
        /// It takes effect and its answer arrives.
        case answered
        /// It takes effect and its answer is lost: the caller hears `connectionError`.
        case answerLost
        /// It never arrives at the store; the caller hears this.
        case failure(StoreFailure)
    }

    /// How often calls go wrong by themselves, in percent.
    public struct Faults: Sendable, Hashable {
        /// Calls that never arrive.
        public var lostRequests: Int
        /// Calls that take effect unheard.
        public var lostAnswers: Int
        /// Calls that the store turns away for now.
        public var unavailable: Int

        /// Creates a mix of faults; together at most 100.
        public init(lostRequests: Int = 0, lostAnswers: Int = 0, unavailable: Int = 0) {
            self.lostRequests = lostRequests
            self.lostAnswers = lostAnswers
            self.unavailable = unavailable
        }
    }

    /// The word `scripted`.
    public let name = "scripted"

    struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    struct Contents {
        var store: EmbeddedStore
        let ids: SeededIDs
        var random: SeededGenerator
        var faults: Faults
        var time = Timestamp(milliseconds: 1_700_000_000_000)
        var calls: [Call] = []
        var holding: Set<Kind> = []
        var held: [HeldCall] = []
        var continuations: [Int: CheckedContinuation<Ending, Never>] = [:]
        var scripts: [Kind: [Result<Answer, StoreFailure>]] = [:]
        var callWaiters: [Waiter] = []
        var heldWaiters: [Waiter] = []
        var listeners: [@Sendable (StoreChange) -> Void] = []

        /// The time and the identifiers of a call.
        var context: StoreContext { StoreContext(now: time, makeID: ids.next) }
    }

    let contents: Mutex<Contents>

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - store: What it sells and to whom.
    ///   - seed: Decides the names of orders and where faults strike.
    ///   - faults: How often calls go wrong.
    public init(store: StoreCatalogue = .example, seed: UInt64 = 1, faults: Faults = Faults()) {
        contents = Mutex(
            Contents(
                store: EmbeddedStore(store), ids: SeededIDs(seed: seed),
                random: SeededGenerator(seed: seed), faults: faults))
    }

    // MARK: What a test sees

    /// Every call so far, in order of arrival, held ones included.
    public var calls: [Call] { contents.withLock(\.calls) }

    /// The orders that were asked for so far, repetitions included.
    public var submissions: [OrderRequest] {
        calls.compactMap { if case .submit(let request) = $0 { request } else { nil } }
    }

    /// The calls that wait to be released, oldest first.
    public var heldCalls: [HeldCall] { contents.withLock(\.held) }

    /// What the store knows, oldest first: the truth to compare transactions with.
    public var orders: [StoreOrder] { contents.withLock { $0.store.state.orders.map(\.order) } }

    /// Returns when so many calls have arrived in all.
    public func waitForCalls(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = contents.withLock { contents in
                if contents.calls.count >= count { return true }
                contents.callWaiters.append(Waiter(count: count, continuation: continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Returns when so many calls are held at once.
    public func waitForHeldCalls(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = contents.withLock { contents in
                if contents.held.count >= count { return true }
                contents.heldWaiters.append(Waiter(count: count, continuation: continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    // MARK: What a test does

    /// From now on calls of these kinds wait for ``release(_:as:)``, and no others.
    public func hold(_ kinds: Set<Kind>) {
        contents.withLock { $0.holding = kinds }
    }

    /// Lets a held call end. Releasing a call twice does nothing.
    public func release(_ id: Int, as ending: Ending = .answered) {
        let continuation = contents.withLock { contents in
            contents.held.removeAll { $0.id == id }
            return contents.continuations.removeValue(forKey: id)
        }
        continuation?.resume(returning: ending)
    }

    /// Lets every held call end the same way, oldest first.
    public func releaseAll(as ending: Ending = .answered) {
        for held in heldCalls { release(held.id, as: ending) }
    }

    /// Sets the answer of the next call of a kind; further ones queue up behind it. A scripted
    /// answer has no effect on the store's orders.
    public func script(_ kind: Kind, _ answer: Result<Answer, StoreFailure>) {
        contents.withLock { $0.scripts[kind, default: []].append(answer) }
    }

    /// Changes how often calls go wrong.
    public func setFaults(_ faults: Faults) {
        contents.withLock { $0.faults = faults }
    }

    /// Changes what is sold, as prices do over time.
    public func setStore(_ store: StoreCatalogue) {
        contents.withLock { _ = $0.store.use(store) }
    }

    /// Approves or refuses a deferred order.
    public func decideDeferred(
        _ transaction: TransactionID, approved: Bool
    ) throws(TestFailure) {
        _ = try control(.decide(.transaction(transaction), approved: approved), account: nil)
    }

    /// Performs a call at once, without holding it, as the script, the faults or the rules have it:
    /// for simulations that have no tasks.
    public func perform(_ call: Call) -> Result<Answer, StoreFailure> {
        contents.withLock { contents in
            Self.arrive(call, in: &contents)
            return Self.end(call, as: nil, in: &contents)
        }
    }
}

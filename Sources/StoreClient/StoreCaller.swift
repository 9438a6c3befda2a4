import NIOCore
import PaymentCore
import StoreMessages
import Synchronization

/// The result of one request.
enum Attempt<Value: Sendable>: Sendable {
    /// The store answered, and the answer was readable.
    case answered(Value)
    /// The store refused the request.
    case refused(FailureMessage)
    /// The outcome is unknown.
    case unknown(StoreFailure)
    /// Nothing was sent: the store is down, or there is no session.
    case unsent(StoreFailure)
}

/// The remaining repetitions of one call, and the backoff before each.
struct RetryPace {
    private let deadline: ContinuousClock.Instant
    private let options: HTTPStoreOptions
    private var repetitions = 0

    init(_ options: HTTPStoreOptions) {
        self.options = options
        deadline = .now + options.callTimeout
    }

    /// The time limit of the next request: the request timeout, or the rest of the call timeout.
    var timeout: Duration {
        max(.milliseconds(1), min(options.requestTimeout, deadline - .now))
    }

    /// The pause before the next repetition: half to all of a bound that doubles with each
    /// repetition. Nil if no repetition or no time is left.
    mutating func nextPause() -> Duration? {
        guard repetitions < options.retries, .now < deadline else { return nil }
        let longest = options.firstPause * (1 << repetitions)
        repetitions += 1
        let pause = longest * Double.random(in: 0.5...1)
        return .now + pause < deadline ? pause : nil
    }
}

/// Sends requests to a store server, classifies its answers, and detects from them whether the store is down.
///
/// After several failures in a row the store counts as down. Then only one probe at a time is sent. Listeners
/// are notified when the store goes down and when it is back.
final class StoreCaller: Sendable {
    struct State {
        var breaker: CircuitBreaker
        var budget = RetryBudget()
        var listeners: [@Sendable (StoreChange) -> Void] = []
        /// The events not yet sent to listeners, in the order in which they happened.
        var untold: [StoreChange] = []
        var probe: Task<Void, Never>?
        /// When the next probe is sent; nil while none waits.
        var nextProbe: ContinuousClock.Instant?
        /// The last sign that the store is down.
        var lastFailure = StoreFailure(.connectionError, "the store has not answered yet")
        var isClosed = false
    }

    /// The address of the server.
    let name: String
    let options: HTTPStoreOptions
    let link: StoreLink
    let state: Mutex<State>
    private let telling = Mutex(())

    /// Opens a pool of connections; sends nothing yet.
    ///
    /// - Throws: The file of trusted certificates cannot be used.
    init(_ options: HTTPStoreOptions, on group: any EventLoopGroup) throws {
        self.options = options
        name = options.address.description
        link = try StoreLink(options, on: group)
        state = Mutex(State(breaker: CircuitBreaker(threshold: options.failuresUntilDown)))
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends probing. Later requests fail.
    func close() async {
        let probe = state.withLock { state in
            state.isClosed = true
            return state.probe
        }
        probe?.cancel()
        await probe?.value
    }

    /// Adds a listener. Listeners receive one change at a time. A listener must not call the store before it
    /// returns.
    func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    func tell(_ changes: [StoreChange]) {
        state.withLock { $0.untold += changes }
        tellAll()
    }

    /// Sends the pending changes to the listeners. A change is added under the lock of the state that it is
    /// about. Listeners therefore receive `down` and `up` in the order in which they happened.
    func tellAll() {
        telling.withLock { _ in
            let (changes, listeners) = state.withLock { state in
                defer { state.untold = [] }
                return (state.untold, state.listeners)
            }
            for change in changes {
                for listener in listeners { listener(change) }
            }
        }
    }

    /// Waits before a repetition.
    ///
    /// - Throws: The failure, if no repetition is left or the store has gone down.
    func pause(
        _ pace: inout RetryPace, after failure: StoreFailure
    ) async throws(StoreFailure) {
        guard let pause = pace.nextPause(),
            state.withLock({ !$0.breaker.isOpen && !$0.isClosed && $0.budget.spend() })
        else { throw failure }
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw failure
        }
    }

    /// Sends a request and judges the answer. A reply that no working store would send counts as a
    /// failure of the store.
    func send<Value: Sendable>(
        _ request: StoreRequest, token: String?, timeout: Duration,
        read: @Sendable (StoreReply) throws(MessageFault) -> Value
    ) async -> Attempt<Value> {
        let reply: StoreReply
        do {
            reply = try await link.send(request, token: token, timeout: timeout)
        } catch {
            return lost("no answer from \(name): \(LinkTrouble.reason(error))")
        }
        if (200..<300).contains(reply.status) || reply.status == 304 {
            do {
                let value = try read(reply)
                succeeded()
                return .answered(value)
            } catch {
                return lost("\(name) sent an invalid reply: \(error)")
            }
        }
        if reply.status >= 500 {
            // The server reports that it did nothing or that the outcome is unknown. A proxy in
            // front of it may answer the same way.
            let failure = unavailability(in: reply)
            noteFailure(failure)
            return .unknown(failure)
        }
        if let message = FailureMessage(parsing: reply.body, status: reply.status) {
            succeeded()
            return .refused(message)
        }
        let reason = "\(name) answered with status \(reply.status) and no Store API error"
        switch reply.status {
        case 404:
            // A server answers at the address, but it serves no store there.
            succeeded()
            return .refused(FailureMessage(.appNotRegistered, reason))
        case 400, 402, 403, 405, 406, 409...424, 426, 428, 431, 451:
            // The answer does not come from the store, so the outcome of an order is unknown.
            succeeded()
            return .unknown(StoreFailure(.internalError, reason))
        default: return lost(reason)
        }
    }

    /// The failure of an answer with a status of 500 or above.
    private func unavailability(in reply: StoreReply) -> StoreFailure {
        guard let message = FailureMessage(parsing: reply.body, status: reply.status) else {
            return StoreFailure(
                .serviceUnavailable, "\(name) answered with status \(reply.status)")
        }
        let failure = message.failure
        return failure.isAnswer
            ? StoreFailure(.serviceUnavailable, failure.description) : failure
    }

    private func lost<Value>(_ reason: String) -> Attempt<Value> {
        let failure = StoreFailure(.connectionError, reason)
        noteFailure(failure)
        return .unknown(failure)
    }
}

import NIOCore
import PaymentCore
import StoreMessages
import Synchronization

/// How one request went.
enum Attempt<Value: Sendable>: Sendable {
    /// The answer.
    case answered(Value)
    /// The store said no, in its own words.
    case refused(FailureMessage)
    /// The outcome is unknown.
    case unknown(StoreFailure)
    /// Nothing was sent: the store is down, or no session could be had.
    case unsent(StoreFailure)
}

/// How often a call may still be repeated, and how long to wait before.
struct RetryPace {
    private let deadline: ContinuousClock.Instant
    private let options: HTTPStoreOptions
    private var repetitions = 0

    init(_ options: HTTPStoreOptions) {
        self.options = options
        deadline = .now + options.callTimeout
    }

    /// The budget that is left for one request.
    var timeout: Duration {
        max(.milliseconds(1), min(options.requestTimeout, deadline - .now))
    }

    /// The pause before the next repetition: anything up to twice the one before. Nil if there is
    /// none left.
    mutating func nextPause() -> Duration? {
        guard repetitions < options.retries, .now < deadline else { return nil }
        let longest = options.firstPause * (1 << repetitions)
        repetitions += 1
        let pause = longest * Double.random(in: 0.5...1)
        return .now + pause < deadline ? pause : nil
    }
}

extension HTTPStore {
    /// Sends a request, again if nobody knows what became of it, and reads the answer.
    ///
    /// - Parameters:
    ///   - request: Harmless to repeat.
    ///   - account: Whose session it needs; nil for none.
    ///   - refused: What a refusal stands for, if it is no failure.
    ///   - read: Reads the answer; a fault counts as garbage on the way.
    /// - Returns: What `read` made of it, or what the refusal stands for.
    /// - Throws: What the store said, or that it said nothing.
    func call<Value: Sendable>(
        _ request: StoreRequest, as account: AccountName? = nil,
        refused: @Sendable (FailureMessage) -> Value? = { _ in nil },
        read: @Sendable (StoreReply) throws(MessageFault) -> Value
    ) async throws(StoreFailure) -> Value {
        var pace = RetryPace(options)
        while true {
            switch await attempt(request, as: account, timeout: pace.timeout, read: read) {
            case .answered(let value): return value
            case .refused(let message):
                guard let value = refused(message) else { throw message.failure }
                return value
            case .unsent(let failure): throw failure
            case .unknown(let failure): try await pause(&pace, after: failure)
            }
        }
    }

    /// Waits before a repetition.
    ///
    /// - Throws: There is none left, or the store has gone down.
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

    /// Sends a request once, or twice if the access token has ended meanwhile.
    func attempt<Value: Sendable>(
        _ request: StoreRequest, as account: AccountName?, timeout: Duration,
        read: @Sendable (StoreReply) throws(MessageFault) -> Value
    ) async -> Attempt<Value> {
        for isLast in [false, true] {
            if let failure = objection() { return .unsent(failure) }
            var token: String?
            if let account {
                do {
                    token = try await accessToken(of: account)
                } catch {
                    return .unsent(error)
                }
            }
            let result = await send(request, token: token, timeout: timeout, read: read)
            guard case .refused(let message) = result, message.kind == .sessionExpired, !isLast,
                let account, let token
            else { return result }
            forget(accessToken: token, of: account)
        }
        return .unknown(
            StoreFailure(.connectionError, "the store rejects the access tokens that it issues"))
    }

    /// Sends a request and judges the answer: what is no answer of a store in order counts against
    /// it.
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
            // It did nothing, or does not know what it did, and says so itself; or something on the
            // way to it says that it cannot be had.
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
            // There is a server, and no store where the configuration says.
            succeeded()
            return .refused(FailureMessage(.appNotRegistered, reason))
        case 400, 402, 403, 405, 406, 409...424, 426, 428, 431, 451:
            // Whoever that was, it was not the store that spoke: what becomes of an order is open.
            succeeded()
            return .unknown(StoreFailure(.internalError, reason))
        default: return lost(reason)
        }
    }

    /// The message of an answer that is the server's fault.
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

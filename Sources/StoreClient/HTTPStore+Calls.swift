import NIOCore
import PaymentCore
import StoreMessages
import Synchronization

/// The result of one request.
enum Attempt<Value: Sendable>: Sendable {
    /// The store answered, and the answer was readable.
    case answered(Value)
    /// The store refused the request with an error of the Store API.
    case refused(FailureMessage)
    /// The outcome is unknown.
    case unknown(StoreFailure)
    /// The request was not sent: the store is down, or no session could be opened.
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

extension HTTPStore {
    /// Sends a request, repeats it while its outcome is unknown, and reads the answer.
    ///
    /// - Parameters:
    ///   - request: An idempotent request.
    ///   - account: The account whose session authorizes the request; nil for none.
    ///   - refused: Maps a refusal to a value; nil makes the refusal a failure.
    ///   - read: Reads the answer. A fault counts as a corrupted answer.
    /// - Returns: The value of `read`, or of `refused`.
    /// - Throws: The failure that the store reported, or that the store did not answer.
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

    /// Sends a request once, or a second time if the access token has expired.
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

    /// Sends a request and classifies the answer. An answer that is not valid in the Store API
    /// counts as a failure of the store.
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
            // This answer comes from a proxy, not from the store. The outcome of an order stays
            // unknown.
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

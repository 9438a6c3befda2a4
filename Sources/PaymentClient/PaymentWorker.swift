internal import StrictJSON

/// Hands every settled transaction to a handler and finishes it after the handler returned.
///
/// It outlives restarts of the daemon. While a handler runs nothing more is read: the daemon keeps
/// the rest in its log. What a handler failed for is handed out again later, and so is what this
/// process had no time to finish; so a handler must not mind to see one twice.
///
/// ```swift
/// try await PaymentWorker(client: PaymentQueueClient()).run { transaction in
///     guard transaction.mayUnlock else { return }  // it is finished after this returned
///     try await unlock(transaction.product)
/// }
/// ```
public struct PaymentWorker: Sendable {
    /// Something that the worker got over by itself, for a log.
    public enum Trouble: Sendable {
        /// The handler threw; the transaction comes again.
        case handlerFailed(ObservedTransaction, any Error)
        /// The goods are delivered, but the daemon could not be told; it will be.
        case notFinished(String, any Error)
        /// The daemon went away; the worker connects again.
        case lost(ConnectionFailure)
        /// The place in the log is gone; what is unfinished comes instead.
        case restarted(RPCError)
        /// The unfinished transactions could not be listed; the next round tries again.
        case notListed(any Error)
    }

    private let client: PaymentQueueClient
    private let products: [String]?
    private let states: [ObservedTransaction.State]
    private let retryEvery: Duration
    private let report: @Sendable (Trouble) -> Void

    /// Describes a worker.
    ///
    /// - Parameters:
    ///   - client: Makes the calls; the subscription has a connection of its own.
    ///   - products: Only these; all if nil.
    ///   - states: What is handed out.
    ///   - retryEvery: How often what stays unfinished is handed out again; from 5 to 300 s.
    ///   - report: Told of what went wrong on the way.
    public init(
        client: PaymentQueueClient, products: [String]? = nil,
        states: [ObservedTransaction.State] = [.purchased, .restored, .failed],
        retryEvery: Duration = .seconds(180),
        report: @escaping @Sendable (Trouble) -> Void = { _ in }
    ) {
        self.client = client
        self.products = products
        self.states = states
        self.retryEvery = min(.seconds(300), max(.seconds(5), retryEvery))
        self.report = report
    }

    /// Works until the task is cancelled.
    ///
    /// - Parameters:
    ///   - onNotification: Gets everything that the daemon sends, before it is acted on.
    ///   - handler: Delivers the goods. What it throws leaves the transaction unfinished.
    /// - Throws: ``ConnectionFailure`` if there is no daemon at the start, ``RPCError`` if it
    ///   refuses the subscription, `CancellationError`.
    public func run(
        onNotification: (ServerNotification) async -> Void = { _ in },
        handler: (ObservedTransaction) async throws -> Void
    ) async throws {
        // The daemon's heartbeat is the clock of the rounds, so that nothing here has to be timed
        // while it is away: whatever is unfinished comes with the next connection.
        var steps = ResumingNotifications(
            path: client.path, parameters: parameters, longestPause: .seconds(5),
            client: client.name
        ).makeAsyncIterator()
        var state = WorkState(
            inbox: WorkerInbox(states: Set(states)), nextRound: ContinuousClock.now + retryEvery)
        while let step = try await steps.next() {
            switch step {
            case .opened: state.inbox.opened()
            case .notification(let notification, _):
                await onNotification(notification)
                state.inbox.take(notification)
            case .restarted(let error): report(.restarted(error))
            case .lost(let failure): report(.lost(failure))
            }
            if state.nextRound <= ContinuousClock.now { try await lookAgain(&state) }
            while let transaction = state.inbox.next() {
                try await deliver(transaction, &state, handler)
            }
        }
    }

    private struct WorkState {
        var inbox: WorkerInbox
        var nextRound: ContinuousClock.Instant
        /// Handled, but the daemon could not be told.
        var unconfirmed: Set<String> = []
    }

    private func deliver(
        _ transaction: ObservedTransaction, _ state: inout WorkState,
        _ handler: (ObservedTransaction) async throws -> Void
    ) async throws {
        let id = transaction.id
        // When only the finish is missing the handler must not run again for that.
        if !state.unconfirmed.contains(id) {
            do {
                try await handler(transaction)
            } catch let cancelled as CancellationError {
                throw cancelled
            } catch {
                state.inbox.putOff(id)
                return report(.handlerFailed(transaction, error))
            }
        }
        state.unconfirmed.insert(id)
        do {
            let disposition = try await client.finish(id)
            state.unconfirmed.remove(id)
            if disposition == "ignoredInFlight" {
                state.inbox.settle(id)
            } else {
                state.inbox.done(id)
            }
        } catch let cancelled as CancellationError {
            throw cancelled
        } catch {
            state.inbox.putOff(id)
            report(.notFinished(id, error))
        }
    }

    private func lookAgain(_ state: inout WorkState) async throws {
        state.nextRound = ContinuousClock.now + retryEvery
        do {
            let unfinished = try await client.transactions(states: states)
            state.inbox.newRound(
                unfinished.filter { products?.contains($0.product) ?? true })
        } catch let cancelled as CancellationError {
            throw cancelled
        } catch {
            report(.notListed(error))
        }
    }

    private var parameters: [JSONMember] {
        let seconds = retryEvery.components.seconds
        var members = [JSONMember(name: "heartbeat", value: .integer(seconds))]
        if let products {
            members.append(
                JSONMember(name: "products", value: .array(products.map(JSONValue.string))))
        }
        return members
    }
}

import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// How the handlers ask the controls of the store.
extension ServerCore {
    /// Asks in a task of its own; the call waits for the answer without holding up the loop. What the
    /// store tells meanwhile is told to the queue behind the reply.
    ///
    /// Calls reach the store in the order of requests: each task runs at once until the store has it.
    ///
    /// - Parameters:
    ///   - describe: What a client is told of a failure.
    ///   - ask: The call.
    ///   - whenDone: Called on the loop with the result, before it is answered.
    /// - Returns: A call that waits.
    /// - Throws: The store has no controls.
    func askStore<Result: WireResult, Failure: Error>(
        describe: @escaping @Sendable (Failure) -> ErrorObject,
        _ ask: @escaping @Sendable (any StoreTestControl) async throws(Failure) -> Result,
        whenDone: @escaping @Sendable (Result) -> Void = { _ in }
    ) throws(ErrorObject) -> Answer<Result> {
        try askStore(describe: describe, ask) { call, result in
            whenDone(result)
            call.succeed(result)
        }
    }

    /// Asks as ``askStore(describe:_:whenDone:)`` does, and has the call answered by something else.
    func askStore<Asked: Sendable, Result: WireResult, Failure: Error>(
        describe: @escaping @Sendable (Failure) -> ErrorObject,
        _ ask: @escaping @Sendable (any StoreTestControl) async throws(Failure) -> Asked,
        answering: @escaping @Sendable (WaitingCall, Asked) -> Void
    ) throws(ErrorObject) -> Answer<Result> {
        guard let testControl else { throw Failures.notSupportedByStore }
        return .later { [eventLoop, feed] call in
            let bound = NIOLoopBound((call: call, feed: feed), eventLoop: eventLoop)
            feed.beginControl()
            // Unstructured because the turn must not wait; it ends with the store's answer.
            Task.immediate {
                do throws(Failure) {
                    let result = try await ask(testControl)
                    eventLoop.execute {
                        answering(bound.value.call, result)
                        bound.value.feed.endControl()
                    }
                } catch {
                    eventLoop.execute {
                        bound.value.call.fail(describe(error))
                        bound.value.feed.endControl()
                    }
                }
            }
        }
    }

    /// Runs a control on behalf of the account in session.
    func run(
        _ control: TestControl, naming: OpaqueText? = nil
    ) throws(ErrorObject) -> Answer<OrderResult> {
        let account = engine.queue.session?.account
        return try askStore(describe: { (failure: TestFailure) in
            failure.errorObject(naming: naming)
        }) { store throws(TestFailure) in
            OrderResult(order: try await store.run(control, account: account))
        }
    }
}

import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import SandboxControl

/// The controls of a store for testing, as handlers use them; not every store has them.
struct StoreControl {
    let control: (any StoreTestControl)?
    let feed: StoreFeed
    let eventLoop: any EventLoop

    /// Refuses a call if the store has no controls.
    func check(_ params: some Sendable, _ request: Request) throws(ErrorObject) {
        guard control != nil else { throw Failures.notSupportedByStore }
    }

    /// Asks in a task of its own; the call waits for the answer without holding up the loop. Changes that
    /// the store reports meanwhile reach the queue behind the reply.
    ///
    /// Calls reach the store in the order of requests: each task runs at once until the store has it.
    ///
    /// - Parameters:
    ///   - describe: Makes the error of a failure.
    ///   - ask: The call.
    ///   - whenDone: Called on the loop with the result, before it is answered.
    /// - Returns: A call that waits.
    /// - Throws: The store has no controls.
    func ask<Result: WireResult, Failure: Error>(
        describe: @escaping @Sendable (Failure) -> ErrorObject,
        _ ask: @escaping @Sendable (any StoreTestControl) async throws(Failure) -> Result,
        whenDone: @escaping @Sendable (Result) -> Void = { _ in }
    ) throws(ErrorObject) -> Answer<Result> {
        try self.ask(describe: describe, ask) { call, result in
            whenDone(result)
            call.succeed(result)
        }
    }

    /// Asks as ``ask(describe:_:whenDone:)`` does, and has the call answered by something else.
    func ask<Asked: Sendable, Result: WireResult, Failure: Error>(
        describe: @escaping @Sendable (Failure) -> ErrorObject,
        _ ask: @escaping @Sendable (any StoreTestControl) async throws(Failure) -> Asked,
        answering: @escaping @Sendable (WaitingCall, Asked) -> Void
    ) throws(ErrorObject) -> Answer<Result> {
        guard let control else { throw Failures.notSupportedByStore }
        return .later { [eventLoop, feed] call in
            let bound = NIOLoopBound((call: call, feed: feed), eventLoop: eventLoop)
            feed.beginControl()
            // Unstructured because the turn must not wait; it ends with the store's answer.
            Task.immediate {
                do throws(Failure) {
                    let result = try await ask(control)
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
}

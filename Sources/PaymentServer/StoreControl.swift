import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import SandboxControl

/// The test controls of a store, as handlers use them. Not every store has them.
struct StoreControl {
    let control: (any StoreTestControl)?
    let feed: StoreFeed
    let eventLoop: any EventLoop

    /// Refuses a call if the store has no controls.
    func check(_ params: some Sendable, _ request: Request) throws(ErrorObject) {
        guard control != nil else { throw Failures.notSupportedByStore }
    }

    /// Runs a control in a task of its own. The call waits for the answer without blocking the loop.
    /// Changes that the store reports meanwhile reach the queue after the reply.
    ///
    /// Calls reach the store in the order of requests, because each task runs at once until the store
    /// has the call.
    ///
    /// - Parameters:
    ///   - describe: Converts a failure into an error.
    ///   - ask: The control to run.
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

    /// Runs a control as ``ask(describe:_:whenDone:)`` does. The closure `answering` answers the
    /// call.
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

import NIOHTTP1
import PaymentCore
import StoreMessages
import Synchronization

extension StoreCaller {
    /// Why nothing may be sent now; nil if something may.
    func objection() -> StoreFailure? {
        state.withLock { state in
            if state.isClosed {
                return StoreFailure(.connectionError, "the store client was closed")
            }
            guard state.breaker.isOpen else { return nil }
            let last = state.lastFailure
            return StoreFailure(last.kind, "\(last); it is retried every few seconds")
        }
    }

    /// How long it is until the next probe; nothing while one is under way.
    var timeUntilProbe: Duration? {
        state.withLock { state in
            guard state.breaker.isOpen, !state.isClosed else { return nil }
            return state.nextProbe.map { max(.zero, $0 - .now) }
        }
    }

    /// The store answered.
    func succeeded() {
        let isBack = state.withLock { state in
            state.budget.earn()
            guard state.breaker.succeeded() == .cameBack else { return false }
            state.untold.append(.availability(nil))
            return true
        }
        if isBack { tellAll() }
    }

    /// The store did not answer, or not as a store does.
    func noteFailure(_ failure: StoreFailure) {
        let isDown = state.withLock { state in
            state.lastFailure = failure
            guard state.breaker.failed() == .wentDown, !state.isClosed else { return false }
            state.untold.append(.availability(failure))
            // One that still waits since the store was down before goes on, so that probes never
            // come closer together than the interval says.
            guard state.probe == nil else { return true }
            // Unstructured, because the caller that noticed must not wait; ended by `close()` or by the
            // store's return.
            state.probe = Task { [weak self] in await self?.probe() }
            return true
        }
        if isDown { tellAll() }
    }

    /// Looks again and again whether the store is back, and never more often than the interval says.
    private func probe() async {
        while !Task.isCancelled {
            let interval = options.probeInterval
            let next = ContinuousClock.now + interval + interval * Double.random(in: 0...0.1)
            state.withLock { $0.nextProbe = next }
            do {
                try await Task.sleep(until: next, clock: .continuous)
            } catch {
                return
            }
            state.withLock { $0.nextProbe = nil }
            guard isStillDown() else { return }
            // What the answer says of the store is noted where it arrives.
            _ = await send(
                StoreRequest(.GET, StoreAPI.prefix + "/store"), token: nil,
                timeout: options.requestTimeout
            ) { reply throws(MessageFault) in
                try StoreFacts(try MessageFields(parsing: reply.body))
            }
        }
    }

    /// Whether there is something to look for; if not, the next time that the store goes down begins
    /// to probe anew.
    private func isStillDown() -> Bool {
        state.withLock { state in
            let isDown = state.breaker.isOpen && !state.isClosed
            if !isDown { state.probe = nil }
            return isDown
        }
    }
}

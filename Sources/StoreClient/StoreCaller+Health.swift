import NIOHTTP1
import PaymentCore
import StoreMessages
import Synchronization

extension StoreCaller {
    /// The reason why no request may be sent now; nil if requests may be sent.
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

    /// The time until the next probe; nil while a probe is in flight or the store is not down.
    var timeUntilProbe: Duration? {
        state.withLock { state in
            guard state.breaker.isOpen, !state.isClosed else { return nil }
            return state.nextProbe.map { max(.zero, $0 - .now) }
        }
    }

    /// Records an answer of the store.
    func succeeded() {
        let isBack = state.withLock { state in
            state.budget.earn()
            guard state.breaker.succeeded() == .cameBack else { return false }
            state.untold.append(.availability(nil))
            return true
        }
        if isBack { tellAll() }
    }

    /// Records a missing or invalid answer of the store.
    func noteFailure(_ failure: StoreFailure) {
        let isDown = state.withLock { state in
            state.lastFailure = failure
            guard state.breaker.failed() == .wentDown, !state.isClosed else { return false }
            state.untold.append(.availability(failure))
            // A probe task of an earlier outage may still be waiting. It continues, so that probes
            // are never closer together than the interval.
            guard state.probe == nil else { return true }
            // Unstructured, because the caller that noticed must not wait; ended by `close()` or by the
            // store's return.
            state.probe = Task { [weak self] in await self?.probe() }
            return true
        }
        if isDown { tellAll() }
    }

    /// Probes the store until it is back, at most once per interval.
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
            // `send` records the result of the probe.
            _ = await send(
                StoreRequest(.GET, StoreAPI.prefix + "/store"), token: nil,
                timeout: options.requestTimeout
            ) { reply throws(MessageFault) in
                try StoreFacts(try MessageFields(parsing: reply.body))
            }
        }
    }

    /// True while the store is down. Otherwise it clears the probe, so that the next outage starts
    /// one.
    private func isStillDown() -> Bool {
        state.withLock { state in
            let isDown = state.breaker.isOpen && !state.isClosed
            if !isDown { state.probe = nil }
            return isDown
        }
    }
}

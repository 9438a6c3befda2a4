import Logging
import PaymentCore

/// The end of a session that the store does not know any more. It ends like a logout, at the first
/// answer that says so.
extension PaymentEngine {
    /// Wraps the answer to a question that needs the session of an account, so that the session ends if
    /// the answer says that the store has ended it.
    ///
    /// - Parameters:
    ///   - account: The account that the question is about.
    ///   - answer: Called once, after the session has ended if it does.
    /// - Returns: What to give the store to call back.
    func inSession<Value>(
        of account: AccountName,
        _ answer: @escaping @Sendable (Result<Value, StoreFailure>) -> Void
    ) -> @Sendable (Result<Value, StoreFailure>) -> Void {
        let asked = facts.sessionsOpened
        return { [self] result in
            if case .failure(let failure) = result, failure.kind == .sessionRevoked,
                asked == facts.sessionsOpened, account == queue.session?.account
            {
                endSession(failure)
            }
            answer(result)
        }
    }

    private func endSession(_ failure: StoreFailure) {
        guard !hasStopped, !hasFailed else { return }
        noteStoreAnswer(failure)
        facts.sessionEnded()
        logger.warning("store ended the session; its work waits for a login")
        queue.decideSessionEnd(events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
        sessionDidChange()
    }
}

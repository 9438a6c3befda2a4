public import PaymentCore

/// The signed history.
extension PaymentEngine {
    /// Asks the store for a page of the signed history of the account in session. Nobody is asked to
    /// log in.
    ///
    /// - Parameters:
    ///   - query: Which page.
    ///   - answer: Called once: before this returns if nobody is in session, otherwise when the store
    ///     has answered or failed.
    public func signedHistory(
        _ query: HistoryQuery = HistoryQuery(),
        answer: @escaping @Sendable (Result<SignedHistory, EngineRefusal>) -> Void
    ) {
        loop.preconditionOnLoop()
        guard let account = queue.session?.account else { return answer(.failure(.notLoggedIn)) }
        let told = inSession(of: account) { [self] (result: Result<SignedHistory?, StoreFailure>) in
            guard !hasStopped, !hasFailed else { return answer(.failure(.cancelled)) }
            // A history must not reach whoever has logged in meanwhile.
            if case .success = result, queue.session?.account != account {
                return answer(.failure(.notLoggedIn))
            }
            answer(
                noting(result.mapError(Self.asNoSession)).flatMap { page in
                    page.map { .success($0) } ?? .failure(.pageExpired)
                })
        }
        gateway.signedHistory(of: account, query, answer: told)
    }

    /// An account that the store does not serve any more is one that has to log in, whatever is wrong
    /// with it; `login` says what.
    private static func asNoSession(_ failure: StoreFailure) -> StoreFailure {
        switch failure.kind {
        case .unknownAccount, .badCredential, .sessionRevoked:
            StoreFailure(.sessionRevoked, failure.description)
        case .connectionError, .serviceUnavailable, .appNotRegistered, .storageFailed,
            .internalError:
            failure
        }
    }

    /// Asks the store for its public keys, which belong to no account.
    ///
    /// - Parameter answer: Called once, when the store has answered or failed.
    public func storeKeys(
        answer: @escaping @Sendable (Result<[StoreKey], EngineRefusal>) -> Void
    ) {
        loop.preconditionOnLoop()
        gateway.keys { [self] result in
            guard !hasStopped, !hasFailed else { return answer(.failure(.cancelled)) }
            answer(noting(result))
        }
    }

    private func noting<Value>(
        _ result: Result<Value, StoreFailure>
    ) -> Result<Value, EngineRefusal> {
        switch result {
        case .success(let value):
            noteStoreAnswer(nil)
            return .success(value)
        case .failure(let failure):
            // A store that cannot sign may well take orders.
            if !failure.isAnswer { noteStoreAnswer(failure) }
            return .failure(.store(failure))
        }
    }
}

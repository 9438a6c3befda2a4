public import PaymentCore

/// The entitlements of the account in session.
extension PaymentEngine {
    /// Asks the store what the account in session is entitled to now.
    ///
    /// - Parameter answer: Called once: before this returns if nobody is in session, otherwise when
    ///   the store has answered or failed. Purchases come oldest first, of each chain the newest.
    public func entitlements(
        answer: @escaping @Sendable (Result<[StorePurchase], EngineRefusal>) -> Void
    ) {
        loop.preconditionOnLoop()
        guard let account = queue.session?.account else { return answer(.failure(.notLoggedIn)) }
        askForEntitlements(of: account, page: nil, known: [], pages: 0, answer: answer)
    }

    private func askForEntitlements(
        of account: AccountName, page: OpaqueText?, known: [StorePurchase], pages: Int,
        answer: @escaping @Sendable (Result<[StorePurchase], EngineRefusal>) -> Void
    ) {
        let told = inSession(of: account) { [self] (result: Result<PurchasePage, StoreFailure>) in
            guard !hasStopped, !hasFailed else { return answer(.failure(.cancelled)) }
            switch result {
            case .failure(let failure):
                noteStoreAnswer(failure)
                answer(.failure(.store(failure)))
            case .success(let page):
                noteStoreAnswer(nil)
                guard queue.session?.account == account else {
                    return answer(.failure(.notLoggedIn))
                }
                let purchases = known + page.purchases
                guard purchases.count <= RestoreRun.purchasesPerAnswer,
                    pages < Reconciliation.pagesPerAnswer
                else {
                    let failure = StoreFailure(
                        .internalError, "the store's list of purchases is too long")
                    return answer(.failure(.store(failure)))
                }
                guard let next = page.next else {
                    return answer(.success(purchases.newestOfChains))
                }
                askForEntitlements(
                    of: account, page: next, known: purchases, pages: pages + 1, answer: answer)
            }
        }
        gateway.purchases(.entitlements, of: account, page: page, answer: told)
    }
}

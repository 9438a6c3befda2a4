public import PaymentCore

/// Asks the store for what clients want to read: entitlements, pages of the signed history, keys. Equal
/// requests of clients are sent once, and users take turns at the pages.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
public final class StoreListing: @unchecked Sendable {
    /// A page of the signed history of an account.
    private struct Page: Hashable {
        let account: AccountName
        let query: HistoryQuery
    }

    /// The public keys.
    private struct Keys: Hashable {}

    /// The maximum number of pages of the signed history in progress at a time. Each may have megabytes.
    private static let pagesAtOnce = 2

    private let access: StoreAccess
    private let writer: QueueWriter
    private var lists = SharedRequests<AccountName, Result<[StorePurchase], EngineRefusal>>()
    private var keys = SharedRequests<Keys, Result<[StoreKey], EngineRefusal>>()
    private var pages = SharedRequests<Page, Result<SignedHistory, EngineRefusal>>(
        limit: pagesAtOnce)

    init(_ access: StoreAccess) {
        self.access = access
        writer = access.writer
    }

    // MARK: Entitlements

    /// Requests the current entitlements of the account in session.
    ///
    /// - Parameter answer: Called once: before this returns if there is no session, otherwise when the
    ///   store has answered or failed. It receives the newest purchase of each chain, oldest first.
    public func entitlements(
        answer: @escaping @Sendable (Result<[StorePurchase], EngineRefusal>) -> Void
    ) {
        guard let account = writer.queue.session?.account else {
            return answer(.failure(.notLoggedIn))
        }
        lists.join(account, answer)
        sendLists()
    }

    private func sendLists() {
        while let account = lists.next() { ask(for: account, page: nil, known: [], pages: 0) }
    }

    private func ask(
        for account: AccountName, page: OpaqueText?, known: [StorePurchase], pages: Int
    ) {
        let answer = access.inSession(of: account) {
            [self] (result: Result<PurchasePage, StoreFailure>) in
            if case .failure(let failure) = result, writer.isRunning { access.note(failure) }
            let purchases = check(result, of: account).flatMap { page in
                take(known + page.purchases, pages: pages)
            }
            if case .success(let known) = purchases, let next = (try? result.get())?.next {
                return ask(for: account, page: next, known: known, pages: pages + 1)
            }
            let callers = lists.callers(account)
            lists.end(account)
            for answer in callers { answer(purchases.map(\.newestOfChains)) }
            sendLists()
        }
        access.send(.purchases(.entitlements, account, page: page, answer))
    }

    private func take(
        _ purchases: [StorePurchase], pages: Int
    ) -> Result<[StorePurchase], EngineRefusal> {
        guard purchases.count <= RestoreRun.purchasesPerAnswer,
            pages < Reconciliation.pagesPerAnswer
        else {
            let failure = StoreFailure(.internalError, "the store's list of purchases is too long")
            return .failure(.store(failure))
        }
        return .success(purchases)
    }

    // MARK: Signed history

    /// Requests a page of the signed history of the account in session. It never requests a login from
    /// an agent.
    ///
    /// - Parameters:
    ///   - query: The requested page.
    ///   - user: The user id of the caller. Users take turns.
    ///   - answer: Called once: before this returns if there is no session, otherwise when the store
    ///     has answered or failed.
    public func signedHistory(
        _ query: HistoryQuery = HistoryQuery(), of user: UInt32,
        answer: @escaping @Sendable (Result<SignedHistory, EngineRefusal>) -> Void
    ) {
        guard let account = writer.queue.session?.account else {
            return answer(.failure(.notLoggedIn))
        }
        pages.join(Page(account: account, query: query), of: user, answer)
        sendPages()
    }

    private func sendPages() {
        while let key = pages.next() {
            let answer = access.inSession(of: key.account) {
                [self] (result: Result<SignedHistory?, StoreFailure>) in
                let page = check(result.mapError(Self.asNoSession), of: key.account)
                give(
                    page.flatMap { $0.map { .success($0) } ?? .failure(.pageExpired) },
                    of: key.account, to: pages.callers(key)[...]
                ) { [self] in
                    pages.end(key)
                    sendPages()
                }
            }
            access.send(.signedHistory(key.account, key.query, answer))
        }
    }

    /// Passes a page to its callers, one in each turn, because each reply may hold megabytes until the
    /// turn is committed.
    private func give(
        _ page: Result<SignedHistory, EngineRefusal>, of account: AccountName,
        to callers: ArraySlice<SharedRequests<Page, Result<SignedHistory, EngineRefusal>>.Answer>,
        whenDone: @escaping @Sendable () -> Void
    ) {
        let isForSession = account == writer.queue.session?.account
        let page = page.flatMap { isForSession ? .success($0) : .failure(.notLoggedIn) }
        callers.first?(page)
        let rest = callers.dropFirst()
        // The next callers follow after the end of the turn: by then the replies are written, or count
        // as unread.
        writer.loop.executeAfterInput { [self] in
            guard !rest.isEmpty else { return whenDone() }
            give(page, of: account, to: rest, whenDone: whenDone)
        }
    }

    /// Converts a failure about an account that the store does not serve any more: the account must log
    /// in, and `login` reports the exact cause.
    private static func asNoSession(_ failure: StoreFailure) -> StoreFailure {
        switch failure.kind {
        case .unknownAccount, .badCredential, .sessionRevoked:
            StoreFailure(.sessionRevoked, failure.description)
        case .connectionError, .serviceUnavailable, .appNotRegistered, .storageFailed,
            .internalError:
            failure
        }
    }

    /// Asks for the public keys of the store, which belong to no account.
    ///
    /// - Parameter answer: Called once, when the store has answered or failed.
    public func keys(
        answer: @escaping @Sendable (Result<[StoreKey], EngineRefusal>) -> Void
    ) {
        keys.join(Keys(), answer)
        sendKeys()
    }

    private func sendKeys() {
        while let request = keys.next() {
            access.send(
                .keys { [self] result in
                    let found = check(result)
                    let callers = keys.callers(request)
                    keys.end(request)
                    for answer in callers { answer(found) }
                    sendKeys()
                })
        }
    }

    // MARK: Answers

    /// Notes an answer of the store and converts it for the engine. The purchases of one account must
    /// not reach another account that has logged in meanwhile.
    private func check<Value>(
        _ result: Result<Value, StoreFailure>, of account: AccountName? = nil
    ) -> Result<Value, EngineRefusal> {
        guard writer.isRunning else { return .failure(.cancelled) }
        switch result {
        case .success(let value):
            access.note(nil)
            let isForSession = account == nil || account == writer.queue.session?.account
            return isForSession ? .success(value) : .failure(.notLoggedIn)
        case .failure(let failure):
            // A failure that is an answer does not mean that the store is down: a store that cannot
            // sign may still accept orders.
            if !failure.isAnswer { access.note(failure) }
            return .failure(.store(failure))
        }
    }
}

public import PaymentCore
import PaymentSandbox
import SandboxControl
import Synchronization

extension ScriptedBackend: StoreBackend {
    /// Opens a session.
    public func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        guard case .session(let session) = try await answer(.logIn(account, credential)) else {
            throw Self.misfit
        }
        return session
    }

    /// Everything that is sold in a country.
    public func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue {
        guard case .catalogue(let catalogue) = try await answer(.catalogue(country)) else {
            throw Self.misfit
        }
        return catalogue
    }

    /// The default country.
    public func defaultCountry() async throws(StoreFailure) -> CountryCode {
        guard case .country(let country) = try await answer(.defaultCountry) else {
            throw Self.misfit
        }
        return country
    }

    /// Places an order or tells the outcome of the one that the transaction has placed before.
    public func submit(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        guard case .outcome(let outcome) = try await answer(.submit(order)) else {
            throw Self.misfit
        }
        return outcome
    }

    /// Completes an order.
    public func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        guard case .done = try await answer(.complete(order, account)) else { throw Self.misfit }
    }

    /// What the store says of an account.
    public func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts {
        guard case .facts(let facts) = try await answer(.facts(account)) else {
            throw Self.misfit
        }
        return facts
    }

    /// What an account has paid for.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        guard
            case .purchases(let found) = try await answer(
                .purchases(selection, account, page: page))
        else {
            throw Self.misfit
        }
        return found
    }

    /// Asks to be told of what a control did.
    public func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        contents.withLock { $0.listeners.append(listener) }
    }
}

extension ScriptedBackend {
    private static let misfit = StoreFailure(
        .internalError, "the scripted answer is for another kind of call")

    private func answer(_ call: Call) async throws(StoreFailure) -> Answer {
        let id = contents.withLock { contents in
            Self.arrive(call, in: &contents)
            return contents.holding.contains(call.kind) ? contents.calls.count : nil
        }
        var ending: Ending?
        if let id { ending = await hold(call, id: id) }
        wake(\.callWaiters) { $0.calls.count }
        return try contents.withLock { Self.end(call, as: ending, in: &$0) }.get()
    }

    private func hold(_ call: Call, id: Int) async -> Ending {
        await withCheckedContinuation { continuation in
            contents.withLock { contents in
                contents.held.append(HeldCall(id: id, call: call))
                contents.continuations[id] = continuation
            }
            wake(\.callWaiters) { $0.calls.count }
            wake(\.heldWaiters) { $0.held.count }
        }
    }

    private func wake(
        _ waiters: WritableKeyPath<Contents, [Waiter]>, at count: (borrowing Contents) -> Int
    ) {
        let ready = contents.withLock { contents in
            let reached = count(contents)
            let ready = contents[keyPath: waiters].filter { $0.count <= reached }
            contents[keyPath: waiters].removeAll { $0.count <= reached }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    static func arrive(_ call: Call, in contents: inout Contents) {
        contents.calls.append(call)
        contents.time.milliseconds += 1
    }

    static func end(
        _ call: Call, as ending: Ending?, in contents: inout Contents
    ) -> Result<Answer, StoreFailure> {
        if let scripted = contents.scripts[call.kind]?.first, ending == nil || ending == .answered {
            contents.scripts[call.kind]?.removeFirst()
            return scripted
        }
        switch ending ?? draw(in: &contents) {
        case .failure(let failure): return .failure(failure)
        case .answered: return truth(about: call, in: &contents)
        case .answerLost:
            _ = truth(about: call, in: &contents)
            return .failure(StoreFailure(.connectionError, "the answer was lost"))
        }
    }

    private static func draw(in contents: inout Contents) -> Ending {
        let faults = contents.faults
        guard faults != Faults() else { return .answered }
        switch Int(contents.random.next() % 100) {
        case ..<faults.lostRequests:
            return .failure(StoreFailure(.connectionError, "the request was lost"))
        case ..<(faults.lostRequests + faults.lostAnswers):
            return .answerLost
        case ..<(faults.lostRequests + faults.lostAnswers + faults.unavailable):
            return .failure(StoreFailure(.serviceUnavailable, "the store is busy"))
        default:
            return .answered
        }
    }

    private static func truth(
        about call: Call, in contents: inout Contents
    ) -> Result<Answer, StoreFailure> {
        do {
            return .success(try answer(to: call, in: &contents))
        } catch {
            return .failure(error)
        }
    }

    private static func answer(
        to call: Call, in contents: inout Contents
    ) throws(StoreFailure) -> Answer {
        let context = contents.context
        switch call {
        case .logIn(let name, let credential):
            return .session(
                try contents.store.logIn(account: name, credential: credential, context)
                    .answer.get())
        case .catalogue(let country):
            return .catalogue(try contents.store.catalogue(of: country, context).answer.get())
        case .defaultCountry:
            return .country(try contents.store.defaultCountry(context).answer.get())
        case .submit(let request):
            return .outcome(try contents.store.submit(request, context).answer.get())
        case .complete(let order, let account):
            try contents.store.complete(order: order, account: account, context).answer.get()
            return .done
        case .facts(let name):
            // A store server reports the country at the login.
            var facts = try contents.store.facts(of: name, context).answer.get()
            facts.country = nil
            return .facts(facts)
        case .purchases(let selection, let account, let page):
            let step = contents.store.purchases(selection, of: account, page: page, context)
            return .purchases(try step.answer.get())
        }
    }
}

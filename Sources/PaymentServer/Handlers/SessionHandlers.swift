import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of `products`, `login`, `logout` and `storefront`.
struct SessionHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(Products.self, products) { params, _ throws(ErrorObject) in
            let country = try country(for: params)
            if let catalogue = engine.store.catalogues[country] { _ = try list(catalogue, params) }
        }
        methods.register(Login.self, login, check: checkLogin)
        methods.register(Logout.self, logout)
        methods.register(StorefrontMethod.self, storefront, check: checkStorefront)
    }

    /// The country whose catalogue is listed.
    private func country(for params: Products.Params) throws(ErrorObject) -> CountryCode {
        let cannotBe = params.ids?.first {
            $0.string.isEmpty || $0.byteCount > Products.longestIdentifierBytes
        }
        if let cannotBe { throw Failures.invalidProductIdentifier(cannotBe) }
        guard let country = engine.currentCountry else {
            throw engine.store.catalogues.whyUnknown.errorObject()
        }
        return country
    }

    func products(
        _ params: Products.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Products.Result> {
        let country = try country(for: params)
        if let catalogue = engine.store.catalogues[country] {
            return .now(try list(catalogue, params))
        }
        return .later { call in
            let bound = NIOLoopBound((handlers: self, call: call), eventLoop: context.eventLoop)
            engine.store.catalogues.require(country) { answer in
                let (handlers, call) = bound.value
                do throws(ErrorObject) {
                    switch answer {
                    case .success(let catalogue): call.succeed(try handlers.list(catalogue, params))
                    case .failure(let failure): throw failure.errorObject()
                    }
                } catch {
                    call.fail(error)
                }
            }
        }
    }

    private func checkLogin(_ params: Login.Params, _ request: Request) throws(ErrorObject) {
        guard !context.isStopping else { throw ErrorCode.draining.object() }
        guard params.account == nil else { return }
        try translatingRefusal { () throws(EngineRefusal) in
            try engine.login.requireAgentOrSession()
        }
    }

    func login(
        _ params: Login.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Login.Result> {
        try checkLogin(params, request)
        guard let account = params.account else { return logInByAgent(request.origin) }
        let origin = request.origin
        return .later { call in
            let bound = NIOLoopBound(call, eventLoop: context.eventLoop)
            let boundContext = NIOLoopBound(context, eventLoop: context.eventLoop)
            engine.store.sessions.logIn(
                account: account, credential: params.credential, origin: origin,
                caller: LoggingIn(call: bound)
            ) { result in
                switch result {
                case .success((let session, let sequence)):
                    bound.value.succeed(Login.Result(session: session, sequence: sequence))
                case .failure(.store(let failure)):
                    bound.value.fail(failure.errorObject(account: account))
                case .failure(let refusal):
                    if case .tooManyAttempts = refusal {
                        boundContext.value.counters.throttledLogins += 1
                    }
                    bound.value.fail(refusal.errorObject())
                }
            }
        }
    }

    /// Requests a login from the login agents.
    private func logInByAgent(_ origin: Origin) -> Answer<Login.Result> {
        later({ Login.Result(session: $0.0, sequence: $0.1) }) { [engine] in
            engine.login.logInByAgent(origin: origin, answer: $0)
        }
    }

    func logout(
        _ params: Logout.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Logout.Result> {
        .now(Logout.Result(sequence: engine.store.sessions.logOut(origin: request.origin)))
    }

    private func checkStorefront(
        _ params: StorefrontMethod.Params, _ request: Request
    ) throws(ErrorObject) {
        if params.assume != nil { try request.require(.buy) }
    }

    func storefront(
        _ params: StorefrontMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<StorefrontMethod.Result> {
        try checkStorefront(params, request)
        if let assume = params.assume {
            let country: CountryCode? =
                if case .country(let named) = assume { named } else { nil }
            try translatingRefusal { () throws(EngineRefusal) in
                _ = try engine.store.catalogues.assume(country, origin: request.origin)
            }
        }
        return .now(
            StorefrontMethod.Result(
                session: engine.queue.session, assumed: engine.queue.assumedCountry,
                endedSession: engine.queue.endedSession))
    }

    /// The requested products, or a page of the whole catalogue.
    private func list(
        _ catalogue: Catalogue, _ params: Products.Params
    ) throws(ErrorObject) -> Products.Result {
        guard let ids = params.ids else { return try page(of: catalogue, params) }
        var found: [Product] = []
        var invalid: [ProductIdentifier] = []
        var seen: Set<ProductIdentifier> = []
        for id in ids where seen.insert(id).inserted {
            if let product = catalogue.product(id) {
                found.append(engine.store.sessions.shown(product))
            } else {
                invalid.append(id)
            }
        }
        return Products.Result(products: found, invalid: invalid, country: catalogue.country)
    }

    /// A page of the whole catalogue, from the position in the page token. A position is valid only
    /// in the catalogue of the previous page, and within one run of the daemon.
    private func page(
        of catalogue: Catalogue, _ params: Products.Params
    ) throws(ErrorObject) -> Products.Result {
        let country = catalogue.country
        let origin =
            "\(country)-\(engine.queue.incarnation)-\(engine.store.catalogues.edition(of: country))-"
        var start = 0
        if let page = params.page?.string {
            guard page.hasPrefix(origin), let place = Int(page.dropFirst(origin.count)),
                (0...catalogue.products.count).contains(place)
            else { throw ErrorCode.pageExpired.object() }
            start = place
        }
        let end = min(start + params.limit, catalogue.products.count)
        return Products.Result(
            products: catalogue.products[start..<end].map(engine.store.sessions.shown),
            country: country,
            next: end < catalogue.products.count ? "\(origin)\(end)" : nil)
    }
}

/// The caller of `login`. If its connection closes, a login in progress stands, as every other
/// request does. If the caller cancels it, the login does not stand.
private struct LoggingIn: LoginCaller {
    let call: NIOLoopBound<WaitingCall>

    var isGone: Bool { call.value.isDone }
    var hasCancelled: Bool { call.value.isCancelled }
}

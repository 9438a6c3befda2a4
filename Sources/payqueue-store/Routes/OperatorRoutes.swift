import Hummingbird
import PaymentCore
import PaymentSandbox
import SandboxControl

/// The routes of the operator's pages. Their actions are in `OperatorRoutes+Actions`.
struct OperatorRoutes {
    let services: StoreServices

    func add(to router: Router<StoreContext>) {
        router.get("operator.css") { _, _ in
            PageReply.asset(PageStyle.css, type: "text/css; charset=utf-8")
        }
        router.get("operator.svg") { _, _ in
            PageReply.asset(PageStyle.icon, type: "image/svg+xml")
        }
        let pages = router.group().add(
            middleware: OperatorMiddleware(
                operators: services.operators, guesses: services.guesses, log: services.log))
        pages.get("/") { request, _ in try await overview(request.fieldsOfQuery) }
        pages.get("orders") { request, _ in try await orders(request.fieldsOfQuery) }
        pages.get("orders/{order}") { request, context in
            try await order(context.parameters.get("order") ?? "", request.fieldsOfQuery)
        }
        pages.get("accounts") { request, _ in try await accounts(request.fieldsOfQuery) }
        pages.get("account") { request, _ in try await account(request.fieldsOfQuery) }
        pages.get("subscriptions") { request, _ in try await subscriptions(request.fieldsOfQuery) }
        pages.get("settings") { request, _ in try await settings(request.fieldsOfQuery) }
        pages.get("confirm") { request, _ in try await confirm(request.fieldsOfQuery) }
        pages.post("operate") { request, _ in try await operate(request) }
    }

    /// A page, with a message about the action that was just performed.
    func reply(
        _ title: String, in section: PageFrame.Section, _ fields: FormFields, now: Timestamp,
        beside: HTML? = nil, _ content: HTML
    ) -> Response {
        let done = try? OperatorAction(fields, word: "done")
        return PageReply.page(
            PageFrame(
                title: title, section: section, now: now, done: done,
                token: services.operators.formToken, besideTitle: beside, content: content))
    }

    private func overview(_ fields: FormFields) async throws -> Response {
        let summary = await services.sandbox.summary()
        var filter = OrderFilter()
        filter.isWaiting = true
        let waiting = try await services.sandbox.list(
            .orders(filter), before: nil, limit: OverviewPage.actionsOfPage)
        let newest = try await services.sandbox.list(
            .orders(OrderFilter()), before: nil, limit: OverviewPage.ordersOfPage)
        let page = OverviewPage(
            summary: summary, waiting: waiting.items,
            waitingSubscriptions: await services.sandbox.waitingSubscriptions(
                limit: OverviewPage.actionsOfPage),
            orders: newest.items, settings: await services.sandbox.testSettings(),
            sessions: services.tokens.count, catalogue: services.catalogue)
        return reply("Overview", in: .overview, fields, now: summary.now, page.content)
    }

    private func orders(_ fields: FormFields) async throws -> Response {
        let query = try OrderQuery(fields)
        let summary = await services.sandbox.summary()
        let listing: Listing<SandboxOrder>
        do throws(TestFailure) {
            listing = try await services.sandbox.list(
                .orders(query.filter), before: query.cursor, limit: OrderListPage.ordersOfPage)
        } catch {
            throw PageFailure(error, back: query.link(before: nil))
        }
        let page = OrderListPage(
            query: query, listing: listing, summary: summary, catalogue: services.catalogue)
        return reply("Orders", in: .orders, fields, now: summary.now, page.content)
    }

    private func order(_ name: String, _ fields: FormFields) async throws -> Response {
        let story = try await services.story(ofOrder: OrderID(name))
        let summary = await services.sandbox.summary()
        let order = story.order.order
        let view = OrderView(catalogue: services.catalogue, now: summary.now)
        return reply(
            "Order \(OrderView.short(order.order))", in: .orders, fields, now: summary.now,
            beside: OrderView.state(story.order), OrderPage(story: story, view: view).content)
    }

    private func accounts(_ fields: FormFields) async throws -> Response {
        let text = fields["q"].flatMap { SearchText($0) }
        let cursor = try OrderQuery.cursor(fields, back: .accounts)
        let summary = await services.sandbox.summary()
        let listing = try await services.sandbox.list(
            .accounts(text), before: cursor, limit: AccountListPage.accountsOfPage)
        let sessions = services.tokens.counts
        var isOpen = true
        var names = Set(sessions.keys)
        if case .listed(let listed) = services.catalogue.accounts {
            isOpen = false
            names.formUnion(listed.map(\.name))
        }
        if let text { names = names.filter { text.isPart(of: $0) } }
        var others: [AccountName] = []
        if listing.next == nil {
            others = await services.sandbox.withoutOrders(
                names.sorted(by: OpaqueText.precedes), limit: AccountListPage.othersOfPage)
        }
        func row(_ name: AccountName, _ newest: SandboxOrder?) -> AccountListPage.Row {
            AccountListPage.Row(
                name: name, facts: services.sandbox.knownFacts(of: name),
                sessions: sessions[name] ?? 0, newest: newest)
        }
        let rows =
            listing.items.map { row($0.order.account, $0) }
            + others.map { row($0, nil) }
        let page = AccountListPage(
            text: text?.string ?? "", listing: listing, rows: rows, isFirst: cursor == nil,
            isOpen: isOpen, view: OrderView(catalogue: services.catalogue, now: summary.now))
        return reply("Accounts", in: .accounts, fields, now: summary.now, page.content)
    }

    private func account(_ fields: FormFields) async throws -> Response {
        guard let name = fields["account"].map({ AccountName($0) }) else {
            throw PageFailure(.badRequest, "The account is missing.", back: .accounts)
        }
        let facts = services.sandbox.knownFacts(of: name)
        let story = try await services.sandbox.story(of: name)
        let sessions = services.tokens.sessions(of: name)
        guard facts != nil || !story.orders.isEmpty || !sessions.isEmpty else {
            throw PageFailure(.notFound, "There is no such account.", back: .accounts)
        }
        let summary = await services.sandbox.summary()
        let page = AccountPage(
            name: name, facts: facts, story: story, sessions: sessions,
            view: OrderView(catalogue: services.catalogue, now: summary.now), today: services.now())
        return reply(
            "Account \(name)", in: .accounts, fields, now: summary.now, page.content)
    }

    private func subscriptions(_ fields: FormFields) async throws -> Response {
        let text = fields["q"].flatMap { SearchText($0) }
        let status = try fields["status"].map { word throws(PageFailure) in
            guard let status = SandboxSubscription.Status(rawValue: word) else {
                throw PageFailure(.badRequest, "There is no state \(word).", back: .subscriptions)
            }
            return status
        }
        let cursor = try OrderQuery.cursor(fields, back: .subscriptions)
        let limit = SubscriptionListPage.subscriptionsOfPage
        let summary = await services.sandbox.summary()
        let listing = try await services.sandbox.list(
            .subscriptions(status, text), before: cursor, limit: limit)
        let isPlain = text == nil && status == nil && cursor == nil
        let view = OrderView(catalogue: services.catalogue, now: summary.now)
        let page = SubscriptionListPage(
            text: text?.string ?? "", status: status,
            waiting: isPlain ? await services.sandbox.waitingSubscriptions(limit: limit) : [],
            listing: listing, summary: summary, isFirst: cursor == nil,
            view: SubscriptionView(orders: view))
        return reply("Subscriptions", in: .subscriptions, fields, now: summary.now, page.content)
    }

    private func settings(_ fields: FormFields) async throws -> Response {
        let summary = await services.sandbox.summary()
        let page = SettingsPage(settings: await services.sandbox.testSettings())
        return reply("Settings", in: .settings, fields, now: summary.now, page.content)
    }

    /// The page that asks before an action.
    private func confirm(_ fields: FormFields) async throws -> Response {
        let page = try await OperatorQuestions(services: services).page(
            for: try OperatorAction(fields))
        let now = await services.sandbox.summary().now
        return PageReply.page(
            PageFrame(title: page.title, section: nil, now: now, content: page.content))
    }
}

extension Request {
    /// The fields of the query.
    var fieldsOfQuery: FormFields { FormFields(Array((uri.query ?? "").utf8)) }
}

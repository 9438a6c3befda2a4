import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PaymentCore
import PaymentSandbox
import SandboxControl

/// The actions of the operator's pages. Each button links to a confirmation, and the form of the
/// confirmation performs the action.
extension OperatorRoutes {
    /// Performs the action of a form and redirects to the page of its object. A reload of that page
    /// does not repeat the action.
    func operate(_ request: Request) async throws -> Response {
        let fields = FormFields(Array(buffer: try await request.wholeBody()))
        let action = try OperatorAction(fields)
        guard services.operators.isOwn(request, form: fields) else {
            throw PageFailure(
                .forbidden, "This form has expired. Reload its page and try again.",
                back: action.page)
        }
        let before = await services.sandbox.testSettings()
        let made = try await perform(action)
        services.log.notice("operator action", metadata: ["action": "\(action.word.rawValue)"])
        return Response(
            status: .seeOther,
            headers: [
                .location: target(of: action.noting(before), made: made).text,
                .cacheControl: "no-store",
            ])
    }

    private func target(of action: OperatorAction, made: StoreOrder?) -> PageLink {
        let done =
            [("done", action.word.rawValue)] + action.objectFields.map { ($0.name, $0.value) }
        let path: String =
            switch action.object {
            case .order where action.word == .delete: "/orders"
            case .order(let order): "/orders/\(order)"
            case .purchase: made.map { "/orders/\($0.order)" } ?? "/account"
            case .subscription, .session: "/account"
            case .setting, .value: "/settings"
            }
        return PageLink(path, done)
    }

    private func perform(_ action: OperatorAction) async throws -> StoreOrder? {
        switch action.object {
        case .setting(let setting):
            _ = try await services.sandbox.applyTestSettings(
                setting.change(to: action.word == .switchOn))
            return nil
        case .value(let value, _):
            _ = try await services.sandbox.applyTestSettings(value.change)
            return nil
        case .session(let account, let digest):
            guard
                let session = services.tokens.sessions(of: account).first(where: {
                    $0.digest == digest
                })
            else {
                throw PageFailure(.notFound, "The session has ended already.", back: action.page)
            }
            try await services.tokens.revoke(session)
            services.feed.wake(account)
            return nil
        case .order(let order):
            return try await run(action.word.control(of: .order(order)), action, account: nil)
        case .subscription(let account, let product):
            return try await run(
                action.word.control(of: product), action, account: account)
        case .purchase(let account, let product, let token):
            return try await run(.buy(product, appAccountToken: token), action, account: account)
        }
    }

    private func run(
        _ control: TestControl?, _ action: OperatorAction, account: AccountName?
    ) async throws(PageFailure) -> StoreOrder? {
        guard let control else { throw PageFailure(.badRequest, "There is no such action.") }
        do throws(TestFailure) {
            return try await services.sandbox.run(control, account: account)
        } catch .noSuchOrder {
            throw noSuch(action)
        } catch {
            throw PageFailure(error, back: action.page)
        }
    }

    private func noSuch(_ action: OperatorAction) -> PageFailure {
        guard case .subscription(let account, let product) = action.object else {
            return PageFailure(.notFound, "There is no such order.", back: .orders)
        }
        return PageFailure(
            .notFound, "\(account) has no running subscription to \(product).", back: action.page)
    }

    // MARK: Confirmations

    /// The confirmation of an action.
    ///
    /// - Throws: The object does not exist, or the action is not possible now.
    func confirm(_ fields: FormFields) async throws -> Response {
        let action = try OperatorAction(fields)
        let page: ConfirmPage
        switch action.object {
        case .order(let order): page = try await question(action, about: order)
        case .subscription(let account, let product):
            guard let story = await services.sandbox.story(ofSubscriptionTo: product, of: account)
            else { throw noSuch(action) }
            page = question(action, about: story)
        case .purchase(let account, let product, let token):
            page = try question(action, account, product, token)
        case .session(let account, _):
            page = ConfirmPage(
                action: action, title: "End this session?",
                facts: [("Account", OrderView.account(account))],
                effects: ["Clients that use the session have to log in again."],
                undo: "This cannot be undone.", token: services.operators.formToken)
        case .setting(let setting):
            let isOn = action.word == .switchOn
            page = ConfirmPage(
                action: action, title: "\(action.word.label): \(setting.label)?",
                facts: [("Setting", "\(setting.label)")],
                effects: [isOn ? setting.meaning : setting.oppositeMeaning],
                undo: "You can undo this.", token: services.operators.formToken)
        case .value(let value, _):
            let current = value.current(in: await services.sandbox.testSettings())
            page = try question(action, value, insteadOf: current)
        }
        let now = await services.sandbox.summary().now
        return PageReply.page(
            PageFrame(title: page.title, section: nil, now: now, content: page.content))
    }

    private func question(
        _ action: OperatorAction, _ value: StoreValue, insteadOf current: StoreValue?
    ) throws(PageFailure) -> ConfirmPage {
        guard let current, current != value else {
            throw PageFailure(
                .refused, "The setting has this value already: \(value.label).", back: .settings)
        }
        return ConfirmPage(
            action: action, title: "Change: \(value.name)?",
            facts: [
                ("Setting", "\(value.name)"), ("Now", "\(current.label)"),
                ("Then", "\(value.label)"),
            ], effects: [value.meaning], undo: value.undo, token: services.operators.formToken)
    }

    private func question(
        _ action: OperatorAction, about order: OrderID
    ) async throws(PageFailure) -> ConfirmPage {
        let story = try await story(ofOrder: order)
        let known = story.order
        let isUnpaid = story.subscription?.subscription.status == .retrying && known.isPaid
        guard
            action.word == .delete || OrderView.actions(on: known).contains(action.word)
                || (action.word == .resolve && isUnpaid)
        else { throw PageFailure(.notDecidable(known.order.state), back: .order(order)) }
        let view = OrderView(catalogue: services.catalogue, now: services.now())
        let facts: [(name: String, value: HTML)] = [
            ("Product", view.product(known.order.product, in: known.order.country)),
            ("Account", OrderView.account(known.order.account)),
            ("Charge", OrderView.charged(known)), ("State", OrderView.state(known)),
            ("Placed (UTC)", HTML.time(known.order.placedAt)),
        ]
        let (effects, undo) = effects(of: action.word, on: story)
        let charge = known.order.charge?.price
        let label = charge.map { "Refund \($0.amount.text) \($0.currencyCode)" }
        return ConfirmPage(
            action: action,
            title: "\(action.word.label) order \(OrderView.short(order))?", facts: facts,
            effects: effects, undo: undo, label: action.word == .refund ? label : nil,
            token: services.operators.formToken)
    }

    private func effects(
        of word: OperatorAction.Word, on story: OrderStory
    ) -> ([String], undo: String) {
        let order = story.order.order
        let price = "\(order.price.amount.text) \(order.price.currencyCode)"
        switch word {
        case .approve:
            return (
                [
                    "\(order.account) is charged as agreed; the price is \(price).",
                    "The order fails instead if it would cost more or less than agreed.",
                ], "This cannot be undone, but the order can be refunded."
            )
        case .decline:
            return (
                ["The order fails as cancelled; nothing is charged."],
                "This cannot be undone; \(order.account) can order again."
            )
        case .refund:
            var effects = ["\(order.account) gets the money back and loses what was bought."]
            if let subscription = story.subscription, subscription.serving == order.order,
                subscription.subscription.status != .ended
            {
                effects.append("The subscription ends now.")
            }
            return (effects, "This cannot be undone.")
        case .resolve where story.order.isInterrupted:
            return (
                ["The purchase goes through and is charged; the price is \(price)."],
                "This cannot be undone, but the order can be refunded."
            )
        case .resolve:
            return (
                ["The unpaid renewal is charged, and the next period begins."],
                "This cannot be undone, but the renewal can be refunded."
            )
        default:
            return (
                [
                    "The order and its renewals are forgotten as if they had never been made.",
                    "Clients that still hold them are notified of the deletion.",
                ], "This cannot be undone."
            )
        }
    }

    private func question(_ action: OperatorAction, about story: SubscriptionStory) -> ConfirmPage {
        let subscription = story.subscription
        let view = OrderView(catalogue: services.catalogue, now: services.now())
        let title = view.title(subscription.product, in: subscription.country)
        let price = "\(subscription.price.amount.text) \(subscription.price.currencyCode)"
        let end = subscription.expiresAt.description.head(10)
        let final = "This cannot be undone."
        let (effects, undo): ([String], String) =
            switch action.word {
            case .renew:
                (
                    ["The running period ends now.", "The next one begins and is charged."],
                    "This cannot be undone; refunding the renewal ends the subscription."
                )
            case .renewOn: (["The subscription renews on \(end)."], "You can undo this.")
            case .renewOff:
                (["The subscription ends on \(end)."], "You can undo this until then.")
            case .raisePrice:
                (
                    [
                        "A higher price is announced for the next period.",
                        "The subscription ends on \(end) unless the subscriber accepts.",
                    ], "This cannot be undone; the price can be accepted or declined."
                )
            case .acceptPrice: (["The subscription renews at the new price."], final)
            case .declinePrice:
                (["The subscription ends on \(end)."], "Renewal can be turned on again.")
            default:
                (
                    ["The subscription ends now; nothing is refunded."],
                    "This cannot be undone; \(subscription.key.account) can subscribe again."
                )
            }
        return ConfirmPage(
            action: action, title: "\(action.word.label): \(title)?",
            facts: [
                ("Product", view.product(subscription.product, in: subscription.country)),
                ("Account", OrderView.account(subscription.key.account)),
                ("Price of a period", "\(price)"),
                ("State", SubscriptionView.state(subscription)),
                ("Next", SubscriptionView.outlook(subscription)),
            ], effects: effects, undo: undo, token: services.operators.formToken)
    }

    private func question(
        _ action: OperatorAction, _ account: AccountName, _ product: ProductIdentifier,
        _ token: OpaqueText?
    ) throws(PageFailure) -> ConfirmPage {
        guard let country = services.sandbox.knownFacts(of: account)?.country else {
            throw PageFailure(.notFound, "There is no such account.", back: .accounts)
        }
        guard let sold = services.catalogue.product(product, in: country) else {
            throw PageFailure(.unknownProduct(product), back: action.page)
        }
        let view = OrderView(catalogue: services.catalogue, now: services.now())
        var facts: [(name: String, value: HTML)] = [
            ("Account", OrderView.account(account)),
            ("Product", view.product(product, in: country)),
            ("Price", HTML.price(sold.price)),
        ]
        if let token { facts.append(("Application's token", "\(token)")) }
        return ConfirmPage(
            action: action, title: "Buy \(sold.localizedTitle) for \(account)?", facts: facts,
            effects: ["The purchase is charged as one made on another device."],
            undo: "This cannot be undone, but the order can be refunded.",
            token: services.operators.formToken)
    }
}

extension OperatorAction {
    /// The same action with the current value of its setting, so that it can be undone.
    fileprivate func noting(_ settings: StoreTestSettings) -> OperatorAction {
        guard case .value(let value, _) = object else { return self }
        return OperatorAction(word, .value(value, before: value.current(in: settings)))
    }
}

extension OperatorAction.Word {
    /// The control for an action on an order; nil for other actions.
    fileprivate func control(of order: OrderReference) -> TestControl? {
        switch self {
        case .approve: .decide(order, approved: true)
        case .decline: .decide(order, approved: false)
        case .refund: .refund(order)
        case .resolve: .resolve(order)
        case .delete: .deleteOrder(order)
        case .renew, .end, .renewOn, .renewOff, .raisePrice, .acceptPrice, .declinePrice, .buy,
            .endSession, .switchOn, .switchOff, .change:
            nil
        }
    }

    /// The control for an action on a subscription; nil for other actions.
    fileprivate func control(of product: ProductIdentifier) -> TestControl? {
        switch self {
        case .renew: .renew(product)
        case .end: .expire(product)
        case .renewOn: .autoRenew(product, true)
        case .renewOff: .autoRenew(product, false)
        case .raisePrice: .priceIncrease(product, .pending)
        case .acceptPrice: .priceIncrease(product, .consent)
        case .declinePrice: .priceIncrease(product, .decline)
        case .approve, .decline, .refund, .resolve, .delete, .buy, .endSession, .switchOn,
            .switchOff, .change:
            nil
        }
    }
}

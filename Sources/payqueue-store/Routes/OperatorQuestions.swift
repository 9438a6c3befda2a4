import PaymentCore
import PaymentSandbox
import SandboxControl

/// The page that asks an operator for confirmation before an action, and describes the effects of
/// the action.
struct OperatorQuestions {
    let services: StoreServices

    /// The question before an action.
    ///
    /// - Throws: The object of the action does not exist, or the action cannot be done now.
    func page(for action: OperatorAction) async throws -> ConfirmPage {
        switch action.object {
        case .order(let order): return try await question(action, about: order)
        case .subscription(let account, let product):
            guard let story = await services.sandbox.story(ofSubscriptionTo: product, of: account)
            else { throw PageFailure.nothing(for: action) }
            return question(action, about: story)
        case .purchase(let account, let product, let token):
            return try question(action, account, product, token)
        case .session(let account, _):
            return ConfirmPage(
                action: action, title: "End this session?",
                facts: [("Account", OrderView.account(account))],
                effects: ["Clients that use the session have to log in again."],
                undo: "This cannot be undone.", token: services.operators.formToken)
        case .setting(let setting):
            let isOn = action.word == .switchOn
            return ConfirmPage(
                action: action, title: "\(action.word.label): \(setting.label)?",
                facts: [("Setting", "\(setting.label)")],
                effects: [isOn ? setting.meaning : setting.oppositeMeaning],
                undo: "You can undo this.", token: services.operators.formToken)
        case .value(let value, _):
            let current = value.current(in: await services.sandbox.testSettings())
            return try question(action, value, insteadOf: current)
        }
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
        let story = try await services.story(ofOrder: order)
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

extension StoreServices {
    /// An order with its subscription.
    ///
    /// - Throws: The order does not exist.
    func story(ofOrder order: OrderID?) async throws(PageFailure) -> OrderStory {
        guard let order, let story = await sandbox.story(of: order) else {
            throw PageFailure(.notFound, "There is no such order.", back: .orders)
        }
        return story
    }
}

extension PageFailure {
    /// The object of an action does not exist.
    static func nothing(for action: OperatorAction) -> PageFailure {
        guard case .subscription(let account, let product) = action.object else {
            return PageFailure(.notFound, "There is no such order.", back: .orders)
        }
        return PageFailure(
            .notFound, "\(account) has no running subscription to \(product).", back: action.page)
    }
}

import PaymentCore
import PaymentSandbox

/// Subscriptions in tables and cards.
struct SubscriptionView {
    let orders: OrderView

    /// The state of a subscription.
    static func state(_ subscription: SandboxSubscription) -> HTML {
        let (kind, word): (String, String) =
            switch subscription.status {
            case .active where subscription.increase?.isAgreed == false:
                ("warn", "price increase not accepted")
            case .active: ("good", subscription.autoRenews ? "active" : "active, ends")
            case .retrying:
                ("warn", subscription.graceUntil == nil ? "billing retry" : "grace period")
            case .ended: ("", "ended")
            }
        return "<span class=\"state \(kind)\">\(word)</span>"
    }

    /// The next step of a subscription, in a sentence.
    static func outlook(_ subscription: SandboxSubscription) -> HTML {
        switch subscription.status {
        case .active where !subscription.autoRenews: "ends on \(HTML.day(subscription.expiresAt))"
        case .active: "renews on \(HTML.day(subscription.expiresAt))"
        case .retrying:
            (subscription.retryUntil ?? subscription.graceUntil)
                .map { "unpaid; retried until \(HTML.day($0))" } ?? "unpaid"
        case .ended: "ended on \(HTML.day(subscription.expiresAt))"
        }
    }

    /// The possible actions on a subscription, the most likely first.
    static func actions(on story: SubscriptionStory) -> [OperatorAction] {
        let subscription = story.subscription
        let object = OperatorAction.Object.subscription(
            subscription.key.account, subscription.product)
        let renewal: OperatorAction.Word = subscription.autoRenews ? .renewOff : .renewOn
        let words: [OperatorAction.Word]
        switch subscription.status {
        case .active:
            let price: [OperatorAction.Word] =
                switch subscription.increase?.isAgreed {
                case nil: [.raisePrice]
                case false: [.acceptPrice, .declinePrice]
                case true: []
                }
            words =
                subscription.waitsForPerson
                ? price + [.renew, renewal, .end] : [.renew, renewal] + price + [.end]
        case .retrying:
            let resolve = story.serving.map { OperatorAction(.resolve, .order($0)) }
            return [resolve].compactMap { $0 }
                + [OperatorAction(renewal, object), OperatorAction(.end, object)]
        case .ended: return []
        }
        return words.map { OperatorAction($0, object) }
    }

    private func buttons(_ story: SubscriptionStory, atMost count: Int = .max) -> [HTML] {
        let subscription = story.subscription
        return Self.actions(on: story).prefix(count).map {
            PageFrame.button($0, of: "\(subscription.product) of \(subscription.key.account)")
        }
    }

    /// A table of subscriptions. A table for actions has the relevant buttons in each row.
    func table(
        _ stories: [SubscriptionStory], caption: String, isForAction: Bool = false
    ) -> HTML {
        var columns: [PageTable.Column] = [
            .init(name: "Product"), .init(name: "State"), .init(name: "Account"),
            .init(name: "Price", isNumber: true), .init(name: "Next"), .init(name: "Began"),
            .init(name: "Action", isWide: true),
        ]
        if !isForAction { columns.removeLast() }
        let rows = stories.map { story -> [HTML?] in
            let subscription = story.subscription
            var row: [HTML?] = [
                orders.product(subscription.product, in: subscription.country),
                Self.state(subscription), OrderView.account(subscription.key.account),
                HTML.price(subscription.price), Self.outlook(subscription),
                OrderView.link(subscription.original),
                "<span class=\"actions\">\(buttons(story, atMost: 2))</span>",
            ]
            if !isForAction { row.removeLast() }
            return row
        }
        return PageTable(caption: caption, columns: columns, rows: rows).html
    }

    /// A card of a subscription with the picture of its periods.
    func card(_ story: SubscriptionStory) -> HTML {
        let subscription = story.subscription
        var facts: [(name: String, value: HTML)] = [
            ("Price of a period", HTML.price(subscription.price)),
            ("Next", Self.outlook(subscription)),
            ("Began with", OrderView.link(subscription.original)),
        ]
        if let next = subscription.nextProduct {
            facts.append(("Changes to", orders.product(next, in: subscription.country)))
        }
        if let increase = subscription.increase {
            let answer = increase.isAgreed ? "accepted" : "not accepted yet"
            facts.append(("New price", "\(HTML.price(increase.price)), \(answer)"))
        }
        if let grace = subscription.graceUntil {
            facts.append(("Served until", HTML.day(grace)))
        }
        return """
            <div class="card">
            <div class="over"><h3>\(orders.title(subscription.product, in: subscription.country))\
             </h3>\(Self.state(subscription))</div>
            \(HTML.facts(facts))\(PeriodPicture(story: story, now: orders.now).html)\
            <p class="actions">\(buttons(story))</p>
            </div>

            """
    }
}

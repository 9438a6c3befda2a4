import PaymentCore
import PaymentSandbox
import SandboxControl

/// The page of one order: its product, its history and its possible actions.
struct OrderPage {
    let story: OrderStory
    let view: OrderView

    private var known: SandboxOrder { story.order }
    private var order: StoreOrder { story.order.order }

    var content: HTML {
        """
        <div class="card">\(HTML.facts(facts))</div>
        <p class="actions">\(OrderView.buttons(on: known))\(delete)</p>
        <section aria-labelledby="story-title">
        <div class="over"><h2 id="story-title">Timeline</h2></div>
        <div class="card">\(Timeline(of: chain, view, namesOrders: chain.count > 1).html)</div>
        </section>
        \(subscription)
        """
    }

    /// The order and the others of its chain, newest first.
    private var chain: [SandboxOrder] {
        let others = story.subscription?.orders ?? []
        return others.contains { $0.order.order == order.order } ? others : [known] + others
    }

    private var delete: HTML {
        PageFrame.button(
            OperatorAction(.delete, .order(order.order)),
            of: "order \(OrderView.short(order.order))")
    }

    private var facts: [(name: String, value: HTML)] {
        var facts: [(name: String, value: HTML)] = [
            ("Account", OrderView.account(order.account)),
            ("Product", view.product(order.product, in: order.country)),
            ("Price", HTML.price(order.price)), ("Charge", OrderView.charged(known)),
            ("Country", "\(order.country.description)"),
            ("Placed (UTC)", HTML.time(order.placedAt)),
        ]
        if known.isPaid { facts.append(("Paid (UTC)", HTML.time(known.paidAt))) }
        if known.isPaid { facts.append(("Delivered", order.completed ? "yes" : "not yet")) }
        if let end = order.expiresAt { facts.append(("Ends (UTC)", HTML.time(end))) }
        if let reason = OrderView.reason(known) { facts.append(("Reason", "\(reason)")) }
        if let token = order.appAccountToken { facts.append(("Application's token", "\(token)")) }
        facts.append(("Order", "<code>\(order.order.description)</code>"))
        if let transaction = order.transaction {
            facts.append(("Transaction", "<code>\(transaction.description)</code>"))
        } else {
            facts.append(
                ("Transaction", order.isRenewal ? "none: a renewal" : "none: made elsewhere"))
        }
        if order.original != order.order {
            facts.append(("First order of the subscription", OrderView.link(order.original)))
        }
        return facts
    }

    private var subscription: HTML? {
        story.subscription.map { subscription in
            """
            <section aria-labelledby="subscription-title">
            <div class="over"><h2 id="subscription-title">Subscription</h2></div>
            \(SubscriptionView(orders: view).card(subscription))</section>

            """
        }
    }
}

import PaymentCore
import PaymentSandbox
import SandboxControl

/// The page of one account: its entitlements, orders and sessions.
struct AccountPage {
    let name: AccountName
    let facts: AccountFacts?
    let story: AccountStory
    let sessions: [SessionTokenStore.Session]
    let view: OrderView
    /// The real time, which is the time of sessions.
    let today: Timestamp

    private var total: Int { story.counts.values.reduce(0, +) }

    var content: HTML {
        """
        <div class="card">\(HTML.facts(summary))</div>
        <section aria-labelledby="owns-title">
        <div class="over"><h2 id="owns-title">Entitlements</h2></div>
        \(entitlements)</section>
        <section aria-labelledby="subscriptions-title">
        <div class="over"><h2 id="subscriptions-title">Subscriptions</h2></div>
        \(subscriptions)</section>
        <section aria-labelledby="orders-title">
        <div class="over"><h2 id="orders-title">Orders</h2>\(allOrders)</div>
        \(orders)</section>
        <section aria-labelledby="sessions-title">
        <div class="over"><h2 id="sessions-title">Sessions</h2></div>
        \(sessionTable)</section>
        \(purchase)
        """
    }

    private var summary: [(name: String, value: HTML)] {
        let counts = story.counts
        return [
            ("Country", "\(facts?.country?.description ?? "not in the catalogue")"),
            ("May buy", facts?.paymentsAllowed == true ? "yes" : "no"),
            ("Orders", "\(total.grouped)"),
            ("Paid", "\((counts[.purchased] ?? 0).grouped)"),
            ("Refunded", "\((counts[.refunded] ?? 0).grouped)"),
            ("Failed", "\((counts[.failed] ?? 0).grouped)"),
        ]
    }

    private var entitlements: HTML {
        guard !story.entitlements.isEmpty else {
            return "<div class=\"card empty\"><p>The account owns nothing now.</p></div>\n"
        }
        let rows = story.entitlements.map { known -> [HTML?] in
            [
                view.product(known.order.product, in: known.order.country),
                OrderView.link(known.order.order), HTML.time(known.paidAt),
                known.order.expiresAt.map { HTML.time($0) } ?? "never",
            ]
        }
        return PageTable(
            caption: "Products owned now, with their orders", isCaptionShown: false,
            columns: [
                .init(name: "Product"), .init(name: "Order"), .init(name: "Since (UTC)"),
                .init(name: "Ends (UTC)"),
            ], rows: rows
        ).html
    }

    private var subscriptions: HTML {
        guard !story.subscriptions.isEmpty else {
            return "<div class=\"card empty\"><p>The account has no subscription.</p></div>\n"
        }
        let view = SubscriptionView(orders: view)
        return "\(story.subscriptions.map { view.card($0) })"
    }

    private var allOrders: HTML? {
        guard total > 0 else { return nil }
        let link = PageLink("/orders", [("account", name.string)])
        return "<a href=\"\(link)\">All \(total.grouped) in a list</a>"
    }

    private var orders: HTML {
        guard !story.orders.isEmpty else {
            return "<div class=\"card empty\"><p>The account has no orders yet.</p></div>\n"
        }
        let note: HTML? =
            total > story.orders.count
            ? "<p class=\"quiet\">The newest \(story.orders.count) orders</p>" : nil
        return "<div class=\"card\">\(note)\(Timeline(of: story.orders, view).html)</div>\n"
    }

    private var sessionTable: HTML {
        guard !sessions.isEmpty else {
            return "<div class=\"card empty\"><p>The account is not logged in.</p></div>\n"
        }
        let rows = sessions.map { session -> [HTML?] in
            let short = session.digest.description.head(8)
            return [
                "<code>\(short)</code>", HTML.time(session.openedAt),
                "\(session.openedAt.age(at: today))",
                PageFrame.button(
                    OperatorAction(.endSession, .session(name, session.digest)), of: short),
            ]
        }
        return PageTable(
            caption: "Sessions, newest first", isCaptionShown: false,
            columns: [
                .init(name: "Session"), .init(name: "Opened (UTC)"), .init(name: "Age"),
                .init(name: "Action", isWide: true),
            ], rows: rows
        ).html
    }

    private var purchase: HTML? {
        guard facts != nil else { return nil }
        return """
            <section aria-labelledby="buy-title">
            <div class="over"><h2 id="buy-title">Buy for this account</h2></div>
            <form class="card filters" action="/confirm">
            <input type="hidden" name="action" value="buy">
            <input type="hidden" name="account" value="\(name)">
            <label>Product <input name="product" list="products" required autocomplete="off"></label>
            <label>Application's token (optional) <input name="appAccountToken" \
            autocomplete="off"></label>
            <span class="actions"><button>Buy</button></span>
            <datalist id="products">\(OrderListPage.products(of: view.catalogue))</datalist>
            </form>
            </section>

            """
    }
}

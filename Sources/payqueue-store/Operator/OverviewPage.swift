import PaymentCore
import PaymentSandbox
import SandboxControl

/// The overview page: counts, items that need action, and the newest orders.
struct OverviewPage {
    /// The maximum number of orders, and of subscriptions, that need action.
    static let actionsOfPage = 10
    /// The number of newest orders.
    static let ordersOfPage = 20

    let summary: StoreSummary
    let waiting: [SandboxOrder]
    let waitingSubscriptions: [SubscriptionStory]
    let orders: [SandboxOrder]
    let settings: StoreTestSettings
    let sessions: Int
    let catalogue: StoreCatalogue

    private var view: OrderView { OrderView(catalogue: catalogue, now: summary.now) }
    private var needed: Int { summary.waitingOrders + summary.waitingSubscriptions }

    var content: HTML {
        """
        \(switches)<ul class="tiles">\(tiles)</ul>
        <section id="action" aria-labelledby="action-title">
        <div class="over"><h2 id="action-title">Needs action</h2></div>
        \(needsAction)</section>
        <section aria-labelledby="newest-title">
        <div class="over"><h2 id="newest-title">Newest orders</h2>\
        \(orders.isEmpty ? nil : "<a href=\"/orders\">All orders</a>")</div>
        \(newest)</section>

        """
    }

    /// The settings that make the store behave abnormally.
    private var switches: HTML? {
        let meanings =
            StoreSwitch.allCases.filter { $0.isOn(in: settings) }.map(\.meaning)
            + StoreValue.all(in: settings).filter(\.isUnusual).map(\.meaning)
        guard !meanings.isEmpty else { return nil }
        let words = meanings.joined(separator: " ")
        return """
            <div class="notice warn"><p>\(words)</p><a href="/settings">Settings</a></div>

            """
    }

    private var tiles: [HTML] {
        func tile(_ count: Int, _ label: String, _ link: PageLink, warns: Bool = false) -> HTML {
            let kind: HTML = warns && count > 0 ? " class=\"warn\"" : ""
            return """
                <li><a\(kind) href="\(link)"><strong>\(count.grouped)</strong>\
                <span>\(label)</span></a></li>

                """
        }
        func state(_ state: StoreOrder.State) -> PageLink {
            PageLink("/orders", [("state", state.rawValue)])
        }
        return [
            tile(
                needed, needed == 1 ? "needs action" : "need action", PageLink("/#action"),
                warns: true),
            tile(summary.total, summary.total == 1 ? "order" : "orders", .orders),
            tile(summary.orders[.purchased] ?? 0, "paid", state(.purchased)),
            tile(summary.orders[.refunded] ?? 0, "refunded", state(.refunded)),
            tile(summary.orders[.failed] ?? 0, "failed", state(.failed)),
            tile(
                summary.subscriptions[.active] ?? 0,
                summary.subscriptions[.active] == 1 ? "subscription" : "subscriptions",
                PageLink("/subscriptions", [("status", "active")])),
            tile(sessions, sessions == 1 ? "session" : "sessions", .accounts),
        ]
    }

    private var needsAction: HTML {
        guard needed > 0 else {
            return "<div class=\"card empty\"><p>Nothing needs action.</p></div>\n"
        }
        let since = summary.waitingSince.map { "; the longest wait is \($0.age(at: summary.now))" }
        let ordersCaption =
            "\(summary.waitingOrders.grouped) \(noun(summary.waitingOrders, "order"))"
        let waitingTable: HTML? =
            waiting.isEmpty
            ? nil
            : view.table(waiting, caption: ordersCaption + (since ?? ""), isForAction: true)
        let count = summary.waitingSubscriptions
        let subscriptions: HTML? =
            waitingSubscriptions.isEmpty
            ? nil
            : SubscriptionView(orders: view).table(
                waitingSubscriptions, caption: "\(count.grouped) \(noun(count, "subscription"))",
                isForAction: true)
        return "\(waitingTable)\(moreOrders)\(subscriptions)\(moreSubscriptions)"
    }

    private var moreOrders: HTML? {
        guard summary.waitingOrders > waiting.count else { return nil }
        return """
            <p><a href="\(PageLink("/orders", [("state", OrderQuery.waiting)]))">All \
            \(summary.waitingOrders.grouped) orders that need action</a></p>

            """
    }

    private var moreSubscriptions: HTML? {
        guard summary.waitingSubscriptions > waitingSubscriptions.count else { return nil }
        return """
            <p><a href="\(PageLink("/subscriptions", [("status", "retrying")]))">All subscriptions \
            in billing retry</a></p>

            """
    }

    private var newest: HTML {
        guard !orders.isEmpty else {
            return """
                <div class="card empty"><p>There are no orders yet.</p>
                <p>An order appears here when an account buys something.</p></div>

                """
        }
        return view.table(orders, caption: "The newest \(orders.count) of \(summary.total.grouped)")
    }

    private func noun(_ count: Int, _ word: String) -> String { count == 1 ? word : word + "s" }
}

import PaymentCore
import PaymentSandbox

/// The list of subscriptions: those that need action, then all, the latest begun first.
struct SubscriptionListPage {
    /// The number of subscriptions per page.
    static let subscriptionsOfPage = 50

    let text: String
    let status: SandboxSubscription.Status?
    let waiting: [SubscriptionStory]
    let listing: Listing<SubscriptionStory>
    let summary: StoreSummary
    let isFirst: Bool
    let view: SubscriptionView

    var content: HTML {
        """
        <form class="card filters" action="/subscriptions" aria-label="Filter subscriptions">
        <label class="wide">Account or product <input type="search" name="q" value="\(text)" \
        autocomplete="off"></label>
        <label>State <select name="status">\(states)</select></label>
        <span class="actions"><button class="main">Filter</button>\
        \(text.isEmpty && status == nil ? nil : "<a class=\"button\" href=\"/subscriptions\">Clear</a>")</span>
        </form>
        \(needsAction)\(listing.items.isEmpty ? empty : view.table(listing.items, caption: caption))\
        \(OrderListPage.pages(older: listing.next.map { link(before: $0) },
            newest: isFirst ? nil : link(before: nil)))
        """
    }

    private var needsAction: HTML? {
        guard !waiting.isEmpty else { return nil }
        let total = summary.waitingSubscriptions
        let caption =
            total > waiting.count
            ? "The newest \(waiting.count) of \(total.grouped)"
            : "\(total) \(total == 1 ? "subscription" : "subscriptions")"
        return """
            <section aria-labelledby="action-title">
            <div class="over"><h2 id="action-title">Needs action</h2></div>
            \(view.table(waiting, caption: caption, isForAction: true))</section>
            <section aria-labelledby="all-title">
            <div class="over"><h2 id="all-title">All subscriptions</h2></div></section>

            """
    }

    private var states: [HTML] {
        let all: [(SandboxSubscription.Status?, String)] =
            [(nil, "any")] + SandboxSubscription.Status.allCases.map { ($0, $0.label) }
        return all.map { status, label in
            let isChosen: HTML = status == self.status ? " selected" : ""
            let number = status.map { " (\((summary.subscriptions[$0] ?? 0).grouped))" } ?? ""
            return """
                <option value="\(status?.rawValue ?? "")"\(isChosen)>\(label)\(number)</option>
                """
        }
    }

    private var caption: String {
        let total =
            listing.matches
            ?? status.map { summary.subscriptions[$0] ?? 0 }
            ?? summary.subscriptions.values.reduce(0, +)
        let noun = total == 1 ? "subscription" : "subscriptions"
        return "\(total.grouped) \(noun), newest first"
    }

    private var empty: HTML {
        let isFiltered = !text.isEmpty || status != nil
        let sentence = isFiltered ? "No subscription matches." : "There are no subscriptions yet."
        return "<div class=\"card empty\"><p>\(sentence)</p></div>\n"
    }

    private func link(before order: OrderID?) -> PageLink {
        PageLink(
            "/subscriptions",
            [("q", text), ("status", status?.rawValue), ("before", order?.description)])
    }
}

extension SandboxSubscription.Status {
    /// The name in a list.
    var label: String {
        switch self {
        case .active: "active"
        case .retrying: "billing retry"
        case .ended: "ended"
        }
    }
}

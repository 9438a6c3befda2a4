import PaymentCore
import PaymentSandbox
import SandboxControl

/// The list of accounts: those with orders, the newest order first, then those without orders.
struct AccountListPage {
    /// The number of accounts per page.
    static let accountsOfPage = 50
    /// The maximum number of accounts without an order.
    static let othersOfPage = 200

    /// A row of the list.
    struct Row {
        let name: AccountName
        let facts: AccountFacts?
        let sessions: Int
        /// Its newest order.
        let newest: SandboxOrder?
    }

    let text: String
    let listing: Listing<SandboxOrder>
    let rows: [Row]
    /// Whether the page is the first.
    let isFirst: Bool
    /// Whether any name may log in, in addition to the listed ones.
    let isOpen: Bool
    let view: OrderView

    var content: HTML {
        let cells = rows.map { row -> [HTML?] in
            let newest: HTML? = row.newest.map {
                "\(HTML.time($0.order.placedAt))<small>\($0.order.product)</small>"
            }
            return [
                OrderView.account(row.name), "\(row.facts?.country?.description ?? "unknown")",
                row.facts?.paymentsAllowed == true ? "yes" : "no", "\(row.sessions)", newest,
            ]
        }
        let table = PageTable(
            caption: "Most recent purchase first",
            columns: [
                .init(name: "Account"), .init(name: "Country"), .init(name: "May buy"),
                .init(name: "Sessions", isNumber: true), .init(name: "Newest order (UTC)"),
            ], rows: cells)
        return """
            <form class="card filters" action="/accounts" aria-label="Filter accounts">
            <label class="wide">Part of the name <input type="search" name="q" value="\(text)" \
            autocomplete="off"></label>
            <span class="actions"><button class="main">Filter</button>\
            \(text.isEmpty ? nil : "<a class=\"button\" href=\"/accounts\">Clear</a>")</span>
            </form>
            \(isOpen ? "<p class=\"quiet\">Any name may log in; the list has those that did.</p>" : nil)
            \(rows.isEmpty ? empty : table.html)\
            \(OrderListPage.pages(older: listing.next.map { link(before: $0) },
                newest: isFirst ? nil : link(before: nil)))
            """
    }

    private var empty: HTML {
        let sentence = text.isEmpty ? "There are no accounts yet." : "No account matches."
        return "<div class=\"card empty\"><p>\(sentence)</p></div>\n"
    }

    private func link(before order: OrderID?) -> PageLink {
        PageLink("/accounts", [("q", text), ("before", order?.description)])
    }
}

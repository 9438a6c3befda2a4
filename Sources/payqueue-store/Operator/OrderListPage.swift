import PaymentCore
import PaymentSandbox
import SandboxControl

/// The list of orders, newest first, with its filters.
struct OrderListPage {
    /// The number of orders per page.
    static let ordersOfPage = 50
    /// The maximum number of products that a field suggests.
    static let proposals = 200

    let query: OrderQuery
    let listing: Listing<SandboxOrder>
    let summary: StoreSummary
    let catalogue: StoreCatalogue

    var content: HTML {
        let view = OrderView(catalogue: catalogue, now: summary.now)
        return """
            \(filters)
            \(listing.items.isEmpty ? empty : view.table(listing.items, caption: caption))\
            \(Self.pages(older: listing.next.map { query.link(before: $0) },
                newest: query.cursor == nil ? nil : query.link(before: nil)))
            """
    }

    private var filters: HTML {
        """
        <form class="card filters" action="/orders" aria-label="Filter orders">
        <label class="wide">Order, account, product or token
        <input type="search" name="q" value="\(query["q"])" autocomplete="off"></label>
        <label>State <select name="state">\(states)</select></label>
        <label>Account <input name="account" value="\(query["account"])" autocomplete="off"></label>
        <label>Product <input name="product" value="\(query["product"])" list="products" \
        autocomplete="off"></label>
        <label>From <input type="date" name="from" value="\(query["from"])"></label>
        <label>To <input type="date" name="to" value="\(query["to"])"></label>
        <span class="actions"><button class="main">Filter</button>\
        \(query.isOpen ? nil : "<a class=\"button\" href=\"/orders\">Clear</a>")</span>
        <datalist id="products">\(Self.products(of: catalogue))</datalist>
        </form>
        """
    }

    /// The products that a field suggests.
    static func products(of catalogue: StoreCatalogue) -> [HTML] {
        catalogue.products.prefix(proposals).map {
            "<option value=\"\($0.productIdentifier)\"></option>"
        }
    }

    private var states: [HTML] {
        let words: [(word: String, label: String, count: Int?)] = [
            ("", "any", nil), (OrderQuery.waiting, "needs action", summary.waitingOrders),
            ("deferred", "waits for approval", summary.orders[.deferred] ?? 0),
            ("purchased", "paid", summary.orders[.purchased] ?? 0),
            ("failed", "failed", summary.orders[.failed] ?? 0),
            ("refunded", "refunded", summary.orders[.refunded] ?? 0),
        ]
        return words.map { word, label, count in
            let isChosen: HTML = word == query["state"] ? " selected" : ""
            let number = count.map { " (\($0.grouped))" } ?? ""
            return "<option value=\"\(word)\"\(isChosen)>\(label)\(number)</option>"
        }
    }

    /// The number of orders, and the range of the search.
    private var caption: String {
        let back = listing.searchedTo.map {
            " among the \(EmbeddedStore.comparedOrders.grouped) compared, back to \($0.description.head(10))"
        }
        if let matches = listing.matches {
            let noun = matches == 1 ? "order matches" : "orders match"
            return query.cursor == nil
                ? "\(matches.grouped) \(noun)\(back ?? ""), newest first"
                : "\(matches.grouped) older \(noun)\(back ?? ""), newest first"
        }
        let total = query.filter.state.map { summary.orders[$0] ?? 0 } ?? summary.total
        return "\(total.grouped) \(total == 1 ? "order" : "orders"), newest first"
    }

    private var empty: HTML {
        if summary.total == 0 {
            return """
                <div class="card empty"><p>There are no orders yet.</p>
                <p>An order appears here when an account buys something.</p></div>

                """
        }
        if let searchedTo = listing.searchedTo {
            return """
                <div class="card empty"><p>None of \(EmbeddedStore.comparedOrders.grouped) orders match; \
                they go back to \(HTML.day(searchedTo)).</p></div>

                """
        }
        return """
            <div class="card empty"><p>No \(query.cursor == nil ? "" : "older ")order matches.</p>
            <p><a href="/orders">Show all orders</a></p></div>

            """
    }

    /// The links to the other pages of a list; empty for a single page.
    static func pages(older: PageLink?, newest: PageLink?) -> HTML {
        guard older != nil || newest != nil else { return "" }
        return """
            <nav class="pages" aria-label="Pages">\
            \(newest.map { "<a class=\"button\" href=\"\($0)\">Newest</a>" as HTML })\
            \(older.map { "<a class=\"button\" rel=\"next\" href=\"\($0)\">Older</a>" as HTML })</nav>

            """
    }
}

extension StoreSummary {
    /// The number of orders.
    var total: Int { orders.values.reduce(0, +) }
}

extension Int {
    /// The number with commas between thousands.
    var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}

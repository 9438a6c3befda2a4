import PaymentBackend
import PaymentCore

/// The operator's page: plain HTML that needs no script. Everything that came from outside is escaped.
struct OperatorPage {
    /// Orders of a page.
    static let ordersOfPage = 50

    /// Most accounts that are shown where any name may log in.
    static let accountsOfPage = 200

    let accounts: [(name: String, country: String, mayBuy: Bool, sessions: Int)]
    /// Whether any name may log in, besides those shown.
    let isOpen: Bool
    /// Whether new orders wait for an approval.
    let asksToBuy: Bool
    let orders: [StoreOrder]
    let products: [String]
    let next: String?
    let notice: String?
    let token: String

    /// The page.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>payqueue-store</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>payqueue-store</h1>
        \(notice.map { "<p class=\"notice\" role=\"status\">\(Self.escaped($0))</p>" } ?? "")
        <h2>Accounts</h2>
        \(accountTable)
        <h2>Orders</h2>
        \(approvalForm)
        \(orderTable)
        \(next.map { "<p><a href=\"/?page=\(Self.escaped($0))\">Later orders</a></p>" } ?? "")
        <p class="quiet"><a href="/openapi.json">Store API</a> · <a href="/metrics">Metrics</a></p>
        </body>
        </html>

        """
    }

    private var accountTable: String {
        let note = isOpen ? "<p>Any name may log in; those that have are shown.</p>\n" : ""
        guard !accounts.isEmpty else { return note }
        let rows = accounts.map { account in
            """
            <tr><td>\(Self.escaped(account.name))</td><td>\(Self.escaped(account.country))</td>\
            <td>\(account.mayBuy ? "yes" : "no")</td><td class="number">\(account.sessions)</td>\
            <td>\(subscriptionForm(account.name))</td></tr>
            """
        }
        return note + """
            <table><thead><tr><th>Account</th><th>Country</th><th>May buy</th>\
            <th class="number">Sessions</th>\
            <th>Subscription</th></tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>
            """
    }

    private var approvalForm: String {
        let (action, label) =
            asksToBuy ? ("stopAsking", "Let them through") : ("ask", "Ask for approval")
        return """
            <form method="post" action="/operate"><input type="hidden" name="token" \
            value="\(Self.escaped(token))">New orders \
            \(asksToBuy ? "wait for an approval." : "are charged at once.") \
            <button name="action" value="\(action)">\(label)</button></form>
            """
    }

    private var orderTable: String {
        guard !orders.isEmpty else { return "<p>There are no orders yet.</p>" }
        let rows = orders.map { order in
            """
            <tr><td>\(order.placedAt)</td><td>\(Self.escaped(order.account.string))</td>\
            <td>\(Self.escaped(order.product.string))\(order.isRenewal ? " (renewal)" : "")</td>\
            <td class="number">\(Self.text(of: order.price))</td>\
            <td class="number">\(charged(for: order))</td>\
            <td><span class="state \(order.state.rawValue)">\(state(of: order))</span></td>\
            <td><code>\(order.order)</code></td><td>\(buttons(of: order))</td></tr>
            """
        }
        return """
            <table><thead><tr><th>Placed</th><th>Account</th><th>Product</th>\
            <th class="number">Price</th><th class="number">Charged</th>\
            <th>State</th><th>Order</th><th></th></tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>
            """
    }

    /// What was taken for an order, and why it was not the price.
    private func charged(for order: StoreOrder) -> String {
        guard let charge = order.charge else { return "" }
        let amount = Self.text(of: charge.price)
        return switch charge.offer {
        case nil: amount
        case .introductory: "\(amount), introductory offer"
        case .alreadyOwned: "\(amount), already owned"
        case .scheduled: "\(amount), changes \(charge.effectiveAt.map { "on \($0)" } ?? "later")"
        }
    }

    private static func text(of price: Price) -> String {
        escaped("\(price.amount.text) \(price.currencyCode)")
    }

    private func state(of order: StoreOrder) -> String {
        switch order.state {
        case .deferred: "waits for approval"
        case .purchased: order.completed ? "paid, delivered" : "paid"
        case .failed: "failed: \(Self.escaped(order.failure?.reason ?? "cancelled"))"
        case .refunded: "refunded" + (order.charge?.revocation.map { " \($0.at)" } ?? "")
        }
    }

    private func buttons(of order: StoreOrder) -> String {
        switch order.state {
        case .deferred:
            button("approve", "Approve", order) + button("decline", "Decline", order)
        case .purchased: button("refund", "Refund", order)
        case .failed where order.failure == .interrupted: button("resolve", "Resolve", order)
        case .failed, .refunded: ""
        }
    }

    private func button(_ action: String, _ label: String, _ order: StoreOrder) -> String {
        """
        <form method="post" action="/operate"><input type="hidden" name="token" \
        value="\(Self.escaped(token))"><input type="hidden" name="action" value="\(action)">\
        <input type="hidden" name="order" value="\(order.order)">\
        <button aria-label="\(label) order \(order.order)">\(label)</button></form>
        """
    }

    private func subscriptionForm(_ account: String) -> String {
        guard !products.isEmpty else { return "" }
        let options = products.map { product in
            "<option>\(Self.escaped(product))</option>"
        }
        return """
            <form method="post" action="/operate"><input type="hidden" name="token" \
            value="\(Self.escaped(token))"><input type="hidden" name="account" \
            value="\(Self.escaped(account))">\
            <select name="product" aria-label="Subscription of \(Self.escaped(account))">\
            \(options.joined())</select><button name="action" value="renew">Renew</button>\
            <button name="action" value="expire">End</button></form>
            """
    }

    /// Text that is markup nowhere: neither between tags nor in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                // Control letters, and those that turn the direction of what follows.
                let isHidden =
                    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    || (0x202A...0x202E).contains(scalar.value)
                    || (0x2066...0x2069).contains(scalar.value)
                result.unicodeScalars.append(isHidden ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }

    private static let style = """
        :root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;\
        max-width:75rem;padding:0 1rem}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
        table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .6rem;\
        border-bottom:1px solid #8884;vertical-align:middle}.number{text-align:right;\
        white-space:nowrap}code{font-size:.8rem}form{display:inline-block;margin:0 .3rem 0 0}\
        button,select{font:inherit;padding:.15rem .6rem}.state{padding:.1rem .5rem;\
        border-radius:.6rem;background:#8883;white-space:nowrap}.purchased{background:#2a82}\
        .refunded,.failed{background:#c332}.deferred{background:#c902}.notice{padding:.5rem 1rem;\
        border-left:.3rem solid #27c;background:#27c2}.quiet{margin-top:2rem;opacity:.8}\
        button{margin-right:.2rem}
        """
}

import PaymentCore
import PaymentSandbox
import SandboxControl

/// Orders in tables, with their possible actions.
struct OrderView {
    let catalogue: StoreCatalogue
    /// The time of the store's clock.
    let now: Timestamp

    /// The title of a product with its identifier, or the identifier alone, and an optional note.
    func product(
        _ product: ProductIdentifier, in country: CountryCode, note: String? = nil
    ) -> HTML {
        let addition: HTML = note.map { " · \($0)" } ?? ""
        guard let sold = catalogue.product(product, in: country),
            sold.localizedTitle != product.string
        else { return "\(product)\(addition)" }
        return "\(sold.localizedTitle) <small>\(product)\(addition)</small>"
    }

    /// The title of a product for a sentence.
    func title(_ product: ProductIdentifier, in country: CountryCode) -> String {
        catalogue.product(product, in: country)?.localizedTitle ?? product.string
    }

    /// A link to an account.
    static func account(_ name: AccountName) -> HTML {
        "<a href=\"\(PageLink.account(name))\">\(name)</a>"
    }

    /// The first characters of an order's identifier, which usually identify it.
    static func short(_ order: OrderID) -> String { order.description.head(8) }

    /// A link to an order.
    static func link(_ order: OrderID) -> HTML {
        """
        <a href="\(PageLink.order(order))" title="\(order.description)"><code>\(short(order))</code></a>
        """
    }

    /// The state of an order.
    static func state(_ known: SandboxOrder) -> HTML {
        let order = known.order
        let (kind, word): (String, String) =
            switch order.state {
            case .deferred: ("warn", "waits for approval")
            case .purchased where known.isScheduled: ("", "scheduled")
            case .purchased: ("good", order.completed ? "paid, delivered" : "paid")
            case .failed where known.isInterrupted: ("warn", "interrupted")
            case .failed: ("bad", "failed")
            case .refunded: ("", "refunded")
            }
        return "<span class=\"state \(kind)\">\(word)</span>"
    }

    /// The failure of an order in one word; nil if it did not fail.
    static func reason(_ known: SandboxOrder) -> String? {
        guard known.order.state == .failed, let failure = known.order.failure else { return nil }
        return failure.reason ?? failure.kind.rawValue
    }

    /// The charged amount, with the price in parentheses if it differs.
    static func charged(_ known: SandboxOrder) -> HTML {
        guard let charge = known.order.charge else {
            return "\(HTML.price(known.order.price))<small>not charged</small>"
        }
        let note: HTML =
            switch charge.offer {
            case nil: ""
            case .introductory: "<small>introductory offer</small>"
            case .alreadyOwned: "<small>already owned</small>"
            case .scheduled:
                charge.effectiveAt.map { "<small>changes on \(HTML.day($0))</small>" }
                    ?? "<small>changes later</small>"
            }
        return "\(HTML.price(charge.price))\(note)"
    }

    /// The possible actions on an order, the most likely first.
    static func actions(on known: SandboxOrder) -> [OperatorAction.Word] {
        switch known.order.state {
        case .deferred: [.approve, .decline]
        case .purchased: [.refund]
        case .failed: known.isInterrupted ? [.resolve] : []
        case .refunded: []
        }
    }

    /// The buttons of an order.
    static func buttons(on known: SandboxOrder) -> [HTML] {
        actions(on: known).map { word in
            PageFrame.button(
                OperatorAction(word, .order(known.order.order)),
                of: "order \(short(known.order.order))")
        }
    }

    /// A table of orders, newest first. A table for actions has buttons in each row and shows the
    /// waiting time.
    func table(_ orders: [SandboxOrder], caption: String, isForAction: Bool = false) -> HTML {
        var columns: [PageTable.Column] = [
            .init(name: "Order"), .init(name: "State"), .init(name: "Product"),
            .init(name: "Account"), .init(name: "Charge", isNumber: true),
            .init(name: isForAction ? "Waits for" : "Placed (UTC)"),
            .init(name: "Action", isWide: true),
        ]
        if !isForAction { columns.removeLast() }
        let rows = orders.map { known -> [HTML?] in
            let order = known.order
            let why: HTML? = Self.reason(known).flatMap {
                known.isInterrupted ? nil : "<small>\($0)</small>"
            }
            let note = order.isRenewal ? "renewal" : nil
            var row: [HTML?] = [
                Self.link(order.order), "\(Self.state(known))\(why)",
                product(order.product, in: order.country, note: note),
                Self.account(order.account), Self.charged(known),
                isForAction ? "\(order.placedAt.age(at: now))" : HTML.time(order.placedAt),
                "<span class=\"actions\">\(Self.buttons(on: known))</span>",
            ]
            if !isForAction { row.removeLast() }
            return row
        }
        return PageTable(caption: caption, columns: columns, rows: rows).html
    }
}

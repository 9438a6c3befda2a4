import PaymentCore
import PaymentSandbox
import SandboxControl

/// The events of some orders as a list, newest first.
struct Timeline {
    private struct Event {
        let at: Timestamp
        let kind: String
        let text: HTML
    }

    private let events: [Event]

    /// Collects the events of the orders.
    ///
    /// - Parameters:
    ///   - orders: The orders, newest first.
    ///   - view: The view, which gives the names of products.
    ///   - namesOrders: Whether each event links to its order.
    init(of orders: [SandboxOrder], _ view: OrderView, namesOrders: Bool = true) {
        events = orders.flatMap { Self.events(of: $0, view, namesOrders: namesOrders) }
            .enumerated()
            .sorted { ($0.element.at, -$0.offset) > ($1.element.at, -$1.offset) }
            .map(\.element)
    }

    var html: HTML {
        let lines: [HTML] = events.map {
            "<li class=\"\($0.kind)\">\(HTML.time($0.at)) \($0.text)</li>\n"
        }
        return "<ol class=\"timeline\">\n\(lines)</ol>\n"
    }

    private static func events(
        of known: SandboxOrder, _ view: OrderView, namesOrders: Bool
    ) -> [Event] {
        let order = known.order
        let name = view.title(order.product, in: order.country)
        let link: HTML = namesOrders ? " (order \(OrderView.link(order.order)))" : ""
        var events: [Event] = []
        if let revocation = order.charge?.revocation {
            events.append(
                Event(at: revocation.at, kind: "bad", text: "Refunded: \(name)\(link)"))
        } else if order.state == .refunded {
            events.append(Event(at: known.paidAt, kind: "bad", text: "Refunded: \(name)\(link)"))
        }
        if known.isPaid {
            events.append(
                Event(at: known.paidAt, kind: "good", text: "\(paid(known, name))\(link)"))
        }
        switch order.state {
        case .deferred:
            events.append(
                Event(at: order.placedAt, kind: "warn", text: "Waits for approval: \(name)\(link)"))
        case .failed:
            let reason = OrderView.reason(known) ?? "unknown"
            let word = known.isInterrupted ? "Interrupted" : "Failed (\(reason))"
            events.append(
                Event(
                    at: order.placedAt, kind: known.isInterrupted ? "warn" : "bad",
                    text: "\(word): \(name)\(link)"))
        case .purchased, .refunded:
            if known.paidAt > order.placedAt {
                events.append(Event(at: order.placedAt, kind: "", text: "Ordered: \(name)\(link)"))
            }
        }
        return events
    }

    private static func paid(_ known: SandboxOrder, _ name: String) -> HTML {
        let order = known.order
        let price = HTML.price(order.charge?.price ?? order.price)
        let until: HTML = order.expiresAt.map { ", until \(HTML.day($0))" } ?? ""
        return switch order.charge?.offer {
        case .introductory: "Introductory offer: \(name) for \(price)\(until)"
        case .scheduled:
            "Change planned: \(name)\(order.charge?.effectiveAt.map { " from \(HTML.day($0))" as HTML })"
        case .alreadyOwned: "Already owned: \(name)"
        case nil: "\(order.isRenewal ? "Renewed" : "Bought"): \(name) for \(price)\(until)"
        }
    }
}

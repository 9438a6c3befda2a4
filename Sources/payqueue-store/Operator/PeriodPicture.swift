import PaymentCore
import PaymentSandbox
import SandboxControl

/// A timeline of the periods of a subscription: paid, refunded and unpaid ones.
struct PeriodPicture {
    /// The maximum number of drawn periods; the newest are drawn.
    static let limit = 24

    private struct Bar {
        let from: Timestamp
        let to: Timestamp
        let kind: String
        let label: String
    }

    private let bars: [Bar]
    private let start: Timestamp
    private let end: Timestamp
    private let now: Timestamp
    private let summary: String

    /// Creates the picture of a subscription at a time of the store's clock.
    init(story: SubscriptionStory, now: Timestamp) {
        let periods = story.orders.filter { !$0.isScheduled && $0.order.expiresAt != nil }
            .prefix(Self.limit)
        var bars = periods.reversed().compactMap { Self.bar(of: $0) }
        let subscription = story.subscription
        if subscription.status == .retrying {
            let unpaid = subscription.expiresAt
            if let grace = subscription.graceUntil {
                bars.append(Bar(from: unpaid, to: grace, kind: "grace", label: "grace period"))
            }
            if let retry = subscription.retryUntil {
                bars.append(
                    Bar(
                        from: subscription.graceUntil ?? unpaid, to: retry, kind: "retry",
                        label: "unpaid"))
            }
        }
        self.bars = bars
        self.now = now
        start = bars.map(\.from).min() ?? now
        end = max(bars.map(\.to).max() ?? now, start.advanced(bySeconds: 1))
        let refunded = periods.count { $0.order.state == .refunded }
        let unpaid = subscription.status == .retrying ? ", then unpaid" : ""
        let taken = refunded == 0 ? "" : ", \(refunded) refunded"
        let number = periods.count == 1 ? "1 period" : "\(periods.count) periods"
        summary =
            story.orders.count > Self.limit
            ? "The last \(number) paid\(taken)\(unpaid)" : "\(number) paid\(taken)\(unpaid)"
    }

    private static func bar(of known: SandboxOrder) -> Bar? {
        let order = known.order
        guard let end = order.expiresAt, end > known.paidAt else { return nil }
        let isIntroductory = order.charge?.offer == .introductory
        let price = order.charge?.price ?? order.price
        let kind =
            order.state == .refunded ? "refunded" : isIntroductory ? "introductory" : "paid"
        let note = kind == "paid" ? "" : ", \(kind == "introductory" ? "introductory offer" : kind)"
        let text = "\(day(known.paidAt)) to \(day(end)): "
        return Bar(
            from: known.paidAt, to: end, kind: kind,
            label: text + "\(price.amount.text) \(price.currencyCode)\(note)")
    }

    /// The picture; empty for a subscription without a period.
    var html: HTML {
        guard !bars.isEmpty else { return "" }
        let shapes: [HTML] = bars.map { bar in
            let (from, to) = (place(bar.from), place(bar.to))
            return """
                <rect class="period \(bar.kind)" x="\(from)" y="6" width="\(max(2, to - from))" \
                height="24"><title>\(bar.label)</title></rect>
                """
        }
        let line: HTML =
            (start...end).contains(now)
            ? "<line class=\"now\" x1=\"\(place(now))\" x2=\"\(place(now))\" y1=\"0\" y2=\"36\"/>"
            : ""
        return """
            <figure>
            <svg viewBox="0 0 1000 36" preserveAspectRatio="none" role="img" \
            aria-label="\(summary), from \(Self.day(start)) to \(Self.day(end))">\
            \(shapes)\(line)</svg>
            <div class="ends" aria-hidden="true"><span>\(Self.day(start))</span>\
            <span>\(Self.day(end))</span></div>
            <figcaption>\(summary)\(keys)</figcaption>
            </figure>

            """
    }

    /// The legend of the colours, if there are several.
    private var keys: HTML? {
        let kinds = ["introductory", "paid", "refunded", "grace", "retry"].filter { kind in
            bars.contains { $0.kind == kind }
        }
        guard kinds.count > 1 else { return nil }
        let words = ["grace": "grace period", "retry": "unpaid"]
        let parts: [HTML] = kinds.map { kind in
            """
            <span class="key"><svg viewBox="0 0 10 10" aria-hidden="true"><rect \
            class="period \(kind)" width="10" height="10"/></svg>\(words[kind] ?? kind)</span>
            """
        }
        return "<span class=\"keys\">\(parts)</span>"
    }

    private func place(_ moment: Timestamp) -> Int {
        let whole = Double(end.milliseconds - start.milliseconds)
        return Int(Double(moment.milliseconds - start.milliseconds) / whole * 1000)
    }

    private static func day(_ moment: Timestamp) -> String { moment.description.head(10) }
}

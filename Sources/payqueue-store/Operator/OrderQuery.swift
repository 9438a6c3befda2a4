import PaymentCore
import PaymentSandbox
import SandboxControl

/// The filter of an order list, from the query of its URL.
struct OrderQuery: Sendable {
    /// The state word for all orders that wait for an action of a user.
    static let waiting = "waiting"

    private(set) var filter = OrderFilter()
    /// The order after which the page begins.
    private(set) var cursor: OrderID?
    /// The fields as given, for the form and for the next page.
    private(set) var given: [(name: String, value: String?)] = []

    /// Whether it matches every order.
    var isOpen: Bool { filter == OrderFilter() }

    init() {}

    /// Reads a query.
    ///
    /// - Throws: A field is invalid.
    init(_ fields: FormFields) throws(PageFailure) {
        let names = ["q", "state", "account", "product", "from", "to"]
        given = names.map { ($0, fields[$0]) }
        filter.text = fields["q"].flatMap { SearchText($0) }
        filter.account = fields["account"].map { AccountName($0) }
        filter.product = fields["product"].map { ProductIdentifier($0) }
        switch fields["state"] {
        case nil: break
        case Self.waiting: filter.isWaiting = true
        case let word?:
            guard let state = StoreOrder.State(rawValue: word) else {
                throw PageFailure(.badRequest, "There is no state \(word).", back: .orders)
            }
            filter.state = state
        }
        filter.from = try Self.day(fields["from"])
        filter.until = try Self.day(fields["to"])?.advanced(bySeconds: 86_400)
        cursor = try Self.cursor(fields, back: .orders)
    }

    /// The order after which a page of a list begins.
    ///
    /// - Throws: The field is not an order identifier.
    static func cursor(
        _ fields: FormFields, back: PageLink
    ) throws(PageFailure) -> OrderID? {
        guard let text = fields["before"] else { return nil }
        guard let order = OrderID(text) else {
            throw PageFailure(.badRequest, "There is no such page of the list.", back: back)
        }
        return order
    }

    private static func day(_ text: String?) throws(PageFailure) -> Timestamp? {
        guard let text else { return nil }
        guard let day = Timestamp("\(text)T00:00:00.000Z") else {
            throw PageFailure(
                .badRequest, "\(text) is not a date; write it like 2026-11-23.", back: .orders)
        }
        return day
    }

    /// The link to the page of this list after an order; nil for the first page.
    func link(before order: OrderID?) -> PageLink {
        PageLink("/orders", given + [("before", order?.description)])
    }

    /// The value of a field as given.
    subscript(name: String) -> String {
        given.first { $0.name == name }.flatMap(\.value) ?? ""
    }
}

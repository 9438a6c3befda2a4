import PaymentCore
import PaymentSandbox
import SandboxControl

/// Which orders a list shows, as the address of the list says it.
struct OrderQuery: Sendable {
    /// The word of the state that means every order which waits for a person.
    static let waiting = "waiting"

    private(set) var filter = OrderFilter()
    /// The order that the page begins behind.
    private(set) var cursor: OrderID?
    /// The fields as they were given, for the form and for the next page.
    private(set) var given: [(name: String, value: String?)] = []

    /// Whether it lets every order through.
    var isOpen: Bool { filter == OrderFilter() }

    init() {}

    /// Reads an address.
    ///
    /// - Throws: A field is not what it should be.
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

    /// The order that the page of a list begins behind.
    ///
    /// - Throws: It is no order's name.
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

    /// The same list from another place on; nil for its beginning.
    func link(before order: OrderID?) -> PageLink {
        PageLink("/orders", given + [("before", order?.description)])
    }

    /// The value of a field as it was given.
    subscript(name: String) -> String {
        given.first { $0.name == name }.flatMap(\.value) ?? ""
    }
}

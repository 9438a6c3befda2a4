import PaymentCore
import SandboxControl

/// A walk through the orders of a list, newest first. The store may change between two steps.
struct OrderWalk {
    /// The number of orders that one step visits.
    static let stretch = 1000

    private let list: OrderList
    private let edition: Int
    private var place: Int
    private var left: Int

    /// Begins a walk.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - cursor: The order before the first one; nil for the newest order.
    ///   - limit: The maximum number of orders.
    ///   - store: The store.
    /// - Throws: ``TestFailure/pageExpired`` if the order of the cursor was deleted.
    init(
        _ list: OrderList, before cursor: OrderID?, atMost limit: Int, in store: EmbeddedStore
    ) throws(TestFailure) {
        guard let place = store.state.orderTable.place(before: cursor) else { throw .pageExpired }
        self.list = list
        self.place = place
        edition = store.state.orderTable.edition
        left = limit
    }

    /// The places of the next orders; empty at the end of the list or at the limit.
    ///
    /// - Throws: ``TestFailure/pageExpired`` if deletions have moved the orders since.
    mutating func next(in store: EmbeddedStore) throws(TestFailure) -> [Int] {
        guard edition == store.state.orderTable.edition else { throw .pageExpired }
        let places = store.state.orderTable.places(
            of: list, below: place, count: min(left, Self.stretch))
        place = places.last ?? place
        left -= places.count
        return places
    }

    /// Whether the list has no orders after those that were visited.
    func isAtEnd(in store: EmbeddedStore) -> Bool {
        store.state.orderTable.places(of: list, below: place, count: 1).isEmpty
    }
}

/// The search for one page of a list.
struct ListSearch<Item: Sendable> {
    /// The page, complete when ``step(in:)`` returns false.
    private(set) var page = Listing<Item>()
    private let query: ListQuery<Item>
    private let limit: Int
    private var walk: OrderWalk
    private var matches = 0
    private var lastShown: OrderID?
    private var lastCompared: SandboxOrder?

    /// Begins a search for at most `limit` items after the order of the cursor.
    ///
    /// - Throws: ``TestFailure/pageExpired`` if that order was deleted.
    init(
        _ query: ListQuery<Item>, before cursor: OrderID?, limit: Int, in store: EmbeddedStore
    ) throws(TestFailure) {
        self.query = query
        self.limit = limit
        walk = try OrderWalk(
            query.list, before: cursor, atMost: EmbeddedStore.comparedOrders, in: store)
    }

    /// Compares the orders of one stretch.
    ///
    /// - Returns: Whether the search continues.
    /// - Throws: ``TestFailure/pageExpired`` if deletions have moved the orders since.
    mutating func step(in store: EmbeddedStore) throws(TestFailure) -> Bool {
        let places = try walk.next(in: store)
        for place in places {
            guard let known = store.state.orderTable.order(at: place) else { continue }
            lastCompared = known
            guard let item = query.item(store, known, place) else { continue }
            matches += 1
            if page.items.count < limit {
                page.items.append(item)
                lastShown = known.order.order
            } else if !query.isCounted {
                finish(isWhole: false)
                return false
            }
        }
        guard places.isEmpty else { return true }
        finish(isWhole: walk.isAtEnd(in: store))
        return false
    }

    private mutating func finish(isWhole: Bool) {
        if matches > page.items.count {
            page.next = lastShown
        } else if !isWhole {
            page.next = lastCompared?.order.order
        }
        if query.isCounted { page.matches = matches }
        if !isWhole, query.isCounted || page.items.count < limit {
            page.searchedTo = lastCompared?.order.placedAt
        }
    }
}

extension EmbeddedStore {
    /// The maximum number of orders that one search compares. The next page continues after them.
    package static let comparedOrders = 100_000
}

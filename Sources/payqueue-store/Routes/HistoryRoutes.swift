import Hummingbird

/// Signed histories, for the account itself and for publishers.
struct HistoryRoutes {
    let shop: Shop

    func add(to router: Router<StoreContext>) {}
}

import PaymentCore

/// The number of observers of each product. An added or removed observer costs no more than its own
/// products, however many observers there are.
struct ObserverTally {
    private var everything = 0
    private var counts: [ProductIdentifier: Int] = [:]

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - products: The products whose transactions it receives; nil for all.
    ///   - observers: The set that this tally maintains.
    mutating func add(_ products: Set<ProductIdentifier>?, to observers: inout ActiveObservers) {
        guard let products else {
            everything += 1
            observers.everything = true
            return
        }
        for product in products {
            counts[product, default: 0] += 1
            if counts[product] == 1 { observers.products.insert(product) }
        }
    }

    /// Removes an observer.
    ///
    /// - Parameters:
    ///   - products: Its products, as they were added.
    ///   - observers: The set that this tally maintains.
    mutating func remove(
        _ products: Set<ProductIdentifier>?, from observers: inout ActiveObservers
    ) {
        guard let products else {
            everything -= 1
            observers.everything = everything > 0
            return
        }
        for product in products {
            let rest = counts[product, default: 1] - 1
            counts[product] = rest > 0 ? rest : nil
            if rest == 0 { observers.products.remove(product) }
        }
    }
}

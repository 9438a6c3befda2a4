import PaymentCore

/// The products that observers take, counted: an observer that comes or goes costs no more than its own products,
/// however many observers there are.
struct ObserverTally {
    private var everything = 0
    private var counts: [ProductIdentifier: Int] = [:]

    /// Counts an observer.
    ///
    /// - Parameters:
    ///   - products: The products whose transactions it takes; nil for all.
    ///   - observers: The set that this tally is of.
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

    /// Counts an observer no longer.
    ///
    /// - Parameters:
    ///   - products: Its products, as they were added.
    ///   - observers: The set that this tally is of.
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

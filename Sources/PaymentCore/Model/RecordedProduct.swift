/// A product as the queue recorded it, with the number by which journal lines name it.
///
/// Thousands of transactions share one recorded product. A new one is recorded only when the
/// catalogue's product differs from the last one of that identifier and country.
public final class RecordedProduct: Sendable {
    /// The number of the product in this queue, from 1.
    public let number: UInt32
    /// The product.
    public let product: Product
    /// The country in which it was sold.
    public let country: CountryCode

    /// Pairs a product with its number.
    public init(number: UInt32, product: Product, country: CountryCode) {
        self.number = number
        self.product = product
        self.country = country
    }
}

extension RecordedProduct: Hashable {
    /// Two recorded products are equal when number, country and product are equal.
    public static func == (left: RecordedProduct, right: RecordedProduct) -> Bool {
        left === right
            || left.number == right.number && left.country == right.country
                && left.product == right.product
    }

    /// Hashes the number, which is unique within one queue.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

/// A product as the queue recorded it, with the number that journal lines name it by.
///
/// Thousands of transactions share one of these; a new one is recorded only when the catalogue's
/// product differs from the last one of that identifier and country.
public final class RecordedProduct: Sendable {
    /// Counts the recorded products of this queue from 1.
    public let number: UInt32
    /// The product.
    public let product: Product
    /// The country that it was sold in.
    public let country: CountryCode

    /// Gives a product its number.
    public init(number: UInt32, product: Product, country: CountryCode) {
        self.number = number
        self.product = product
        self.country = country
    }
}

extension RecordedProduct: Hashable {
    /// Equal when number, country and product are.
    public static func == (left: RecordedProduct, right: RecordedProduct) -> Bool {
        left === right
            || left.number == right.number && left.country == right.country
                && left.product == right.product
    }

    /// Hashes the number, which tells recorded products of one queue apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

public import PaymentCore
import StrictJSON

/// `products`: what is sold here.
public enum Products: Method {
    /// Which products.
    public struct Params: ParameterRecord {
        /// These; nil for the whole catalogue.
        public var ids: [ProductIdentifier]?
        /// At most so many of the catalogue.
        public var limit = Paging.defaultLimit
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "ids", \.ids, .list(of: .text(), count: 1...100), "Only these products.",
                example: ["coins.100", "nope"]),
            Paging.limit(\.limit), Paging.page(\.page),
        ]

        /// The whole catalogue.
        public init() {}
    }

    /// The products that are sold.
    public struct Result: WireResult, Hashable {
        /// The products: those asked for in the order asked, or the catalogue's own order.
        public var products: [Product]
        /// The identifiers asked for that are not sold here.
        public var invalid: [ProductIdentifier]
        /// The country that the prices are of.
        public var country: CountryCode
        /// Where to go on; nil after the last page.
        public var next: String?

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("products", \.products, .list(of: Product.form), "The products."),
            .required(
                "invalid", \.invalid, .list(of: .opaque),
                "Identifiers that were asked for and are not sold there."),
            .required(
                "storefront", \.country, CountryCode.storefront,
                "The storefront of the prices."),
            Paging.next(\.next),
        ])

        /// Lists products of a country.
        public init(
            products: [Product], invalid: [ProductIdentifier] = [], country: CountryCode,
            next: String? = nil
        ) {
            self.products = products
            self.invalid = invalid
            self.country = country
            self.next = next
        }
    }

    /// The longest identifier that a product can have, in bytes.
    public static let longestIdentifierBytes = 256

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "products",
        summary: "List products and their prices",
        description: """
            Prices are those of the account's country; without an account in session, of the \
            country assumed with storefront, else of the store's default country. Without ids the \
            whole catalogue is returned, page by page. Products that are not sold there are listed \
            under invalid; an identifier that is empty or longer than \(longestIdentifierBytes) \
            bytes is an error.
            """,
        errors: [
            .invalidProductIdentifier, .pageExpired, .storeUnavailable, .connectionError,
            .tooManyInFlight, .cancelled,
        ],
        role: .observe, queueCheck: .nothing,
        waits: true,
        example: Result(products: [Examples.coins], invalid: ["nope"], country: Examples.country))
}

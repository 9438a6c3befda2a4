public import PaymentCore
import StrictJSON

/// `products`: list products and their prices.
public enum Products: Method {
    /// The selection of products.
    public struct Params: ParameterRecord {
        /// The identifiers of the products; nil for the whole catalogue.
        public var ids: [ProductIdentifier]?
        /// The most products per page of the catalogue.
        public var limit = Paging.defaultLimit
        /// The page token from an earlier result; nil for the first page.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "ids", \.ids, .list(of: .text(), count: 1...100), "Only these products.",
                example: ["coins.100", "nope"]),
            Paging.limit(\.limit), Paging.page(\.page),
        ]

        /// Creates parameters for the whole catalogue.
        public init() {}
    }

    /// The products that are sold.
    public struct Result: WireResult, Hashable {
        /// The products, in the requested order or that of the catalogue.
        public var products: [Product]
        /// The requested identifiers that are not sold in the country.
        public var invalid: [ProductIdentifier]
        /// The country of the prices.
        public var country: CountryCode
        /// The token of the next page; nil on the last page.
        public var next: String?

        /// The members of the result.
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

        /// Creates a result.
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

    /// The longest product identifier, in bytes.
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
            .tooManyInFlight, .shareExceeded, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: Result(products: [Examples.coins], invalid: ["nope"], country: Examples.country))
}

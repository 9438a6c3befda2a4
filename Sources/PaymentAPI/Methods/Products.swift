public import PaymentCore
public import StrictJSON

/// `products`: what is sold here.
public enum Products: Method {
    /// Which products.
    public struct Params: Sendable, Hashable {
        /// These; nil for the whole catalogue.
        public var ids: [ProductIdentifier]?
        /// At most so many of the catalogue.
        public var limit: Int
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?
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

        /// Makes a result.
        public init(
            products: [Product], invalid: [ProductIdentifier] = [], country: CountryCode,
            next: String? = nil
        ) {
            self.products = products
            self.invalid = invalid
            self.country = country
            self.next = next
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"products\":[")
            for product in products {
                writer.element()
                writer.product(product)
            }
            writer.raw("],\"invalid\":")
            writer.strings(invalid.map(\.string))
            writer.raw(",\"storefront\":")
            writer.storefront(country)
            if let next {
                writer.raw(",\"next\":")
                writer.string(next)
            }
            writer.raw("}")
        }
    }

    /// The longest identifier that a product can have, in bytes.
    public static let longestIdentifierBytes = 256

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "products",
        summary: "List products and their prices",
        description: """
            Prices are those of the account's country; without an account in session, of the \
            country assumed with storefront, else of the store's default country. Without ids the \
            whole catalogue is returned, page by page. Products that are not sold there are listed \
            under invalid; an identifier that is empty or longer than \(longestIdentifierBytes) \
            bytes is an error.
            """,
        parameters: [
            .optional(
                "ids", .list(of: .text(maximumBytes: nil), count: 1...100),
                """
                Only these products.
                """),
            Paging.limit, Paging.page,
        ],
        resultSchema: Schema.object([
            Schema.required(
                "products", Schema.list(of: Schema.reference("Product")), "The products."),
            Schema.required(
                "invalid", Schema.list(of: Schema.text),
                """
                Identifiers that were asked for and are not sold there.
                """),
            Schema.required(
                "storefront", Schema.reference("Storefront"), "The storefront of the prices."),
            Paging.next,
        ]),
        errors: [
            .invalidProductIdentifier, .pageExpired, .storeUnavailable, .connectionError,
            .tooManyInFlight, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: .init(
            params: ["ids": ["coins.100", "nope"]],
            result: Result(
                products: [Examples.coins], invalid: ["nope"], country: Examples.country)))

    private enum Place: Int, ParameterPlace {
        case ids, limit, page
    }

    /// Takes which products.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            ids: arguments.texts(Place.ids, in: bytes),
            limit: arguments.integer(Place.limit, in: bytes) ?? Paging.defaultLimit,
            page: arguments.text(Place.page, in: bytes))
    }
}

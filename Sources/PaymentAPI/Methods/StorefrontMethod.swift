public import PaymentCore
public import StrictJSON

/// `storefront`: which country counts.
public enum StorefrontMethod: Method {
    /// What to assume.
    public struct Params: Sendable, Hashable {
        /// A change of the hint; nil to only look.
        public var assume: Assumption?
    }

    /// A hint for the time in which nobody is logged in.
    public enum Assumption: Sendable, Hashable {
        /// Show the prices of this country.
        case country(CountryCode)
        /// Go back to the store's default.
        case nothing
    }

    /// What counts now.
    public struct Result: WireResult, Hashable {
        /// The country; nil while nothing is known of any.
        public var country: CountryCode?
        /// The account in session.
        public var account: AccountName?

        /// Makes a result.
        public init(country: CountryCode?, account: AccountName?) {
            self.country = country
            self.account = account
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"storefront\":")
            writer.storefront(country)
            writer.raw(",\"account\":")
            if let account { writer.string(account.string) } else { writer.null() }
            writer.raw("}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "storefront",
        summary: "Show which country's storefront counts",
        description: """
            The country of the account in session. While nobody is logged in, the country that was \
            assumed here, which is kept over restarts.
            """,
        parameters: [
            .optional(
                "assume", .country(orEmpty: true),
                "The country to assume while nobody is logged in; \"\" takes it back.",
                needs: .buy)
        ],
        resultSchema: Schema.object([
            Schema.required(
                "storefront", Schema.nullable(Schema.reference("Storefront")), "What counts."),
            Schema.required("account", Schema.nullable(Schema.text), "The account in session."),
        ]),
        errors: [.notDurable],
        role: .observe,
        example: .init(
            params: ["assume": "DE"],
            result: Result(country: Examples.country, account: nil)))

    private enum Place: Int, ParameterPlace {
        case assume
    }

    /// Takes what to assume.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let assume = arguments.text(Place.assume, in: bytes).map { text in
            CountryCode(text.string).map { Assumption.country($0) } ?? .nothing
        }
        return Params(assume: assume)
    }
}

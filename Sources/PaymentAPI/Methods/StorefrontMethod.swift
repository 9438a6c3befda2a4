public import PaymentCore
public import StrictJSON

/// `storefront`: in which country the account in session is, and which one is assumed without one.
public enum StorefrontMethod: Method {
    /// The country to assume.
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

    /// The storefront now.
    public struct Result: WireResult, Hashable {
        /// The session; nil while nobody is logged in.
        public var session: Session?
        /// The country that is assumed while nobody is logged in; nil if no client has said one.
        public var assumed: CountryCode?

        /// Makes a result.
        public init(session: Session?, assumed: CountryCode?) {
            self.session = session
            self.assumed = assumed
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"storefront\":")
            writer.storefront(session?.country)
            writer.raw(",\"account\":")
            if let session { writer.string(session.account.string) } else { writer.null() }
            if let assumed {
                writer.raw(",\"assumed\":")
                writer.string(assumed.description)
            }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "storefront",
        summary: "Show the storefront, or assume a country while logged out",
        description: """
            Returns the storefront of the account in session; null without one. With assume, sets \
            the country whose prices are shown while no account is in session; it survives \
            restarts and is returned as assumed.
            """,
        parameters: [
            .optional(
                "assume", .countryOrEmpty,
                "The country to assume while no account is in session; \"\" clears it.",
                needs: .buy)
        ],
        resultSchema: Schema.object([
            Schema.required(
                "storefront", Schema.nullable(Schema.reference("Storefront")),
                "The storefront of the account in session; null without one."),
            Schema.required("account", Schema.nullable(Schema.text), "The account in session."),
            Schema.optional(
                "assumed", Schema.text,
                """
                The country that is assumed while no account is in session.
                """),
        ]),
        errors: [.notDurable],
        role: .observe,
        example: .init(
            params: ["assume": "DE"],
            result: Result(session: nil, assumed: Examples.country)))

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

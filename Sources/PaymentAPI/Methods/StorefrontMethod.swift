public import PaymentCore
import StrictJSON

/// `storefront`: show the storefront, or set the country to assume without a session.
public enum StorefrontMethod: Method {
    /// The change of the assumed country.
    public struct Params: ParameterRecord {
        /// The new assumption; nil changes nothing.
        public var assume: Assumption?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "assume", \.assume,
                ParameterForm(.countryOrEmpty) { token, tape, bytes in
                    CountryCode(tape.text(token, in: bytes)).map { .country($0) } ?? .nothing
                }, "The country to assume while no account is in session; \"\" clears it.",
                needs: .buy, example: "DE")
        ]

        /// Creates parameters that change nothing.
        public init() {}
    }

    /// The country to assume while no account is in session.
    public enum Assumption: Sendable, Hashable {
        /// The prices of this country are shown.
        case country(CountryCode)
        /// The store's default country applies.
        case nothing
    }

    /// The current storefront.
    public struct Result: WireResult, Hashable {
        /// The session; nil while no account is logged in.
        public var session: Session?
        /// The session that the store has ended; nil after the next login.
        public var endedSession: EndedSession?
        /// The country that is assumed while no account is logged in; nil if no client has said one.
        public var assumed: CountryCode?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "storefront", \.session?.country, .nullable(CountryCode.storefront),
                "The storefront of the account in session; null without one."),
            .required(
                "account", \.session?.account, .nullable(.opaque), "The account in session."),
            .optional(
                "assumed", \.assumed, ResultForm(Schema.text) { $1.string($0.description) },
                "The country that is assumed while no account is in session."),
            .optional(
                "sessionEnded", \.endedSession, StatusReport.ended,
                "The session that the store has ended; present until the next login."),
        ])

        /// Creates a result.
        public init(
            session: Session?, assumed: CountryCode?, endedSession: EndedSession? = nil
        ) {
            self.session = session
            self.endedSession = endedSession
            self.assumed = assumed
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "storefront",
        summary: "Show the storefront, or assume a country while logged out",
        description: """
            Returns the storefront of the account in session; null without one. With assume, sets \
            the country whose prices are shown while no account is in session; it survives \
            restarts and is returned as assumed.
            """,
        errors: [.notDurable],
        role: .observe, hasEffect: true,
        example: Result(session: nil, assumed: Examples.country))
}

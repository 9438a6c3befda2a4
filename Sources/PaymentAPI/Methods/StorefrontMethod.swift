public import PaymentCore
import StrictJSON

/// `storefront`: in which country the account in session is, and which one is assumed without one.
public enum StorefrontMethod: Method {
    /// The country to assume.
    public struct Params: ParameterRecord {
        /// A change of the hint; nil to only look.
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

        /// Only looks.
        public init() {}
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
        /// The session; nil while no account is logged in.
        public var session: Session?
        /// The session that the store has ended, until the next login.
        public var endedSession: EndedSession?
        /// The country that is assumed while no account is logged in; nil if no client has said one.
        public var assumed: CountryCode?

        /// The members.
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

        /// Shows a session and a hint.
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
        role: .observe, queueCheck: .nothing,
        example: Result(session: nil, assumed: Examples.country))
}

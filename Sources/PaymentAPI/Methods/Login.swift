public import PaymentCore
import StrictJSON

/// `login`: open a session with the store.
public enum Login: Method {
    /// An account.
    public struct Params: ParameterRecord {
        /// The account; nil to have the login agents ask for it.
        public var account: AccountName?
        /// The proof, where the store wants one. Never logged nor written.
        public var credential: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "account", \.account, .text(maximumBytes: 256),
                "The account at the store; without it, the login agents are asked.",
                example: "demo"),
            .optional(
                "credential", \.credential, .text(maximumBytes: 4096),
                "The credential of the account; never logged."),
        ]

        /// Has the login agents asked.
        public init() {}

        /// Refuses a credential without its account.
        public func validate() throws(InvalidParameters) {
            guard account != nil || credential == nil else {
                throw InvalidParameters(
                    .missingParam, at: "/account", expected: "the account of the credential")
            }
        }
    }

    /// The session.
    public struct Result: WireResult, Hashable {
        /// The account and its country.
        public var session: Session
        /// The record of the change, or the position as of which it is in session.
        public var sequence: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("account", \.session.account, .opaque, "The account in session."),
            .required(
                "storefront", \.session.country, CountryCode.storefront,
                "The storefront of the account."),
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record of the change; the newest record if nothing \
                changed.
                """),
        ])

        /// Shows a session.
        public init(session: Session, sequence: SequenceNumber) {
            self.session = session
            self.sequence = sequence
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "login",
        summary: "Open a session for an account",
        description: """
            Payments that were added while no account was in session become this account's and are \
            sent to the store. Another account replaces the one in session; the same account again \
            changes nothing. A logout while the login is in progress cancels it. The session \
            survives restarts. Without account, the login agents are asked, and the reply waits \
            for them.
            """,
        errors: [
            .loginDiscarded, .unknownAccount, .badCredential, .storeUnavailable, .connectionError,
            .appNotRegistered,
            .tooManyInFlight, .cancelled, .draining, .notDurable,
        ],
        role: .buy, queueCheck: .nothing,
        waits: true,
        example: Result(
            session: Session(account: "demo", country: Examples.country), sequence: 2))
}

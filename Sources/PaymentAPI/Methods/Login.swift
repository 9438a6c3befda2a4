public import PaymentCore
import StrictJSON

/// `login`: open a session with the store.
public enum Login: Method {
    /// The account to log in.
    public struct Params: ParameterRecord {
        /// The account; nil to ask the login agents in turn.
        public var account: AccountName?
        /// The credential of the account, if the store requires one. It is never logged or stored.
        public var credential: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "account", \.account, .text(maximumBytes: 256),
                "The account at the store; without it, the login agents are asked in turn.",
                example: "demo"),
            .optional(
                "credential", \.credential, .text(maximumBytes: 4096),
                "The credential of the account; never logged."),
        ]

        /// Creates parameters that ask the login agents.
        public init() {}

        /// Refuses a credential without an account.
        public func validate() throws(InvalidParameters) {
            guard account != nil || credential == nil else {
                throw InvalidParameters(
                    .missingParam, at: "/account", expected: "the account of the credential")
            }
        }
    }

    /// The session after the login.
    public struct Result: WireResult, Hashable {
        /// The account and its country.
        public var session: Session
        /// The sequence number of the record of the change; the newest record if nothing changed.
        public var sequence: SequenceNumber

        /// The members of the result.
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

        /// Creates a result.
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
            survives restarts. Without account, the login agents are asked in turn, and the \
            reply waits for them.
            """,
        errors: [
            .loginDiscarded, .unknownAccount, .badCredential, .tooManyAttempts, .storeUnavailable,
            .connectionError,
            .appNotRegistered,
            .tooManyInFlight, .shareExceeded, .cancelled, .draining, .notDurable,
        ],
        role: .buy,
        waits: true,
        example: Result(
            session: Session(account: "demo", country: Examples.country), sequence: 2))
}

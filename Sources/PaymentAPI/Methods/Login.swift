public import PaymentCore
public import StrictJSON

/// `login`: open a session with the store.
public enum Login: Method {
    /// For whom.
    public struct Params: Sendable, Hashable {
        /// The account; nil to have the login agents ask for it.
        public var account: AccountName?
        /// The credential, where the store needs one. Never logged nor written.
        public var credential: OpaqueText?

        /// Makes the parameters.
        public init(account: AccountName?, credential: OpaqueText? = nil) {
            self.account = account
            self.credential = credential
        }
    }

    /// The session.
    public struct Result: WireResult, Hashable {
        /// The account and its country.
        public var session: Session
        /// The record of the change, or the position as of which it is in session.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(session: Session, sequence: SequenceNumber) {
            self.session = session
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"account\":")
            writer.string(session.account.string)
            writer.raw(",\"storefront\":")
            writer.storefront(session.country)
            writer.raw(",\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "login",
        summary: "Open a session for an account",
        description: """
            Payments that were added while no account was in session become this account's and are \
            sent to the store. Another account replaces the one in session; the same account again \
            changes nothing. A logout while the login is in progress cancels it. The session \
            survives restarts. Without account, the login agents are asked, and the reply waits \
            for them.
            """,
        parameters: [
            .optional(
                "account", .text(maximumBytes: 256),
                "The account at the store; without it, the login agents are asked."),
            .optional(
                "credential", .text(maximumBytes: 4096),
                """
                The credential of the account; never logged.
                """),
        ],
        resultSchema: Schema.object([
            Schema.required("account", Schema.text, "The account in session."),
            Schema.required(
                "storefront", Schema.reference("Storefront"),
                """
                The storefront of the account.
                """),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of the change; the newest record if nothing changed.
                """),
        ]),
        errors: [
            .loginDiscarded, .unknownAccount, .badCredential, .storeUnavailable, .connectionError,
            .appNotRegistered,
            .tooManyInFlight, .cancelled, .draining, .notDurable,
        ],
        role: .buy,
        waits: true,
        example: .init(
            params: ["account": "demo"],
            result: Result(
                session: Session(account: "demo", country: Examples.country), sequence: 2)))

    private enum Place: Int, ParameterPlace {
        case account, credential
    }

    /// Takes for whom.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let account = arguments.text(Place.account, in: bytes)
        let credential = arguments.text(Place.credential, in: bytes)
        guard account != nil || credential == nil else {
            throw InvalidParameters(
                .missingParam, at: "/account", expected: "the account of the credential")
        }
        return Params(account: account, credential: credential)
    }
}

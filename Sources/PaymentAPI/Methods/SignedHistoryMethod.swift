public import PaymentCore
import StrictJSON

/// `signedHistory`: the purchases of the account, signed by the store.
public enum SignedHistoryMethod: Method {
    /// The selection of a page.
    public struct Params: ParameterRecord {
        /// The most purchases of the page; nil for as many as fit into a reply.
        public var limit: Int?
        /// The page token from an earlier result; nil for the first page.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "limit", \.limit, .integer(1...Int64(SignedHistory.largestLimit)),
                "The most purchases of the page; without it, and at most, as many as a reply line "
                    + "has room for.", example: 100),
            Paging.page(\.page),
        ]

        /// Creates parameters for the first page.
        public init() {}
    }

    /// A page of the signed history.
    public struct Result: WireResult, Hashable {
        /// The signed page.
        public var history: SignedHistory

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("jws", \.history.jws, .text, "The compact JWS."),
            .required(
                "kid", \.history.keyID, .text, "The identifier of the key that signed it."),
            .required(
                "alg", \.history.algorithm, .text, "The signature algorithm: RS256 or ES256."),
            Paging.next(\.history.next?.string),
        ])

        /// Creates a result.
        public init(history: SignedHistory) {
            self.history = history
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "signedHistory",
        summary: "Fetch the account's signed purchase history",
        description: """
            Returns one page of what the account in session has paid for, newest first, as a \
            compact JWS. Its payload is a TransactionHistory of purchases and renewals, refunded \
            ones with their revocation. Each page can be verified by itself with the keys of the \
            store, which the method keys returns; kid and alg repeat its header. To read on, \
            repeat the call with page set to next. New payments do not move pages, so following \
            next returns each payment once. Without an account in session the call fails; login \
            agents are not asked.
            """,
        errors: [
            .notLoggedIn, .pageExpired, .appNotRegistered, .storeUnavailable, .connectionError,
            .notDurable,
            .tooManyInFlight, .shareExceeded, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: Result(
            history: SignedHistory(
                jws: """
                    eyJhbGciOiJFUzI1NiIsImtpZCI6Ilg4eW9YeTdtVmdWZGc4TGhwSkJCNU50OVBjbTJYTDhsdlZm\
                    ZEtDclBZbEUifQ.eyJ0cmFuc2FjdGlvbnMiOltdfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4\
                    GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
                    """, keyID: Examples.storeKey.id, algorithm: "ES256")))
}

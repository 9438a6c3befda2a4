public import PaymentCore
public import StrictJSON

/// `signedHistory`: what the account has paid for, signed by the store.
public enum SignedHistoryMethod: Method {
    /// Which page.
    public struct Params: Sendable, Hashable {
        /// Most purchases of the page; nil for as many as a reply has room for.
        public var limit: Int?
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?
    }

    /// A page of the signed history.
    public struct Result: WireResult, Hashable {
        /// The signed history.
        public var history: SignedHistory

        /// Makes a result.
        public init(history: SignedHistory) {
            self.history = history
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"jws\":")
            writer.string(history.jws)
            writer.raw(",\"kid\":")
            writer.string(history.keyID)
            writer.raw(",\"alg\":")
            writer.string(history.algorithm)
            if let next = history.next {
                writer.raw(",\"next\":")
                writer.string(next.string)
            }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "signedHistory",
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
        parameters: [
            .optional(
                "limit", .integer(1...Int64(SignedHistory.largestLimit)),
                "The most purchases of the page; without it, and at most, as many as a reply line "
                    + "has room for."),
            Paging.page,
        ],
        resultSchema: Schema.object([
            Schema.required("jws", Schema.text, "The compact JWS."),
            Schema.required("kid", Schema.text, "The identifier of the key that signed it."),
            Schema.required("alg", Schema.text, "The signature algorithm: RS256 or ES256."),
            Paging.next,
        ]),
        errors: [
            .notLoggedIn, .pageExpired, .appNotRegistered, .storeUnavailable, .connectionError,
            .notDurable,
            .tooManyInFlight, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: .init(
            params: ["limit": 100],
            result: Result(
                history: SignedHistory(
                    jws: """
                        eyJhbGciOiJFUzI1NiIsImtpZCI6Ilg4eW9YeTdtVmdWZGc4TGhwSkJCNU50OVBjbTJYTDhsdlZm\
                        ZEtDclBZbEUifQ.eyJ0cmFuc2FjdGlvbnMiOltdfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4\
                        GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
                        """, keyID: Examples.storeKey.id, algorithm: "ES256"))))

    private enum Place: Int, ParameterPlace {
        case limit, page
    }

    /// Takes which page.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            limit: arguments.integer(Place.limit, in: bytes),
            page: arguments.text(Place.page, in: bytes))
    }
}

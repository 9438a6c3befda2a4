public import PaymentCore
public import StrictJSON

/// `signedHistory`: what the account has paid for, signed by the store.
public enum SignedHistoryMethod: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The signed history.
    public struct Result: WireResult, Hashable {
        /// What the store has signed.
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
            writer.raw("}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "signedHistory",
        summary: "Fetch everything the account has paid for, signed by the store",
        description: """
            A compact JWS whose payload is the TransactionHistory of the account in session: every \
            purchase and renewal, refunded ones with their revocation, as the store knows them now. \
            Verify it with the keys of the store, which the method keys returns; kid and alg repeat \
            what its header says. Nobody is asked to log in: without an account in session the call \
            fails.
            """,
        resultSchema: Schema.object([
            Schema.required("jws", Schema.text, "The compact JWS."),
            Schema.required("kid", Schema.text, "The key that signed it."),
            Schema.required("alg", Schema.text, "How it was signed: RS256 or ES256."),
        ]),
        errors: [
            .notLoggedIn, .appNotRegistered, .storeUnavailable, .connectionError, .notDurable,
            .tooManyInFlight, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: .init(
            result: Result(
                history: SignedHistory(
                    jws: """
                        eyJhbGciOiJFUzI1NiIsImtpZCI6Ilg4eW9YeTdtVmdWZGc4TGhwSkJCNU50OVBjbTJYTDhsdlZm\
                        ZEtDclBZbEUifQ.eyJ0cmFuc2FjdGlvbnMiOltdfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4\
                        GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
                        """, keyID: Examples.storeKey.id, algorithm: "ES256"))))
}

import NIOHTTP1
public import PaymentCore
import PaymentHistory

/// What the server signs. Nothing is signed here, and nothing that the server signed is changed.
extension HTTPStore {
    /// Everything that an account has paid for, signed by the server.
    public func signedHistory(of account: AccountName) async throws(StoreFailure) -> SignedHistory {
        let request = StoreRequest(.GET, StoreAPI.prefix + "/history")
        return try await questions.pass { () async throws(StoreFailure) in
            try await call(request, as: account) { reply throws(MessageFault) in
                let fields = try MessageFields(parsing: reply.body)
                func text(_ name: String) throws(MessageFault) -> String {
                    try fields.required(name) { $0.isEmpty ? nil : $0 }
                }
                return SignedHistory(
                    jws: try text("jws"), keyID: try text("kid"), algorithm: try text("alg"))
            }
        }
    }

    /// The public keys of the server, the one in use first.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        try await questions.pass { () async throws(StoreFailure) in
            try await call(StoreRequest(.GET, "/.well-known/jwks.json")) {
                reply throws(MessageFault) in
                do throws(KeySetFault) {
                    return try KeySet(parsing: reply.body).keys
                } catch {
                    throw MessageFault("the key set is refused: \(error)")
                }
            }
        }
    }
}

import NIOHTTP1
public import PaymentCore
import PaymentHistory
import StoreMessages

/// The server's signed history. Nothing is signed here, and nothing signed is changed.
extension HTTPStore {
    /// A page of what an account has paid for, signed by the server.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        var path = StoreAPI.prefix + "/history?bytes=\(query.limitBytes)"
        if let limit = query.limit { path += "&limit=\(limit)" }
        if let page = query.page { path += "&page=" + StoreAddress.encoded(page.string) }
        let request = StoreRequest(.GET, path)
        return try await questions.pass { () async throws(StoreFailure) in
            try await sessions.call(
                request, as: account,
                refused: { $0.kind == .notFound && query.page != nil ? .some(nil) : nil }
            ) { reply throws(MessageFault) in
                try SignedHistory(try MessageFields(parsing: reply.body))
            }
        }
    }

    /// The public keys of the server, the one in use first.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        try await questions.pass { () async throws(StoreFailure) in
            try await sessions.call(StoreRequest(.GET, "/.well-known/jwks.json")) {
                reply throws(MessageFault) in
                do throws(KeySetFault) {
                    return try KeySet(parsing: reply.body).keys
                } catch {
                    throw MessageFault("the key set is not valid: \(error)")
                }
            }
        }
    }
}

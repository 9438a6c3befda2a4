import NIOHTTP1
public import PaymentCore
import PaymentHistory
import StoreMessages

/// The server's signed history. The client signs nothing and passes signed pages on unchanged.
extension HTTPStore {
    /// A page of an account's signed history; nil if the page token is unknown to the server.
    ///
    /// - Throws: The store is unavailable or refuses the request.
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
    ///
    /// - Throws: The store is unavailable, or its key set is not valid.
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

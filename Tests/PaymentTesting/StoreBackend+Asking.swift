package import PaymentCore
package import Testing

extension StoreBackend {
    /// Every purchase of a selection, page by page.
    package func all(_ selection: PurchaseSelection, of account: AccountName) async throws
        -> PurchasePage
    {
        var all = PurchasePage()
        var page: OpaqueText?
        repeat {
            let next = try await purchases(selection, of: account, page: page)
            #expect(next.purchases.count + next.revoked.count <= 500)
            all.purchases += next.purchases
            all.revoked += next.revoked
            page = next.next
        } while page != nil
        return all
    }

    /// Buys something and names the order.
    package func order(_ request: OrderRequest) async throws -> OrderID {
        guard let order = try await submit(request).paidOrders.first else {
            throw StoreFailure(.internalError, "it was not purchased")
        }
        return order
    }

    /// Where an account is.
    package func country(of account: AccountName) async throws(StoreFailure) -> CountryCode? {
        try await facts(of: account).country
    }
}

/// The failure that a call ends with; the test fails if it succeeds.
package func failure(
    _ body: () async throws(StoreFailure) -> some Any,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> StoreFailure.Kind? {
    do {
        _ = try await body()
        Issue.record("the call succeeded", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error.kind
    }
}

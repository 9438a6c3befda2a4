package import PaymentCore
import PaymentHistory

/// Payments of an account for one signed page.
struct HistoryStretch: Sendable, Hashable {
    /// At least as many payments as fit on the page, newest first.
    var history: TransactionHistory
    /// True if no older payments follow.
    var isLast: Bool

    /// Encodes and signs the payments that fit on the page, outside of the caller's executor. The last
    /// order of the page names the next page.
    ///
    /// - Throws: `internalError` if the key cannot sign.
    @concurrent
    func signed(
        _ query: HistoryQuery, with ring: KeyRing
    ) async throws(StoreFailure) -> SignedHistory {
        let purchases = history.transactions
        do throws(SigningFault) {
            var (signed, count) = try ring.sign(history, limitBytes: query.limitBytes)
            if count < purchases.count || !isLast {
                signed.next = OpaqueText(purchases[count - 1].orderID.description)
            }
            return signed
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
    }
}

extension PurchasePages {
    /// The maximum number of payments of one page, which are collected in one turn of the store.
    private static let most = 1000

    /// The payments of an account for one page: as many as a page can contain if each is as short as
    /// possible. Nil if the account has no such page.
    func stretch(
        of account: AccountName, _ query: HistoryQuery, at real: Timestamp
    ) -> HistoryStretch? {
        let most = min(Self.most, query.limitBytes / InAppPurchase.leastBytes + 1)
        return history(
            of: account, page: query.page, limit: min(query.limit ?? most, most), at: real)
    }
}

/// The signed history of an order's account, as a merchant receives it.
package enum HeldHistory: Sendable, Hashable {
    /// The requested page.
    case page(SignedHistory)
    /// The order is unknown or was not paid.
    case noSuchOrder
    /// The account has no such page.
    case noSuchPage
}

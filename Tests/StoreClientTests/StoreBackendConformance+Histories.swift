import PaymentCore
import PaymentTesting
import PaymentHistory
import PaymentSandbox
import Testing

extension StoreBackend {
    /// A page of a signed history, verified with the store's keys.
    func page(
        _ page: OpaqueText? = nil, limit: Int? = nil, of account: AccountName = "demo"
    ) async throws -> (orders: [OrderID], next: OpaqueText?) {
        let query = HistoryQuery(page: page, limit: limit)
        let signed = try #require(try await signedHistory(of: account, query))
        let verifier = HistoryVerifier(keys: KeySet(try await keys()))
        return (try verifier.verify(signed.jws).history.transactions.map(\.orderID), signed.next)
    }

    /// The size of the first page of the account `demo`, which has four purchases.
    func sizeOfPage(_ limit: Int?, _ bytes: Int) async throws -> (jws: Int, purchases: Int) {
        let query = HistoryQuery(limit: limit, limitBytes: bytes)
        let signed = try #require(try await signedHistory(of: "demo", query))
        let verifier = HistoryVerifier(keys: KeySet(try await keys()))
        let history = try verifier.verify(signed.jws).history
        #expect((signed.next == nil) == (history.transactions.count == 4))
        return (signed.jws.utf8.count, history.transactions.count)
    }
}

extension BackendCheck {
    static let histories = [
        BackendCheck("New orders move no page of the signed history, and none comes twice") {
            store, _ async throws in
            var bought: [OrderID] = []
            for number in 1...5 {
                bought.append(try await store.order(try StoreSamples.request(UInt64(number))))
            }
            var (found, next) = try await store.page(limit: 2)
            #expect(found == bought.suffix(2).reversed())
            var number: UInt64 = 6
            while let page = next {
                // What is bought meanwhile comes before what is being read.
                _ = try await store.order(try StoreSamples.request(number))
                number += 1
                let older = try await store.page(page, limit: 2)
                found += older.orders
                next = older.next
            }
            #expect(found == bought.reversed())
            let whole = try await store.page()
            #expect(whole.orders.count == 7 && whole.next == nil)
            #expect(Array(whole.orders.suffix(5)) == bought.reversed())
        },
        BackendCheck("A page that is as long as the history is the last one") {
            store, _ async throws in
            #expect(try await store.page().orders.isEmpty)
            let first = try await store.order(try StoreSamples.request(1))
            let second = try await store.order(try StoreSamples.request(2))
            let both = try await store.page(limit: 2)
            #expect(both.orders == [second, first] && both.next == nil)
            let newest = try await store.page(limit: 1)
            #expect(newest.orders == [second])
            let page = try #require(newest.next)
            let oldest = try await store.page(page, limit: 1)
            #expect(oldest.orders == [first] && oldest.next == nil)
        },
        BackendCheck("A page that is none, is another account's or was deleted is gone") {
            store, control async throws in
            for number: UInt64 in 1...2 {
                _ = try await store.order(try StoreSamples.request(number))
                _ = try await store.order(
                    try StoreSamples.request(
                        number + 2, account: "alice", country: StoreSamples.states))
            }
            let page = try #require(try await store.page(limit: 1).next)
            let others = try #require(try await store.page(limit: 1, of: "alice").next)
            for gone: OpaqueText in ["", "nonsense", "0", "\u{1F600} &?#", others] {
                let query = HistoryQuery(page: gone)
                #expect(try await store.signedHistory(of: "demo", query) == nil)
            }
            _ = try await control.run(.clear, account: nil)
            #expect(try await store.signedHistory(of: "demo", HistoryQuery(page: page)) == nil)
        },
        BackendCheck("A page has as many purchases as its bytes have room for, and at least one") {
            store, _ async throws in
            for number: UInt64 in 1...4 {
                _ = try await store.order(try StoreSamples.request(number))
            }
            let three = try await store.sizeOfPage(3, SignedHistory.limitBytes)
            #expect(try await store.sizeOfPage(nil, three.jws + 3).purchases == 3)
            let fewer = try await store.sizeOfPage(nil, three.jws - 4)
            #expect(fewer.purchases == 2 && fewer.jws < three.jws)
            #expect(try await store.sizeOfPage(nil, 1).purchases == 1)
        },
    ]
}

import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import StoreClient
@testable import StoreMessages

/// What a store says of itself gets into records, and a record has a bound.
@Suite struct LongTextTests {
    private static let long = String(repeating: "\u{1}ü", count: 100_000)

    private static func fields(
        _ write: (inout JSONWriter) -> Void
    ) throws(MessageFault) -> MessageFields {
        var writer = JSONWriter()
        write(&writer)
        return try MessageFields(parsing: writer.bytes)
    }

    @Test func `the reason of a failure is cut where it is too long to be recorded`() throws {
        let failed = OrderOutcome.failed(
            PaymentFailure(.internalError, reason: Self.long), order: nil)
        let outcome = try OrderOutcome(try Self.fields { $0.storeOutcome(failed) })
        guard case .failed(let failure, nil) = outcome, let reason = failure.reason else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.utf8.count <= RecordBounds.productTextBytes && reason.hasSuffix("…"))
        // Not within a character.
        #expect(Self.long.unicodeScalars.starts(with: reason.unicodeScalars.dropLast()))
        #expect(RecordBounds.shortened("declined") == "declined")
    }

    @Test func `texts of a product are cut, and what it is found by is refused`() throws {
        var product = try #require(
            Samples.catalogue(of: Samples.germany).product(Samples.coins))
        product.localizedTitle = Self.long
        product.localizedDescription = Self.long
        product.iconURL = "https://store.example/" + String(repeating: "x", count: 10_000)
        let read = try Product(try Self.fields { $0.storeProduct(product) })
        #expect(read.localizedTitle.utf8.count <= RecordBounds.productTextBytes)
        #expect(read.localizedDescription.utf8.count <= RecordBounds.productTextBytes)
        #expect(read.iconURL == nil && read.price == product.price)
        for length in [0, 257] {
            product.productIdentifier = OpaqueText(String(repeating: "x", count: length))
            let other = product
            let fields = try Self.fields { $0.storeProduct(other) }
            #expect(throws: MessageFault.self) { try Product(fields) }
        }
    }

    @Test func `the reason of a revocation is cut where a record has no room for it`() throws {
        var page = PurchasePage()
        page.revoked = [
            RevokedOrder(
                order: Samples.order(1), product: Samples.book,
                revocation: OrderRevocation(at: Samples.noon, reason: Self.long), keepsProduct: true
            )
        ]
        let read = try PurchasePage(try Self.fields { $0.storePage(page) })
        #expect(read.revoked.first?.keepsProduct == true)
        let reason = try #require(read.revoked.first?.revocation.reason)
        #expect(reason.utf8.count <= RecordBounds.revocationReasonBytes && reason.hasSuffix("…"))
    }

    @Test func `a purchase that names itself as owned already has no offer`() throws {
        var page = PurchasePage()
        page.purchases = [Samples.purchase(1), Samples.purchase(2)]
        page.purchases[0].charge.offer = .alreadyOwned
        page.purchases[1].charge.offer = .scheduled
        let read = try PurchasePage(try Self.fields { $0.storePage(page) })
        #expect(read.purchases.map(\.charge.offer) == [nil, .scheduled])
        #expect(read.purchases.map(\.charge.price) == page.purchases.map(\.charge.price))
    }

    @Test func `whoever only asks is turned away when too many wait, and no work is`() async throws
    {
        let gate = RequestGate(width: 1, patience: 0)
        let kind = await failure { () async throws(StoreFailure) in
            try await gate.pass { () async throws(StoreFailure) in
                try await gate.pass { () async throws(StoreFailure) in }
            }
        }
        #expect(kind == .internalError)
        try await gate.pass { () async throws(StoreFailure) in }
        let work = RequestGate(width: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...100 {
                group.addTask { try await work.pass { () async throws(StoreFailure) in } }
            }
            try await group.waitForAll()
        }
    }
}

package import PaymentCore
package import PaymentSandbox
package import SandboxControl
import Testing

/// Accounts, products and orders of the tests of a store.
package enum StoreSamples {
    package static let germany = country("DE")
    package static let france = country("FR")
    package static let states = country("US")
    package static let japan = country("JP")

    package static func country(_ letters: String) -> CountryCode {
        guard let country = CountryCode(letters) else { preconditionFailure("no country") }
        return country
    }

    package static let zero: Amount = {
        guard let zero = Amount("0") else { preconditionFailure("zero is an amount") }
        return zero
    }()

    package static func transaction(_ number: UInt64) -> TransactionID {
        TransactionID(UniqueID(randomHigh: 7, randomLow: number))
    }

    package static func order(_ number: UInt64) -> OrderID {
        OrderID(UniqueID(randomHigh: 9, randomLow: number))
    }

    package static func product(_ name: String, in country: CountryCode = germany) throws -> Product
    {
        try #require(StoreCatalogue.example.product(ProductIdentifier(name), in: country))
    }

    package static func request(
        _ number: UInt64, account: AccountName = "demo", product: String = "coins.100",
        country: CountryCode = germany, token: OpaqueText? = nil
    ) throws -> OrderRequest {
        OrderRequest(
            transaction: transaction(number), account: account,
            product: try Self.product(product, in: country), country: country,
            appAccountToken: token)
    }

    package static func change(
        _ edit: (inout StoreTestSettingsChange) -> Void
    ) -> StoreTestSettingsChange {
        var change = StoreTestSettingsChange()
        edit(&change)
        return change
    }

    /// A sandbox that continues where a journal ends.
    package static func sandbox(
        store: StoreCatalogue = .example, journal: MemorySandboxJournal = MemorySandboxJournal(),
        executor: any SerialExecutor = QueueExecutor(),
        clock: any Clock<Duration> = StandingClock(),
        seed: UInt64 = 1
    ) throws -> SandboxService {
        var state = SandboxState()
        for event in journal.durableEvents { try state.replay(event) }
        return SandboxService(
            store: store, state: state, journal: journal,
            environment: SandboxService.Environment(
                executor: executor, clock: clock,
                now: { Timestamp(milliseconds: 1_700_000_000_000) },
                makeID: SeededIDs(seed: seed).next, keys: SampleKeys()))
    }
}

extension SandboxService {
    /// The order that a transaction has placed, as everybody may see it.
    package func order(of transaction: TransactionID) async -> StoreOrder? {
        try? await durableState().order(of: transaction)?.order
    }
}
